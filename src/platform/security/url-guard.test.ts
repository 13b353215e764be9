import { describe, expect, test } from 'vitest';
import { createUrlGuard, isPublicAddress } from './url-guard.js';

describe('addresses', () => {
  test.each([
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1'],
    // IPv4 inside IPv6: mapped, NAT64, 6to4, Teredo.
    ...['::ffff:10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:4136::1'],
    ...['2001:db8::1', 'localhost', ''],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('the guard', () => {
  const guard = createUrlGuard({ privateOrigin: 'http://10.0.0.5:8090' });
  const refusal = expect.objectContaining({ reason: 'SOURCE_ADDRESS_REFUSED' });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.5/other-port',
    'https://10.0.0.5:8090/other-scheme',
    'http://[::1]/',
    // Other spellings of 127.0.0.1, which the URL parser makes plain.
    'http://2130706433/',
    'http://0x7f.1/',
    'file:///etc/passwd',
    'ftp://8.8.8.8/',
    'https://user:secret@wiki.example/',
  ])('refuses %s', (url) => {
    const check = (): void => guard.assertAllowed(new URL(url));
    expect(check).toThrow(refusal);
    expect(check).not.toThrow(/secret/);
  });

  test('allows the configured origin and the public internet', () => {
    expect(() => guard.assertAllowed(new URL('http://10.0.0.5:8090/wiki'))).not.toThrow();
    expect(() => guard.assertAllowed(new URL('https://wiki.example/'))).not.toThrow();
  });

  test('a name leads only to public addresses, whatever its name server says', () => {
    const mixed = [
      { address: '10.0.0.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ];
    expect(guard.allowedAddresses('https://wiki.example', mixed)).toEqual([
      { address: '8.8.8.8', family: 4 },
    ]);
    expect(() => guard.allowedAddresses('https://wiki.example', mixed.slice(0, 1))).toThrow(refusal);
    expect(guard.allowedAddresses('http://10.0.0.5:8090', mixed)).toEqual(mixed);
  });
});
