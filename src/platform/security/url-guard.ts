import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { RAGError } from '../../core/errors.js';

/**
 * Guards against server-side request forgery: an address in a page, a redirect or a name server that leads the engine to a
 * service of the private network (a metadata service, an admin console) which an outsider cannot reach.
 *
 * Names are looked up once, when the connection is opened, and the connection goes to an address that was checked; so a name
 * that changes its address between check and use (DNS rebinding) gains nothing.
 */

/** Special-purpose ranges of the IANA registries (RFC 6890) that are not the public internet. */
const PRIVATE_RANGES: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Only global unicast is public in IPv6, without its tunnels and documentation ranges, which can hide an IPv4 address. */
const PUBLIC_IPV6: readonly [string, number] = ['2000::', 3];
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const privateAddresses = new BlockList();
for (const [network, prefix] of PRIVATE_RANGES) privateAddresses.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_IPV6) privateAddresses.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...PUBLIC_IPV6, 'ipv6');

/** Whether an IP address belongs to the public internet. What is no IP address does not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !privateAddresses.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !privateAddresses.check(address, 'ipv6');
}

export interface UrlGuardOptions {
  /** Origin that the configuration names and that may lie in a private network: `https://wiki.example:8443`. */
  readonly privateOrigin?: string;
}

/** Says which addresses may be opened. */
export interface UrlGuard {
  /** @throws RAGError `SOURCE_ADDRESS_REFUSED` for another scheme than http and https, credentials, or a private IP address. */
  assertAllowed(url: URL): void;
  /** Of the addresses that a name has, those that may be connected to. @throws RAGError `SOURCE_ADDRESS_REFUSED` where none is. */
  allowedAddresses(origin: string, addresses: readonly LookupAddress[]): LookupAddress[];
}

export function createUrlGuard({ privateOrigin }: UrlGuardOptions = {}): UrlGuard {
  return {
    assertAllowed(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw refused(url.origin, `addresses of the kind "${url.protocol}" are never opened`);
      if (url.username !== '' || url.password !== '')
        throw refused(url.origin, 'it holds a user name or password; use the settings for them');
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && url.origin !== privateOrigin && !isPublicAddress(host))
        throw privateNetwork(url.origin);
    },
    allowedAddresses(origin, addresses) {
      if (origin === privateOrigin) return [...addresses];
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      if (allowed.length === 0) throw privateNetwork(origin);
      return allowed;
    },
  };
}

const privateNetwork = (origin: string): RAGError =>
  refused(
    origin,
    'it lies in a private network. If it is the address that the source is configured with, and you trust it, set allowPrivateNetwork: true',
  );

const refused = (origin: string, why: string): RAGError =>
  new RAGError('SOURCE_ADDRESS_REFUSED', `${origin} is not opened: ${why}.`, { details: { origin } });
