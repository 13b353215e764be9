import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { serverSchema } from '../../../config/schema/server.js';
import { type DataFolder, trustKey } from '../../../config/trust/index-reach.js';
import { keyRisksOf } from '../../../config/trust/key-risks.js';
import { type Authentication, createAuthenticate } from './create-authenticate.js';
import { KeyStore } from './key-store.js';

const ISSUER = 'https://login.example.com/';
const AUDIENCE = 'ragstone';

interface Pair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function keyPair(kid: string, alg = 'RS256'): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A service of keys; what it serves may change, and it may be stopped. */
async function keyServer(keys: JWK[]): Promise<{ url: string; server: Server; asked: () => number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    server,
    asked: () => asked,
  };
}

/** A data folder, and an account that has trusted nothing yet. */
function temporaryPlace(): DataFolder {
  const dataDir = temporaryFolder();
  return { dataDir, projectRoot: dataDir, environment: { XDG_STATE_HOME: temporaryFolder() } };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('tokens of an identity provider', () => {
  let own: Pair;
  let served: JWK[];
  beforeEach(async () => {
    own = await keyPair('first');
    served = [own.jwk];
  });

  async function authentication(
    settings: object = {},
  ): Promise<Authentication & { asked: () => number; server: Server }> {
    const { url, server, asked } = await keyServer(served);
    const { jwt } = serverSchema.parse({
      jwt: { issuer: ISSUER, audience: AUDIENCE, jwksUrl: url, ...settings },
    });
    const options = { host: '127.0.0.1', place: temporaryPlace(), jwt };
    return { ...(await createAuthenticate(options)), asked, server };
  }

  const token = (claims: JWTPayload = {}, { by = own, alg = 'RS256' }: { by?: Pair; alg?: string } = {}) =>
    new SignJWT({ tenant_id: 'acme', groups: ['hr'], sub: 'ann', iss: ISSUER, aud: AUDIENCE, ...claims })
      .setProtectedHeader({ alg, kid: by.jwk.kid ?? '' })
      .setExpirationTime(claims.exp ?? '5m')
      .sign(by.privateKey);

  test('say who calls', async () => {
    const { authenticate, isOpen } = await authentication();
    expect(isOpen).toBe(false);
    expect(await authenticate(bearer(await token()))).toEqual({
      name: 'ann',
      scope: { tenant: 'acme', project: undefined, groups: ['hr'], clearance: 0 },
      permissions: ['read', 'write'],
    });
  });

  test('give what the named claims hold, and no more', async () => {
    const claims = {
      tenant: 'https://x/tenant',
      project: 'proj',
      groups: 'roles',
      clearance: 'level',
      permissions: 'scope',
    };
    const { authenticate } = await authentication({ claims });
    const given = {
      'https://x/tenant': 'globex',
      proj: 'p',
      roles: 'a b',
      level: 2,
      scope: 'openid read admin',
    };
    expect(await authenticate(bearer(await token(given)))).toMatchObject({
      scope: { tenant: 'globex', project: 'p', groups: ['a', 'b'], clearance: 2 },
      permissions: ['read'],
    });
    expect(await authenticate(bearer(await token({ 'https://x/tenant': 'globex' })))).toMatchObject({
      scope: { groups: [], clearance: 0 },
      permissions: [],
    });
    // What is over all tenants is in tokens of the operator's tenant alone.
    const operated = await authentication({ claims, operatorTenant: 'operator' });
    const ofOperator = { ...given, 'https://x/tenant': 'operator' };
    expect((await operated.authenticate(bearer(await token(ofOperator)))).permissions).toEqual([
      'read',
      'admin',
    ]);
    expect((await operated.authenticate(bearer(await token(given)))).permissions).toEqual(['read']);
  });

  test('are refused where anything of them is wrong', async () => {
    const strong = await keyPair('strong', 'RS384');
    served.push(strong.jwk);
    const { authenticate } = await authentication({ claims: { clearance: 'level' } });
    const named = await authentication({ algorithms: ['RS384'] });
    expect(await named.authenticate(bearer(await token({}, { by: strong, alg: 'RS384' })))).toMatchObject({
      name: 'ann',
    });
    const now = Math.floor(Date.now() / 1000);
    const stranger = await keyPair('first');
    const publicKey = new TextEncoder().encode(await exportSPKI(own.publicKey));
    const claims = { tenant_id: 'acme', iss: ISSUER, aud: AUDIENCE };
    const wrong: Readonly<Record<string, string>> = {
      'another issuer': await token({ iss: 'https://evil.example/' }),
      'another audience': await token({ aud: 'other' }),
      'it is over': await token({ exp: now - 60 }),
      'it is not yet': await token({ nbf: now + 600 }),
      'signed by another': await token({}, { by: stranger }),
      'no signature': new UnsecuredJWT(claims).setExpirationTime('5m').encode(),
      'the public key as a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .setExpirationTime('5m')
        .sign(publicKey),
      'an algorithm that is not named': await token({}, { by: strong, alg: 'RS384' }),
      'without an end': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'first' })
        .sign(own.privateKey),
      'without a tenant': await token({ tenant_id: undefined }),
      'an empty tenant': await token({ tenant_id: '' }),
      'a list of tenants': await token({ tenant_id: ['acme', 'globex'] }),
      'groups of another kind': await token({ groups: [1] }),
      'a clearance of another kind': await token({ level: '9' }),
      'changed on its way': (await token()).replace(
        /\.(.)/,
        (_, first: string) => `.${first === 'e' ? 'f' : 'e'}`,
      ),
      'no token': 'nonsense',
    };
    for (const [what, given] of Object.entries(wrong))
      await expect(authenticate(bearer(given)), what).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await expect(authenticate({ headers: {} })).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await expect(authenticate({ headers: { authorization: 'Basic YTpi' } })).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
  });

  test('that name no key are checked with each that fits', async () => {
    const second = await keyPair('second');
    served.push(second.jwk);
    const { authenticate } = await authentication();
    const unnamed = (by: Pair) =>
      new SignJWT({ tenant_id: 'acme', sub: 'ann', iss: ISSUER, aud: AUDIENCE })
        .setProtectedHeader({ alg: 'RS256' })
        .setExpirationTime('5m')
        .sign(by.privateKey);
    expect(await authenticate(bearer(await unnamed(own)))).toMatchObject({ name: 'ann' });
    expect(await authenticate(bearer(await unnamed(second)))).toMatchObject({ name: 'ann' });
    await expect(authenticate(bearer(await unnamed(await keyPair('third'))))).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
  });

  test('may be a little late', async () => {
    const { authenticate } = await authentication({ clockSkewSeconds: 300 });
    expect(
      await authenticate(bearer(await token({ exp: Math.floor(Date.now() / 1000) - 60 }))),
    ).toMatchObject({ name: 'ann' });
  });

  test('are checked with one answer of the key service, and its outage is not their fault', async () => {
    const { authenticate, asked, server } = await authentication();
    for (let i = 0; i < 3; i++) await authenticate(bearer(await token()));
    expect(asked()).toBe(1);
    server.close();
    const other = await authentication();
    other.server.close();
    await expect(other.authenticate(bearer(await token()))).rejects.toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
    });
  });

  test('may be signed with a key that is newer than the last answer of the key service', async () => {
    const { authenticate, asked } = await authentication();
    await authenticate(bearer(await token()));
    const second = await keyPair('second');
    served.splice(0, 1, second.jwk);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await authenticate(bearer(await token({}, { by: second })))).toMatchObject({ name: 'ann' });
    await expect(authenticate(bearer(await token()))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(asked()).toBe(2);
  });

  test('come beside keys', async () => {
    const { url } = await keyServer(served);
    const place = temporaryPlace();
    const { key } = await new KeyStore(place).create({ tenant: 'globex' });
    const { jwt } = serverSchema.parse({ jwt: { issuer: ISSUER, audience: AUDIENCE, jwksUrl: url } });
    const { authenticate } = await createAuthenticate({ host: '0.0.0.0', place, jwt });
    expect((await authenticate(bearer(key))).scope.tenant).toBe('globex');
    expect((await authenticate(bearer(await token()))).scope.tenant).toBe('acme');
  });

  test('are signed with no secret that both sides know', () => {
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: 'https://x.example/jwks' };
    expect(serverSchema.safeParse({ jwt: { ...jwt, algorithms: ['HS256'] } }).success).toBe(false);
    expect(serverSchema.safeParse({ jwt: { ...jwt, algorithms: ['none'] } }).success).toBe(false);
    expect(serverSchema.safeParse({ jwt: { ...jwt, jwksUrl: 'http://x.example/jwks' } }).success).toBe(false);
  });

  test('are given to the page by a provider that it reaches over https', () => {
    const jwt = { audience: AUDIENCE, jwksUrl: 'https://x.example/jwks', console: { clientId: 'page' } };
    for (const [issuer, isTaken] of [
      ['https://x.example', true],
      ['http://localhost:8080', true],
      ['http://x.example', false],
      ['x.example', false],
    ] as const)
      expect([issuer, serverSchema.safeParse({ jwt: { ...jwt, issuer } }).success]).toEqual([
        issuer,
        isTaken,
      ]);
  });
});

describe('where a key is sent', () => {
  async function withKey() {
    const place = temporaryPlace();
    const { key: secret } = await new KeyStore(place).create({ name: 'shop', tenant: 'acme' });
    const { authenticate } = await createAuthenticate({ host: '127.0.0.1', place });
    return { secret, ask: (headers: Record<string, string>) => authenticate({ headers }) };
  }

  test('x-api-key is as good as authorization, alone or beside it', async () => {
    const { secret, ask } = await withKey();
    const authorization = `Bearer ${secret}`;
    for (const headers of [
      { 'x-api-key': secret },
      { authorization },
      { authorization, 'x-api-key': secret },
      { authorization: `bearer  ${secret}`, 'x-api-key': secret },
    ])
      expect(await ask(headers)).toMatchObject({ scope: { tenant: 'acme' } });
  });

  test.each<[string, (secret: string) => Record<string, string>]>([
    ['no key', () => ({})],
    ['an unknown one', () => ({ 'x-api-key': 'nobody' })],
    ['an empty one', () => ({ 'x-api-key': '' })],
    ['one with a scheme', (secret) => ({ 'x-api-key': `Bearer ${secret}` })],
    ['two in one header', (secret) => ({ 'x-api-key': `${secret}, ${secret}` })],
    ['two that differ', (secret) => ({ 'x-api-key': secret, authorization: 'Bearer nobody' })],
    [
      'two that differ the other way',
      (secret) => ({ 'x-api-key': 'nobody', authorization: `Bearer ${secret}` }),
    ],
    ['another scheme beside it', (secret) => ({ 'x-api-key': secret, authorization: 'Basic eDp5' })],
  ])('%s is refused', async (_, headersOf) => {
    const { secret, ask } = await withKey();
    await expect(ask(headersOf(secret))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
  });
});

describe('without keys and tokens', () => {
  const open = (host = '127.0.0.1') => createAuthenticate({ host, place: temporaryPlace() });

  test.each(['localhost:7240', '127.0.0.1', '127.8.8.8:80', '[::1]:7240'])(
    'the host %s is served',
    async (host) => {
      const { authenticate, isOpen } = await open();
      expect(isOpen).toBe(true);
      expect(await authenticate({ headers: { host } })).toMatchObject({
        isLocal: true,
        scope: { tenant: 'default', clearance: 0 },
      });
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil@localhost',
    'localhost?x',
    'localhost#x',
    'localhost/x',
    '0.0.0.0',
    '10.0.0.1',
    '',
    undefined,
  ])('the host %s is refused', async (host) => {
    const { authenticate } = await open();
    await expect(authenticate({ headers: { host } })).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });

  test.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'])(
    'what a proxy sends with %s is refused',
    async (name) => {
      const { authenticate } = await open();
      await expect(authenticate({ headers: { host: 'localhost', [name]: 'x' } })).rejects.toMatchObject({
        reason: 'FORBIDDEN',
        message: expect.stringContaining('ragstone keys create'),
      });
    },
  );

  test.each([
    [{ origin: 'http://localhost:7240' }, undefined],
    [{ origin: 'http://app.example', 'sec-fetch-site': 'cross-site' }, undefined],
    [{ 'sec-fetch-site': 'same-origin' }, undefined],
    [{ 'sec-fetch-site': 'none' }, undefined],
    [{ origin: 'http://localhost:9999', 'sec-fetch-site': 'same-site' }, 'FORBIDDEN'],
    [{ origin: 'http://127.0.0.1:7240' }, 'FORBIDDEN'],
    [{ 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN'],
    [{ 'sec-fetch-site': 'same-site' }, 'FORBIDDEN'],
  ])('a page that sends %j: %s', async (sent, refused) => {
    const { authenticate } = await createAuthenticate({
      host: '127.0.0.1',
      place: temporaryPlace(),
      corsOrigins: ['http://app.example'],
    });
    const answer = authenticate({ headers: { host: 'localhost:7240', ...sent } });
    const reason = await answer.then(
      () => undefined,
      (error: { reason: string }) => error.reason,
    );
    expect(reason).toBe(refused);
  });

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'a page of %s is refused',
    async (origin) => {
      const { authenticate } = await open();
      await expect(authenticate({ headers: { host: 'localhost', origin } })).rejects.toMatchObject({
        reason: 'FORBIDDEN',
      });
    },
  );

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '128.0.0.1'])(
    'nothing listens at %s',
    async (host) => {
      await expect(open(host)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    },
  );
});

describe('keys', () => {
  test('are told from others by every part of them', async () => {
    const store = new KeyStore(temporaryPlace());
    const { key, id } = await store.create({
      tenant: 'acme',
      groups: ['hr'],
      clearance: 2,
      permissions: ['read'],
    });
    expect(await store.find(key)).toEqual({
      name: id,
      scope: { tenant: 'acme', project: undefined, groups: ['hr'], clearance: 2 },
      permissions: ['read'],
    });
    const { key: other } = await store.create({ tenant: 'globex' });
    const mixed = `rsk_${id}_${other.split('_').slice(2).join('_')}`;
    await expect(store.find(mixed)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    const unknown = key.replace(id, '0123456789abcdef');
    const messages = await Promise.all(
      [mixed, unknown].map((wrong) => store.find(wrong).catch((error: Error) => error.message)),
    );
    expect(new Set(messages).size).toBe(1);
    expect(await store.find('rsk_../../etc/passwd_x')).toBeUndefined();
  });

  test('that were revoked are refused, and still listed', async () => {
    const place = temporaryPlace();
    const store = new KeyStore(place);
    const { key, id } = await store.create({ tenant: 'acme' });
    await store.revoke(id);
    await expect(store.find(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(await store.list()).toMatchObject([{ id, revokedAt: expect.any(String) }]);
    expect(keyRisksOf(place.dataDir)).toEqual([]);
    expect(await store.isEmpty()).toBe(false);
    await expect(store.revoke('../../etc/passwd')).rejects.toMatchObject({ reason: 'USAGE' });
  });

  test('are revoked by themselves too, and no more than their id is said of them', async () => {
    const store = new KeyStore(temporaryPlace());
    const { key, id } = await store.create({ tenant: 'acme' });
    const { key: other } = await new KeyStore(temporaryPlace()).create({ tenant: 'acme' });
    for (const secret of [other, 'rsk_0123', 'hunter2'])
      await expect(store.revoke(secret)).rejects.toSatisfy(
        ({ message }: Error) => !message.includes(secret) && !message.includes(secret.slice(21) || secret),
      );
    await store.revoke(key);
    expect(await store.list()).toMatchObject([{ id, revokedAt: expect.any(String) }]);
  });

  test('that expire are refused from then on', async () => {
    const store = new KeyStore(temporaryPlace());
    const { key } = await store.create({ tenant: 'acme', expiresAt: new Date('2999-01-01') });
    expect(await store.find(key)).toMatchObject({ scope: { tenant: 'acme' } });
    const over = await store.create({ tenant: 'acme', expiresAt: new Date('2026-01-01') });
    await expect(store.find(over.key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(await store.list()).toMatchObject([{}, { expiresAt: '2026-01-01T00:00:00.000Z' }]);
  });

  const fileOf = (place: { dataDir: string }, id: string) => join(place.dataDir, 'keys', `${id}.json`);

  test.each(['revoked here', 'found revoked when a service starts'])(
    'that were %s stay so when an older file of them comes back',
    async (how) => {
      const place = temporaryPlace();
      const store = new KeyStore(place);
      const { key, id } = await store.create({ tenant: 'acme' });
      const backup = readFileSync(fileOf(place, id));
      if (how === 'revoked here') await store.revoke(id);
      else {
        // By another account, on another machine.
        const elsewhere = { ...place, environment: { XDG_STATE_HOME: temporaryFolder() } };
        await new KeyStore(elsewhere).revoke(id);
        await createAuthenticate({ host: '127.0.0.1', place });
      }
      writeFileSync(fileOf(place, id), backup);
      expect(await store.find(key).catch(({ reason }: { reason: string }) => reason)).toBe('UNAUTHENTICATED');
      expect(await new KeyStore(place).list()).toMatchObject([{ id, revokedAt: expect.any(String) }]);
      await new KeyStore(place).create({ tenant: 'acme' });
      await expect(new KeyStore(place).find(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    },
  );

  test('are refused where the revocation could be written to their file alone, which is told', async () => {
    const place = temporaryPlace();
    const { key, id } = await new KeyStore(place).create({ tenant: 'acme' });
    writeFileSync(join(place.environment.XDG_STATE_HOME ?? '', 'ragstone', 'revoked-keys'), 'no folder');
    await expect(new KeyStore(place).revoke(id)).rejects.toMatchObject({ reason: 'INDEX_UNAVAILABLE' });
    await expect(new KeyStore(place).find(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
  });

  test('that came with the data folder let nobody in until they are trusted', async () => {
    const theirs = temporaryPlace();
    const { key, id } = await new KeyStore(theirs).create({ tenant: 'acme' });
    const mine = { ...theirs, environment: { XDG_STATE_HOME: temporaryFolder() } };
    const refused = { reason: 'INDEX_UNTRUSTED', message: expect.stringContaining(id) };
    await expect(createAuthenticate({ host: '127.0.0.1', place: mine })).rejects.toMatchObject(refused);
    await expect(new KeyStore(mine).find(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    for (const risk of keyRisksOf(mine.dataDir)) trustKey(risk, mine);
    const { authenticate } = await createAuthenticate({ host: '127.0.0.1', place: mine });
    expect((await authenticate(bearer(key))).scope.tenant).toBe('acme');
  });

  test('that were given more rights in their file are other keys', async () => {
    const place = temporaryPlace();
    const { key, id } = await new KeyStore(place).create({ tenant: 'acme' });
    const file = join(place.dataDir, 'keys', `${id}.json`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"acme"', '"globex"'));
    await expect(new KeyStore(place).find(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await expect(createAuthenticate({ host: '127.0.0.1', place })).rejects.toMatchObject({
      reason: 'INDEX_UNTRUSTED',
    });
  });
});
