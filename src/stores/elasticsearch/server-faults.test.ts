import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import { SCHEMA_VERSION } from './collection-index.js';
import { createElasticsearchStore, createOpenSearchStore } from './elasticsearch-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
const META = { ragstone: { schemaVersion: SCHEMA_VERSION, ...SPEC, vectorIndex: 'hnsw' } };
const SECRET = 'hunter2-secret';
/** Of what is to be waited for in vain. */
const TIMEOUT_MS = 300;
/** Of what is answered, on a machine that does ten other things. */
const PATIENCE_MS = 120_000;
/** The clients' own limit. */
const CLIENT_MS = 30_000;

type Answer = { readonly status?: number; readonly body: unknown };
/** What the server does with a request: answers, or does as the name says. */
type Behaviour = (
  path: string,
  body: string,
) => Answer | 'silence' | 'hang up' | 'half an answer' | 'garbage';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

const JSON_TYPE = { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' };

function listenerOf(behaviour: Behaviour): RequestListener {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const answer = behaviour(request.url ?? '', Buffer.concat(parts).toString('utf8'));
      if (answer === 'silence') return;
      if (answer === 'hang up') response.destroy();
      else if (answer === 'half an answer') {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
        response.write('{"count":');
        setTimeout(() => response.destroy(), 10);
      } else if (answer === 'garbage') response.writeHead(200, JSON_TYPE).end('<html>not json</html>');
      else response.writeHead(answer.status ?? 200, JSON_TYPE).end(JSON.stringify(answer.body));
    });
  };
}

async function serve(behaviour: Behaviour): Promise<string> {
  const listening = createServer(listenerOf(behaviour));
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return `http://elastic:${SECRET}@127.0.0.1:${port}`;
}

const MAPPING: Answer = { body: { 'ragstone-faults@1': { mappings: { _meta: META } } } };
const WHOLE = { _shards: { failed: 0 } };

const DIALECTS = [
  { title: 'Elasticsearch', create: createElasticsearchStore },
  { title: 'OpenSearch', create: createOpenSearchStore },
];

for (const { title, create } of DIALECTS)
  describe(`${title} with a server that`, () => {
    /** Opens a collection on a server that answers well until then. */
    async function opened(behaviour: Behaviour, timeoutMs = PATIENCE_MS) {
      const url = await serve((path, body) => (path.endsWith('/_mapping') ? MAPPING : behaviour(path, body)));
      const store = create({ url, timeoutMs });
      return { store, collection: await store.open(SPEC) };
    }

    async function failureOf(run: () => Promise<unknown>): Promise<Error & { reason: string }> {
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 20 })).not.toContain(SECRET);
      expect(inspect(error, { depth: 20 })).not.toContain(
        Buffer.from(`elastic:${SECRET}`).toString('base64'),
      );
      return error as Error & { reason: string };
    }

    const countFailure = async (behaviour: Behaviour, timeoutMs?: number) => {
      const { store, collection } = await opened(behaviour, timeoutMs);
      const failure = await failureOf(() => collection.count(EVERYTHING));
      await store.close();
      return failure;
    };

    it('is well: a store is closed as often as one likes, and its collections with it', async () => {
      const { store, collection } = await opened(() => ({ body: { count: 1, ...WHOLE } }));
      await store.close();
      await store.close();
      await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    });

    it('is not there is STORE_UNAVAILABLE with its address', async () => {
      const url = await serve(() => 'silence');
      await new Promise((resolve) => server?.close(resolve));
      server = undefined;
      const store = create({ url, timeoutMs: PATIENCE_MS });
      const failure = await failureOf(() => store.open(SPEC));
      expect(failure.reason).toBe('STORE_UNAVAILABLE');
      expect(failure.message).toMatch(/http:\/\/127\.0\.0\.1:\d+\/ could not open collection "faults"/);
      expect(await store.health()).toMatchObject({ ok: false });
      await store.close();
    });

    it('accepts and says nothing is STORE_TIMEOUT, in time', async () => {
      const start = performance.now();
      expect((await countFailure(() => 'silence', TIMEOUT_MS)).reason).toBe('STORE_TIMEOUT');
      expect(performance.now() - start).toBeLessThan(CLIENT_MS);
    });

    it('answers half, hangs up, or is another kind of server is STORE_UNAVAILABLE', async () => {
      for (const fault of ['half an answer', 'garbage'] as const) {
        const { reason } = await countFailure(() => fault, TIMEOUT_MS);
        // Half an answer is tried again, for as long as the time lasts.
        expect(['STORE_UNAVAILABLE', 'STORE_TIMEOUT'], fault).toContain(reason);
        await new Promise((resolve) => server?.close(resolve));
      }
      expect((await countFailure(() => ({ body: { unexpected: true } }))).reason).toBe('STORE_UNAVAILABLE');
    });

    it('is busy or hangs up for a moment is asked again', async () => {
      const faults = [{ status: 503, body: {} }, 'hang up'] as const;
      let calls = 0;
      const url = await serve((path) =>
        path.endsWith('/_mapping') ? MAPPING : (faults[calls++] ?? { body: { count: 7, ...WHOLE } }),
      );
      const store = create({ url, timeoutMs: PATIENCE_MS });
      expect(await (await store.open(SPEC)).count(EVERYTHING)).toBe(7);
      expect(calls).toBe(3);
      await store.close();
    });

    it('leaves a shard out is refused, not believed', async () => {
      const { reason } = await countFailure(() => ({ body: { count: 7, _shards: { failed: 1 } } }));
      expect(reason).toBe('STORE_UNAVAILABLE');
    });

    it('refuses names the fault', async () => {
      const cases = [
        [401, 'security_exception', 'CONFIG_INVALID'],
        [403, 'cluster_block_exception', 'STORE_READ_ONLY'],
        [404, 'index_not_found_exception', 'COLLECTION_NOT_FOUND'],
        [400, 'too_many_nested_clauses', 'STORE_FILTER_UNSUPPORTED'],
        [413, 'content_too_long', 'STORE_INVALID_RECORD'],
        [500, 'exception', 'STORE_UNAVAILABLE'],
      ] as const;
      for (const [status, type, reason] of cases) {
        const failure = await countFailure(() => ({
          status,
          body: { error: { type, reason: 'document text' }, status },
        }));
        expect(failure.reason, type).toBe(reason);
        expect(failure.message).not.toContain('document text');
        await new Promise((resolve) => server?.close(resolve));
      }
    });

    it('is full is STORE_FULL', async () => {
      const reason = 'TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark';
      const error = { type: 'cluster_block_exception', reason };
      const { store, collection } = await opened((path) =>
        path.includes('_bulk')
          ? { body: { errors: true, items: [{ index: { status: 403, error } }] } }
          : { body: WHOLE },
      );
      expect((await failureOf(() => collection.upsert([record('a')]))).reason).toBe('STORE_FULL');
      await store.close();
    });

    it('refuses some operations of a batch gets those again, and only those', async () => {
      const seen: number[] = [];
      const url = await serve((path, body) => {
        if (path.endsWith('/_mapping')) return MAPPING;
        if (!path.includes('_bulk')) return { body: WHOLE };
        const operations = body.trim().split('\n').length / 2;
        seen.push(operations);
        const items = Array.from({ length: operations }, (_, i) => ({
          index:
            seen.length === 1 && i === 1 ? { status: 429, error: { type: 'rejected' } } : { status: 201 },
        }));
        return { body: { errors: seen.length === 1, items } };
      });
      const store = create({ url, timeoutMs: PATIENCE_MS });
      const collection = await store.open(SPEC);
      await collection.upsert(['a', 'b', 'c'].map((id) => record(id)));
      expect(seen).toEqual([3, 1]);
      await store.close();
    });

    it('is slow can be left at once', async () => {
      const { store, collection } = await opened(() => 'silence');
      const signal = AbortSignal.timeout(20);
      const failure = await failureOf(() => collection.count(EVERYTHING, signal));
      expect(failure.reason).toBe('ABORTED');
      await store.close();
    });
  });

describe('options', () => {
  it('that no server could have are refused without naming a secret', () => {
    for (const bad of [
      { url: `ftp://u:${SECRET}@host` },
      { url: `u:${SECRET}` },
      { url: 'http://host', indexPrefix: 'Upper' },
      { url: 'http://host', candidates: 0 },
      { url: 'http://host', timeoutMs: Number.NaN },
      { url: 'http://host', shards: 1.5 },
    ]) {
      const create = () => createElasticsearchStore(bad);
      expect(create).toThrow(expect.objectContaining({ reason: 'CONFIG_INVALID' }));
      expect(create).not.toThrow(SECRET);
    }
  });
});
