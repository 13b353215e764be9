import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { FaultyProxy, type ProxyMode } from '../../testing/faulty-proxy.js';
import { record } from '../../testing/vector-store/records.js';
import { describeSpec } from './collection-class.js';
import { classNameOf } from './weaviate-names.js';
import { createWeaviateStore } from './weaviate-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
const SECRET = 'hunter2-secret';
const CLASS = classNameOf('ragstone', SPEC.name);

type Answer = { readonly status?: number; readonly body: unknown };
type Behaviour = (path: string) => Answer;

const COUNT: Answer = { body: { data: { Aggregate: { [CLASS]: [{ meta: { count: 7 } }] } } } };
const healthy: Behaviour = (path) => {
  if (path.endsWith('/tenants')) return { body: [{ name: 't-acme' }] };
  if (path.includes('/schema/')) return { body: { description: describeSpec(SPEC) } };
  return COUNT;
};

let server: Server | undefined;
let proxy: FaultyProxy | undefined;

afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** A collection on a server that answers well until then, behind a proxy. */
async function opened(behaviour: Behaviour = healthy, timeoutMs = 400) {
  let current = healthy;
  const listening = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 200, body } = current(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const between = await FaultyProxy.start({ host: '127.0.0.1', port });
  proxy = between;
  const url = `http://127.0.0.1:${between.port}`;
  const store = createWeaviateStore({ url, apiKey: SECRET, timeoutMs });
  const collection = await store.open(SPEC);
  current = behaviour;
  return { store, collection, proxy: between };
}

async function failureOf(run: () => Promise<unknown>): Promise<Error & { reason: string }> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect(inspect(error, { depth: 20 })).not.toContain(SECRET);
  return error as Error & { reason: string };
}

it.each<[ProxyMode, RegExp]>([
  ['cut', /STORE_(UNAVAILABLE|TIMEOUT)/],
  ['silent', /STORE_TIMEOUT/],
])('a server behind a proxy that is %s fails in time, with its address', async (mode, reason) => {
  const { collection, store, proxy: between } = await opened();
  between.mode = mode;
  const failure = await failureOf(() => collection.count(EVERYTHING));
  expect(failure.reason).toMatch(reason);
  expect(failure.message).toMatch(
    /^Weaviate at http:\/\/127\.0\.0\.1:\d+ could not .* in collection "faults"/,
  );
  expect(await store.health()).toMatchObject({ ok: false });
});

it('a slow server is waited for, and can be left at once', async () => {
  const { collection, proxy: between } = await opened(healthy, 10_000);
  between.mode = 'slow';
  expect(await collection.count(EVERYTHING)).toBe(7);
  between.mode = 'silent';
  const failure = await failureOf(() => collection.count(EVERYTHING, AbortSignal.timeout(20)));
  expect(failure.reason).toBe('ABORTED');
});

it('a busy server is asked again', async () => {
  let calls = 0;
  const { collection } = await opened(
    (path) => (calls++ < 2 ? { status: 503, body: {} } : healthy(path)),
    10_000,
  );
  expect(await collection.count(EVERYTHING)).toBe(7);
});

it.each<[string, Answer, string]>([
  ['refuses the key', { status: 401, body: {} }, 'CONFIG_INVALID'],
  ['fails', { status: 500, body: { error: 'document text' } }, 'STORE_UNAVAILABLE'],
  ['is another kind of server', { body: { unexpected: true } }, 'STORE_UNAVAILABLE'],
  ['is full', { status: 500, body: { error: 'store is read-only' } }, 'STORE_FULL'],
  [
    'lost the class',
    { status: 422, body: { error: "class X doesn't exist: could not find class" } },
    'COLLECTION_NOT_FOUND',
  ],
])('a server that %s is told so', async (_, answer, reason) => {
  const { collection } = await opened(() => answer);
  const failure = await failureOf(() => collection.count(EVERYTHING));
  expect(failure.reason).toBe(reason);
  expect(failure.message).not.toContain('document text');
});

it('a query that fails under status 200 is no empty answer', async () => {
  const { collection } = await opened((path) =>
    path.endsWith('/graphql')
      ? { body: { data: null, errors: [{ message: 'shard broken' }] } }
      : healthy(path),
  );
  expect((await failureOf(() => collection.count(EVERYTHING))).reason).toBe('STORE_UNAVAILABLE');
});

it('a batch of which the server refused one record fails', async () => {
  const { collection } = await opened((path) =>
    path.includes('/batch/') ? { body: [{ result: { status: 'FAILED' } }] } : healthy(path),
  );
  expect((await failureOf(() => collection.upsert([record('a')]))).reason).toBe('STORE_UNAVAILABLE');
});

it('options that no server could have are refused without naming a secret', () => {
  for (const bad of [
    { url: 'ftp://host' },
    { url: `http://u:${SECRET}@host` },
    { namespace: 'Upper' },
    { efSearch: 0 },
    { timeoutMs: Number.NaN },
  ]) {
    const create = () => createWeaviateStore(bad);
    expect(create).toThrow(expect.objectContaining({ reason: 'CONFIG_INVALID' }));
    expect(create).not.toThrow(SECRET);
  }
});
