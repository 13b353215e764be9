import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { FaultyProxy } from '../../testing/faulty-proxy.js';
import { record } from '../../testing/vector-store/records.js';
import type { VectorStore } from '../vector-store.js';
import { type ChromaStoreOptions, createChromaStore } from './chroma-store.js';

const url = process.env.RAGSTONE_TEST_CHROMA_URL;
const SECRET = 's3cr3t-t0ken';
const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };

describe('a server that is not there', () => {
  it('is STORE_UNAVAILABLE with its address and without the token', async () => {
    const store = createChromaStore({ host: '127.0.0.1', port: 1, token: SECRET, retries: 0 });
    const error: unknown = await store.open(SPEC).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE', retryable: true });
    expect(String(error)).toContain('http://127.0.0.1:1');
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(SECRET);
    expect(await store.health()).toMatchObject({ ok: false });
    await store.close();
  });
});

describe('what answers in the place of a server', () => {
  let answer: { status: number; body: string; type?: string; afterMs?: number };
  let seen: { url: string; authorization: string | undefined; chromaToken: unknown }[];
  let options: ChromaStoreOptions;
  const server = createServer((request, response) => {
    const { authorization, 'x-chroma-token': chromaToken } = request.headers;
    seen.push({ url: request.url ?? '', authorization, chromaToken });
    setTimeout(() => {
      response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' });
      response.end(answer.body);
    }, answer.afterMs ?? 0);
  });

  beforeEach(async () => {
    seen = [];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    options = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, retries: 0 };
  });
  afterEach(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  );

  for (const [what, reply, reason] of [
    ['no right', { status: 401, body: '{}' }, 'CONFIG_INVALID'],
    ['a forbidden database', { status: 403, body: '{}' }, 'CONFIG_INVALID'],
    ['too many requests', { status: 429, body: '{}' }, 'STORE_UNAVAILABLE'],
    ['a full disk', { status: 500, body: '{"message":"database or disk is full"}' }, 'STORE_FULL'],
    [
      'a read-only folder',
      { status: 500, body: '{"message":"attempt to write a readonly database"}' },
      'STORE_READ_ONLY',
    ],
    [
      'a damaged file',
      { status: 500, body: '{"message":"database disk image is malformed"}' },
      'STORE_DAMAGED',
    ],
    ['a crash', { status: 500, body: 'oops' }, 'STORE_UNAVAILABLE'],
    ['a page', { status: 200, body: '<html></html>', type: 'text/html' }, 'STORE_UNAVAILABLE'],
    ['half an answer', { status: 200, body: '{"id": "abc' }, 'STORE_UNAVAILABLE'],
    ['an empty answer', { status: 200, body: '' }, 'STORE_UNAVAILABLE'],
    ['a stranger', { status: 200, body: '{"message":"hello"}' }, 'STORE_UNAVAILABLE'],
  ] as const)
    it(`${what} is ${reason}`, async () => {
      answer = reply;
      const store = createChromaStore(options);
      await expect(store.open(SPEC)).rejects.toMatchObject({ reason });
      await store.close();
    });

  it('a collection of somebody else is refused and not written', async () => {
    answer = { status: 200, body: '{"id":"x","name":"faults","metadata":null,"configuration_json":{}}' };
    const store = createChromaStore(options);
    await expect(store.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
    expect(seen.every(({ url: path }) => path.endsWith('/collections/faults'))).toBe(true);
    await store.close();
  });

  it('may take longer over a collection that is dropped than over other calls', async () => {
    answer = { status: 200, body: '{}', afterMs: 1_500 };
    const store = createChromaStore({ ...options, timeoutMs: 500 });
    await expect(store.describe('faults')).rejects.toMatchObject({ reason: 'STORE_TIMEOUT' });
    await store.drop('faults');
    await store.close();
  });

  it('gets the token in the header that was asked for', async () => {
    answer = { status: 401, body: '{}' };
    for (const tokenHeader of ['authorization', 'x-chroma-token'] as const)
      await createChromaStore({ ...options, token: SECRET, tokenHeader })
        .open(SPEC)
        .catch(() => undefined);
    expect(seen).toMatchObject([
      { authorization: `Bearer ${SECRET}`, chromaToken: undefined },
      { authorization: undefined, chromaToken: SECRET },
    ]);
  });

  it('is asked again where that is harmless, and only as often as set', async () => {
    const locked = '{"message":"error returned from database: (code: 5) database is locked"}';
    for (const reply of [
      { status: 503, body: '{}' },
      { status: 500, body: locked },
    ]) {
      answer = reply;
      seen = [];
      const store = createChromaStore({ ...options, retries: 2 });
      await expect(store.describe('faults')).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      expect(seen).toHaveLength(3);
      await store.close();
    }
  });
});

const TITLE = 'a server that runs (RAGSTONE_TEST_CHROMA_URL names one)';

describe.skipIf(url === undefined)(TITLE, () => {
  const { hostname: host, port } = new URL(url ?? 'http://localhost');
  const direct = { host, port: Number(port) };
  const spec = { ...SPEC, name: `faults-${randomUUID()}` };
  let proxy: FaultyProxy;
  let store: VectorStore;

  beforeEach(async () => {
    proxy = await FaultyProxy.start(direct);
    store = createChromaStore({ host: '127.0.0.1', port: proxy.port, timeoutMs: 500 });
    const maker = createChromaStore(direct);
    await (await maker.open(spec)).upsert([record('a')]);
    await maker.close();
  });
  afterEach(async () => {
    await store.close();
    await proxy.stop();
    // Through the store, which waits while the server's catalogue is locked.
    const cleaner = createChromaStore(direct);
    await cleaner.drop(spec.name);
    await cleaner.close();
  });

  it('a call under way is broken off by its signal, and by close', async () => {
    const slow = createChromaStore({ host: '127.0.0.1', port: proxy.port });
    const collection = await slow.open(spec);
    proxy.mode = 'silent';
    const abort = new AbortController();
    const aborted = expect(collection.count(EVERYTHING, abort.signal)).rejects.toMatchObject({
      reason: 'ABORTED',
    });
    setTimeout(() => {
      abort.abort();
    }, 50);
    await aborted;
    const closed = expect(collection.count(EVERYTHING)).rejects.toMatchObject({
      reason: 'STORE_UNAVAILABLE',
    });
    await slow.close();
    await closed;
  });

  it('a collection that was dropped meanwhile is COLLECTION_NOT_FOUND', async () => {
    const collection = await store.open(spec);
    const other = createChromaStore(direct);
    await other.drop(spec.name);
    await expect(collection.upsert([record('b')])).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
    await other.open(spec);
    await other.close();
  });

  it('a tenant or database that is not there is CONFIG_INVALID', async () => {
    const elsewhere = createChromaStore({ ...direct, database: 'nowhere' });
    await expect(elsewhere.open(spec)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    await elsewhere.close();
  });

  it('a filter with more values than the database takes is refused', async () => {
    const collection = await store.open(spec);
    const values = Array.from({ length: 50_000 }, (_, i) => `v${i}`);
    const counting = collection.count({ op: 'in', field: 'state', values });
    await expect(counting).rejects.toMatchObject({ reason: 'STORE_FILTER_UNSUPPORTED' });
  });
});
