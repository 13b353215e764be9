import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { resolveOptions } from './pinecone-options.js';
import { createPineconeStore } from './pinecone-store.js';

const SECRET = 'hunter2-secret';
const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** A control plane that answers everything so. */
async function listening(answer: () => { status: number; body: unknown }): Promise<string> {
  const started = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = answer();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

it.each<[string, number, unknown, string]>([
  ['refuses the key', 401, 'Unauthorized', 'CONFIG_INVALID'],
  ['is busy', 429, { message: 'too many requests' }, 'STORE_UNAVAILABLE'],
  ['has used up the month', 429, { message: 'read unit limit for the current month' }, 'STORE_FULL'],
  ['fails', 503, { message: 'document text' }, 'STORE_UNAVAILABLE'],
  ['has no such index', 404, { message: 'not found' }, 'CONFIG_INVALID'],
  ['is another kind of service', 200, { unexpected: true }, 'STORE_UNAVAILABLE'],
])('a service that %s is an error of its own, without the key', async (_, status, body, reason) => {
  const controllerHost = await listening(() => ({ status, body }));
  const store = createPineconeStore({ apiKey: SECRET, controllerHost });
  const error: unknown = await store.open(SPEC).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason });
  expect(inspect(error, { depth: 20 })).not.toContain(SECRET);
  expect(String(error)).not.toContain('document text');
});

it('a busy service is asked again', async () => {
  let calls = 0;
  const controllerHost = await listening(() => {
    calls++;
    return calls < 3 ? { status: 429, body: {} } : { status: 404, body: {} };
  });
  expect(await createPineconeStore({ apiKey: SECRET, controllerHost }).describe('x')).toBeUndefined();
  expect(calls).toBe(3);
});

it.each([
  [undefined, 'aws', 'us-east-1'],
  ['us-west1-gcp', 'gcp', 'us-west1'],
  ['eastus2-azure', 'azure', 'eastus2'],
  ['eu-west-1', 'aws', 'eu-west-1'],
  ['europe-west4', 'gcp', 'europe-west4'],
  ['eastus2', 'azure', 'eastus2'],
])('the environment %s is in cloud %s, region %s', (environment, cloud, region) => {
  expect(resolveOptions({ apiKey: 'k', environment })).toMatchObject({ cloud, region });
});

it.each([[{ index: 'Upper' }], [{ namespace: 'a/b' }], [{ namespace: 'a b' }], [{ controllerHost: 'x' }]])(
  '%j is refused',
  (options) => {
    expect(() => createPineconeStore({ apiKey: SECRET, ...options })).toThrow(
      expect.objectContaining({ reason: 'CONFIG_INVALID' }),
    );
  },
);
