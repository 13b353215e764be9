import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { MASK, Secret } from '../core/secret.js';
import { createKeyVaultResolver } from './azure-key-vault.js';
import { resolveSecrets, type SecretSettings } from './secret-resolver.js';

const projectRoot = mkdtempSync(join(tmpdir(), 'ragstone-secrets-'));
writeFileSync(join(projectRoot, 'token'), 'from a file\n');
const settings: SecretSettings = { environment: { TOKEN: 'from the environment', EMPTY: '' }, projectRoot };

const reveal = async (text: string, more: Partial<SecretSettings> = {}): Promise<string> => {
  const secret = new Secret(text);
  await resolveSecrets({ list: [{ apiKey: secret }] }, ['rag'], { ...settings, ...more });
  return secret.reveal();
};

describe('secrets by reference', () => {
  it('come from the environment, from files, and from resolvers of the caller', async () => {
    expect(await reveal('env:TOKEN')).toBe('from the environment');
    expect(await reveal('file:token')).toBe('from a file');
    const resolver = { scheme: 'safe', resolve: async (name: string) => `opened ${name}` };
    expect(await reveal('safe:a/b', { secretResolvers: [resolver] })).toBe('opened a/b');
  });

  it('leave other texts as they are', async () => {
    for (const text of ['plain', 'postgres://user:word@host/db', 'env:', 'a:b', 'x '.repeat(9)])
      expect(await reveal(text)).toBe(text);
  });

  it('name setting and remedy where they are missing, and can be fetched later', async () => {
    const where = { reason: 'SECRET_MISSING', details: { key: 'rag.list[0].apiKey' } };
    await expect(reveal('env:NONE')).rejects.toMatchObject({
      ...where,
      message: expect.stringContaining('NONE is not set'),
    });
    await expect(reveal('env:EMPTY')).rejects.toMatchObject(where);
    await expect(reveal('file:none')).rejects.toMatchObject(where);
    await expect(reveal('file:.')).rejects.toMatchObject(where);
    const secret = new Secret('env:LATER');
    await expect(resolveSecrets(secret, [], settings)).rejects.toMatchObject({ reason: 'SECRET_MISSING' });
    await resolveSecrets(secret, [], { ...settings, environment: { LATER: 'now' } });
    expect(secret.reveal()).toBe('now');
  });

  it('are fetched once, and refuse to be used before', async () => {
    let calls = 0;
    const secretResolvers = [{ scheme: 'env', resolve: async () => `value ${++calls}` }];
    const secret = new Secret('env:X');
    expect(() => secret.reveal()).toThrow(/before it was fetched/);
    await Promise.all([1, 2].map(() => resolveSecrets(secret, [], { ...settings, secretResolvers })));
    expect([secret.reveal(), calls]).toEqual(['value 1', 1]);
  });

  it('are never printed, fetched or not', async () => {
    const secret = new Secret('env:TOKEN');
    await resolveSecrets(secret, [], settings);
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual([MASK, `"${MASK}"`, MASK]);
    expect(secret.reference).toBe('env:TOKEN');
    expect(new Secret('hunter2').reference).toBeUndefined();
  });
});

/** What the service documents: a challenge first, then the secret as JSON (Key Vault REST API 7.x, "Get Secret"). */
function vaultServer(): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://vault');
    const send = (status: number, body: unknown, headers = {}): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    if (!searchParams.has('api-version'))
      send(400, { error: { code: 'BadParameter', message: 'api-version' } });
    else if (request.headers.authorization === undefined)
      send(
        401,
        { error: { code: 'Unauthorized', message: 'AKV10000' } },
        {
          'www-authenticate':
            'Bearer authorization="https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47", resource="https://vault.azure.net"',
        },
      );
    else if (request.headers.authorization !== 'Bearer good') send(401, { error: { code: 'Unauthorized' } });
    else if (pathname === '/secrets/db-url/')
      send(200, {
        value: 'postgres://canary',
        id: 'https://v/secrets/db-url/1',
        attributes: { enabled: true },
      });
    else if (pathname === '/secrets/closed/')
      send(403, { error: { code: 'Forbidden', message: 'canary-from-server' } });
    else send(404, { error: { code: 'SecretNotFound', message: 'canary-from-server' } });
  });
}

describe('Azure Key Vault', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const open = async (token: string) => {
    server = vaultServer();
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return createKeyVaultResolver({
      vaultUrl: () => `http://127.0.0.1:${address.port}`,
      credential: { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) },
      retries: 0,
    });
  };

  it('gives the secret after its challenge', async () => {
    const secretResolvers = [await open('good')];
    expect(await reveal('keyvault:team/db-url', { secretResolvers })).toBe('postgres://canary');
  });

  it.each([
    ['keyvault:team/none', 'good', /has no secret "none"/],
    ['keyvault:team/closed', 'good', /Key Vault Secrets User/],
    ['keyvault:team/db-url', 'bad', /refused the sign-in/],
    ['keyvault:team', 'good', /keyvault:VAULT\/NAME/],
  ])('%s with a %s sign-in says what to do', async (reference, token, message) => {
    const secretResolvers = [await open(token)];
    const error: unknown = await reveal(reference, { secretResolvers }).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('canary');
  });
});
