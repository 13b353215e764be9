import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import { specMetadata } from './collection-info.js';
import { PAYLOAD_INDEXES } from './point-payload.js';
import { resolveOptions } from './qdrant-options.js';
import { createQdrantStore } from './qdrant-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
const SECRET = 'hunter2-secret';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
type Answer = { readonly status?: number; readonly body: unknown; readonly headers?: Record<string, string> };
type Behaviour = (asked: Asked) => Answer;

const info = (changes: Record<string, unknown> = {}) => ({
  result: {
    status: 'green',
    points_count: 0,
    indexed_vectors_count: 0,
    config: { params: { vectors: { size: 8, distance: 'Dot' } }, metadata: specMetadata(SPEC), ...changes },
    payload_schema: Object.fromEntries(PAYLOAD_INDEXES.map(({ field }) => [field, {}])),
  },
});
const healthy: Behaviour = ({ path }) => {
  if (path === '/') return { body: { title: 'qdrant', version: '1.17.0' } };
  if (path.includes('/points/count')) return { body: { result: { count: 7 } } };
  return { body: info() };
};

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function listening(behaviour: Behaviour): Promise<string> {
  const started = createServer((request, response) => {
    request.resume().on('end', () => {
      const { method = '', url = '', headers } = request;
      const { status = 200, body, headers: more } = behaviour({ method, path: url, headers });
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

/** A collection on a server that answers well until then. */
async function opened(behaviour: Behaviour, timeoutMs = 10_000) {
  let current = healthy;
  const url = await listening((asked) => current(asked));
  const store = createQdrantStore({ url, apiKey: SECRET, timeoutMs });
  const collection = await store.open(SPEC);
  current = behaviour;
  return { store, collection };
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

it('the key is a header of every request, and nothing is written to the console about it', async () => {
  const warned = vi.spyOn(console, 'warn');
  const keys = new Set<unknown>();
  const url = await listening((asked) => {
    keys.add(asked.headers['api-key']);
    return healthy(asked);
  });
  const store = createQdrantStore({ url, apiKey: SECRET });
  expect(await (await store.open(SPEC)).count(EVERYTHING)).toBe(7);
  expect([...keys]).toEqual([SECRET]);
  expect(warned).not.toHaveBeenCalled();
});

it('a busy server is asked again, after the time that it says', async () => {
  let calls = 0;
  const { collection } = await opened((asked) => {
    calls++;
    if (calls === 1) return { status: 503, body: {} };
    return calls === 2 ? { status: 429, body: {}, headers: { 'retry-after': '0' } } : healthy(asked);
  });
  expect(await collection.count(EVERYTHING)).toBe(7);
  expect(calls).toBe(3);
});

const said = (error: string) => ({ status: { error }, time: 0 });

it.each<[string, Answer, string]>([
  ['refuses the key', { status: 401, body: said('Invalid API key or JWT') }, 'CONFIG_INVALID'],
  [
    'allows the key less',
    { status: 403, body: said('Forbidden: global access is required') },
    'CONFIG_INVALID',
  ],
  ['fails', { status: 500, body: said('document text') }, 'STORE_UNAVAILABLE'],
  ['limits the rate for longer than it is waited for', { status: 429, body: {} }, 'STORE_UNAVAILABLE'],
  ['is another kind of server', { body: { unexpected: true } }, 'STORE_UNAVAILABLE'],
  ['is full', { status: 500, body: said('No space left on device (os error 28)') }, 'STORE_FULL'],
  ['is locked', { status: 403, body: said('write is forbidden') }, 'STORE_READ_ONLY'],
  [
    'lost the collection',
    { status: 404, body: said("Collection `x` doesn't exist!") },
    'COLLECTION_NOT_FOUND',
  ],
  ['takes no such text', { status: 413, body: said('Payload too large') }, 'STORE_INVALID_RECORD'],
  [
    'has a limit of conditions',
    { status: 400, body: said('Limit exceeded 9 > 2 for "filter_max_conditions". Help: ...') },
    'STORE_FILTER_UNSUPPORTED',
  ],
])('a server that %s is an error of its own, with action and address', async (_, answer, reason) => {
  const { collection } = await opened(() => answer, 1_500);
  const failure = await failureOf(() => collection.upsert([record('a')]));
  expect(failure.reason).toBe(reason);
  expect(failure.message).toMatch(
    /^Qdrant at http:\/\/127\.0\.0\.1:\d+ could not write chunks in collection "faults"/,
  );
  expect(failure.message).not.toContain('document text');
});

it.each<[string, Answer, string]>([
  ['is none of ours', { body: info({ metadata: null }) }, 'STORE_DAMAGED'],
  [
    'has other vectors',
    { body: info({ params: { vectors: { size: 9, distance: 'Dot' } } }) },
    'STORE_DAMAGED',
  ],
  [
    'has another distance',
    { body: info({ params: { vectors: { size: 8, distance: 'Euclid' } } }) },
    'STORE_DAMAGED',
  ],
  ['is newer', { body: info({ metadata: specMetadata(SPEC, 2) }) }, 'STORE_SCHEMA_TOO_NEW'],
])('a collection that %s is refused', async (_, answer, reason) => {
  const url = await listening(() => answer);
  const failure = await failureOf(() => createQdrantStore({ url }).open(SPEC));
  expect(failure.reason).toBe(reason);
});

it('a server that is too old is refused before a collection is made', async () => {
  const asked: string[] = [];
  const url = await listening(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return path === '/' ? { body: { version: '1.15.4' } } : { status: 404, body: said('Not found') };
  });
  const failure = await failureOf(() => createQdrantStore({ url }).open(SPEC));
  expect(failure.reason).toBe('CONFIG_INVALID');
  expect(failure.message).toContain('1.17');
  expect(asked.filter((line) => line.startsWith('PUT'))).toEqual([]);
});

it('indexes that a death left out are made by the next that opens the collection', async () => {
  const made: string[] = [];
  const url = await listening(({ method, path }) => {
    if (method === 'PUT') made.push(path);
    if (method === 'PUT') return { body: { result: { status: 'completed' } } };
    const answer = info();
    delete (answer.result.payload_schema as Record<string, unknown>)['ordered[].p4'];
    return { body: answer };
  });
  await createQdrantStore({ url }).open(SPEC);
  expect(made).toEqual(['/collections/ragstone-faults/index?wait=true']);
});

it.each([
  ['http://h', 'http://h:6333', ''],
  ['https://h', 'https://h:6333', ''],
  ['https://h:443/qdrant/', 'https://h:443', '/qdrant'],
  ['http://[::1]:9/', 'http://[::1]:9', ''],
])('the address %s is %s%s', (url, origin, prefix) => {
  expect(resolveOptions({ url })).toMatchObject({ origin, prefix });
});

it.each([
  [{ url: 'qdrant:6333' }],
  [{ url: 'http://me:sesame@h:6333' }],
  [{ namespace: 'With-Dash' }],
  [{ efSearch: 0 }],
  [{ timeoutMs: 0.5 }],
])('%j is refused before anything is asked, without a secret in the message', (options) => {
  const make = () => createQdrantStore(options);
  expect(make).toThrow(expect.objectContaining({ reason: 'CONFIG_INVALID' }));
  expect(make).not.toThrow(/sesame/);
});
