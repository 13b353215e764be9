import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AzureSearchService } from '../../../tests/fakes/services/azure-search/azure-search-service.js';
import { EVERYTHING, eq } from '../../core/filter.js';
import { SYSTEM_RUNTIME, withRuntime } from '../../core/runtime.js';
import { record } from '../../testing/vector-store/records.js';
import type { VectorStore } from '../vector-store.js';
import type { AzureSearchStoreOptions } from './azure-options.js';
import { createAzureSearchStore } from './azure-search-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };
const SECRET = 's3cr3t-k3y';

let service: AzureSearchService;
let stores: VectorStore[];

beforeEach(async () => {
  service = await AzureSearchService.start({ apiKey: SECRET });
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await service.stop();
});

function storeWith(options: Partial<AzureSearchStoreOptions> = {}): VectorStore {
  const store = createAzureSearchStore({
    url: service.url,
    apiKey: SECRET,
    visibleWithinMs: 500,
    ...options,
  });
  stores.push(store);
  return store;
}

const failureOf = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

/** Everything that an error shows, its causes included. */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${JSON.stringify(error)} ${error.cause === undefined ? '' : shown(error.cause)}`;
}

/** The machine's, but no pause is waited for; it tells how long they would have been. */
function impatient(): { readonly pauses: number[]; readonly runtime: typeof SYSTEM_RUNTIME } {
  const pauses: number[] = [];
  const runtime = {
    ...SYSTEM_RUNTIME,
    setTimer: (
      callback: () => void,
      milliseconds: number,
      options?: { isBackground?: boolean | undefined },
    ) => {
      if (options?.isBackground !== true && milliseconds < 30_000) pauses.push(milliseconds);
      return SYSTEM_RUNTIME.setTimer(callback, milliseconds < 30_000 ? 0 : milliseconds, options);
    },
  };
  return { pauses, runtime };
}

describe('credentials', () => {
  it('a wrong key is CONFIG_INVALID, says what to do and never shows the key', async () => {
    const error = await failureOf(storeWith({ apiKey: 'wr0ng-k3y' }).open(SPEC));
    expect(error).toMatchObject({ reason: 'CONFIG_INVALID', details: { status: 403 } });
    expect(String(error)).toContain('admin key');
    expect(shown(error)).not.toContain('wr0ng-k3y');
  });

  it('an identity is asked for a token of the service, which is sent in place of a key', async () => {
    const scopes: unknown[] = [];
    const credential = {
      getToken: async (scope: string | string[]) => {
        scopes.push(scope);
        return { token: 'identity-token', expiresOnTimestamp: Date.now() + 3_600_000 };
      },
    };
    // The client sends tokens over TLS alone, so that what is seen here is its refusal.
    const error = await failureOf(storeWith({ apiKey: undefined, credential }).open(SPEC));
    expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE' });
    expect(shown(error)).toMatch(/https|TLS/i);
    expect(scopes).toEqual([]);
  });

  it('an identity that cannot sign in is CONFIG_INVALID', async () => {
    const failing = {
      getToken: async () => {
        throw Object.assign(new Error('nobody'), { name: 'CredentialUnavailableError' });
      },
    };
    const error = await failureOf(
      storeWith({ url: service.url.replace('http:', 'https:'), apiKey: undefined, credential: failing }).open(
        SPEC,
      ),
    );
    expect(error).toMatchObject({ reason: 'CONFIG_INVALID' });
    expect(String(error)).toContain('az login');
  });
});

describe('a service that is busy', () => {
  for (const status of [429, 503])
    it(`status ${status} is waited out as long as it asks, then the call succeeds`, async () => {
      const store = storeWith();
      const collection = await store.open(SPEC);
      service.faults = [{ status, retryAfter: 2 }, { status }];
      const { pauses, runtime } = impatient();
      expect(await withRuntime(runtime, () => collection.count(EVERYTHING))).toBe(0);
      expect(pauses).toHaveLength(2);
      expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    });

  it('a service that stays busy is STORE_UNAVAILABLE', async () => {
    const collection = await storeWith().open(SPEC);
    service.faults = Array.from({ length: 9 }, () => ({ status: 503 }));
    service.requests.length = 0;
    const { runtime } = impatient();
    const error = await withRuntime(runtime, () => failureOf(collection.count(EVERYTHING)));
    expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE', retryable: true });
    expect(String(error)).toContain('replicas');
    expect(service.requests).toHaveLength(4);
  });

  it('never waits beyond the limit of a call', async () => {
    const store = storeWith({ timeoutMs: 200 });
    const collection = await store.open(SPEC);
    service.faults = [{ status: 503, retryAfter: 3_600 }];
    await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'STORE_TIMEOUT' });
  });
});

describe('a batch of which a part fails', () => {
  it('what may succeed later is sent again, alone', async () => {
    const collection = await storeWith().open(SPEC);
    service.faults = [{ actions: { 1: 503, 2: 422 } }, { actions: { 0: 409 } }];
    service.requests.length = 0;
    const { runtime } = impatient();
    await withRuntime(runtime, () => collection.upsert(['a', 'b', 'c', 'd'].map((id) => record(id))));
    expect(service.requests).toHaveLength(3);
    await collection.optimize();
    expect(await collection.count(EVERYTHING)).toBe(4);
  });

  it('one that does not fit is STORE_INVALID_RECORD, and the others are written', async () => {
    const collection = await storeWith().open(SPEC);
    service.faults = [{ actions: { 1: 400 } }];
    const error = await failureOf(
      collection.upsert([record('a'), record('b', { content: 'private words' })]),
    );
    expect(error).toMatchObject({ reason: 'STORE_INVALID_RECORD' });
    expect(String(error)).not.toContain('private');
    await expect.poll(() => collection.count(EVERYTHING)).toBe(1);
  });

  it('has at most 1,000 actions and 16 MB', async () => {
    const collection = await storeWith().open(SPEC);
    service.requests.length = 0;
    await collection.upsert(Array.from({ length: 1_001 }, (_, i) => record(`r${i}`)));
    expect(service.requests).toHaveLength(2);
    service.requests.length = 0;
    const content = 'x'.repeat(5_000_000);
    await collection.upsert(['a', 'b', 'c'].map((id) => record(id, { content })));
    expect(service.requests).toHaveLength(2);
    await expect(
      collection.upsert([record('big', { content: 'x'.repeat(17_000_000) })]),
    ).rejects.toMatchObject({
      reason: 'STORE_INVALID_RECORD',
    });
  });
});

describe('what no index takes is refused before anything is sent', () => {
  const long = 'x'.repeat(40_000);
  for (const [what, wrong] of [
    ['an id', record(long)],
    ['a tenant', record('a', { tenant: long })],
    ['a group', record('a', { access: { groups: [long], level: 0 } })],
    [
      'metadata of too many values',
      record('a', { metadata: Object.fromEntries(Array.from({ length: 3_001 }, (_, i) => [`k${i}`, i])) }),
    ],
  ] as const)
    it(`${what}`, async () => {
      const collection = await storeWith().open(SPEC);
      service.requests.length = 0;
      await expect(collection.upsert([record('good'), wrong])).rejects.toMatchObject({
        reason: 'STORE_INVALID_RECORD',
      });
      expect(service.requests).toEqual([]);
    });
});

describe('writes that are not seen yet', () => {
  it('are known to deletions: what was written, replaced and deleted a moment ago', async () => {
    await service.stop();
    service = await AzureSearchService.start({ apiKey: SECRET, visibleAfterMs: 300 });
    const collection = await storeWith({ visibleWithinMs: 2_000 }).open(SPEC);
    await collection.upsert([record('replaced', { source: 'old' }), record('kept', { source: 'old' })]);
    await collection.optimize();
    await collection.upsert([record('replaced', { source: 'new' }), record('fresh', { source: 'old' })]);
    expect(await collection.delete(eq('$source', 'old'))).toBe(2);
    expect(await collection.delete(eq('$source', 'old'))).toBe(0);
    await collection.optimize();
    const { chunks } = await collection.list({ filter: EVERYTHING, limit: 9 });
    expect(chunks.map(({ id, source }) => [id, source])).toEqual([['replaced', 'new']]);
  });

  it('optimize returns when they can be read', async () => {
    await service.stop();
    service = await AzureSearchService.start({ apiKey: SECRET, visibleAfterMs: 300 });
    const collection = await storeWith({ visibleWithinMs: 10_000 }).open(SPEC);
    await collection.upsert([record('a'), record('b')]);
    expect(await collection.count(EVERYTHING)).toBe(0);
    await collection.optimize();
    expect(await collection.count(EVERYTHING)).toBe(2);
    await collection.delete(eq('$chunkId', 'a'));
    // The service shows it still, and a search of this process does not.
    expect(service.documentsOf('ragstone-faults')).toHaveLength(2);
    const found = await collection.searchVector({ vector: record('q').vector, topK: 9, filter: EVERYTHING });
    expect(found.map(({ chunk }) => chunk.id)).toEqual(['b']);
    await collection.optimize();
    expect(await collection.count(EVERYTHING)).toBe(1);
  });
});

describe('an index that changed', () => {
  it('removed meanwhile is COLLECTION_NOT_FOUND', async () => {
    const collection = await storeWith().open(SPEC);
    await storeWith().drop('faults');
    await expect(collection.upsert([record('a')])).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
    await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
  });

  it('of somebody else is refused and not written', async () => {
    const { AzureKeyCredential, SearchIndexClient } = await import('@azure/search-documents');
    const client = new SearchIndexClient(service.url, new AzureKeyCredential(SECRET), {
      allowInsecureConnection: true,
    });
    await client.createIndex({
      name: 'ragstone-faults',
      fields: [{ name: 'id', type: 'Edm.String', key: true }],
    });
    await expect(storeWith().open(SPEC)).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
  });

  it('made by two processes at once is one', async () => {
    const opened = await Promise.all([storeWith().open(SPEC), storeWith().open(SPEC)]);
    expect(opened.map(({ spec }) => spec)).toEqual([SPEC, SPEC]);
    expect(service.indexNames).toEqual(['ragstone-faults']);
  });

  it('has the schema of the architecture that it follows', async () => {
    await storeWith().open(SPEC);
    const definition = service.definitionOf('ragstone-faults');
    expect(definition?.vectorSearch?.algorithms[0]?.hnswParameters).toEqual({
      m: 4,
      efConstruction: 400,
      efSearch: 500,
      metric: 'cosine',
    });
    expect(definition?.semantic?.configurations[0]).toEqual({
      name: 'knowledge-semantic-config',
      prioritizedFields: {
        titleField: { fieldName: 'documentName' },
        prioritizedContentFields: [{ fieldName: 'content' }],
        prioritizedKeywordsFields: [{ fieldName: 'tags' }],
      },
    });
    const names = definition?.fields.map(({ name }) => name) ?? [];
    for (const name of [
      'id tenantId documentId documentName documentType chunkIndex chunkCount content contentVector tags metadata',
      'createdAt updatedAt',
    ].flatMap((line) => line.split(' ')))
      expect(names).toContain(name);
  });
});

describe('what answers in the place of the service', () => {
  let answer: { status: number; body: string; type?: string };
  const stranger = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' });
    response.end(answer.body);
  });
  beforeEach(() => new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve)));
  afterEach(
    () =>
      new Promise<void>((resolve) => {
        stranger.closeAllConnections();
        stranger.close(() => {
          resolve();
        });
      }),
  );

  for (const [what, reply, reason] of [
    ['no right', { status: 401, body: '{}' }, 'CONFIG_INVALID'],
    [
      'a full service',
      { status: 400, body: '{"error":{"message":"The storage quota has been exceeded."}}' },
      'STORE_FULL',
    ],
    [
      'an old version',
      { status: 400, body: '{"error":{"message":"Invalid or unsupported api-version"}}' },
      'CONFIG_INVALID',
    ],
    ['a crash', { status: 500, body: 'oops' }, 'STORE_UNAVAILABLE'],
    ['a page', { status: 200, body: '<html></html>', type: 'text/html' }, 'STORE_UNAVAILABLE'],
    ['half an answer', { status: 200, body: '{"name": "abc' }, 'STORE_UNAVAILABLE'],
    ['an empty answer', { status: 200, body: '' }, 'STORE_UNAVAILABLE'],
  ] as const)
    it(`${what} is ${reason}`, async () => {
      answer = reply;
      const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
      const { runtime } = impatient();
      const error = await withRuntime(runtime, () => failureOf(storeWith({ url }).open(SPEC)));
      expect(error).toMatchObject({ reason });
      expect(shown(error)).not.toContain(SECRET);
    });
});

it('a service that is not there is STORE_UNAVAILABLE with its address and without the key', async () => {
  const { runtime } = impatient();
  const error = await withRuntime(runtime, () =>
    failureOf(storeWith({ url: 'http://127.0.0.1:1' }).open(SPEC)),
  );
  expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE', retryable: true });
  expect(String(error)).toContain('http://127.0.0.1:1');
  expect(shown(error)).not.toContain(SECRET);
});

it('options that no service could have are refused', () => {
  for (const wrong of [
    { url: 'search.windows.net' },
    { url: 'https://user:word@x.search.windows.net' },
    { url: 'https://x.search.windows.net', namespace: 'Upper' },
    { url: 'https://x.search.windows.net', timeoutMs: 0 },
    { url: 'https://x.search.windows.net', visibleWithinMs: 1.5 },
  ])
    expect(() => createAzureSearchStore(wrong)).toThrow(
      expect.objectContaining({ reason: 'CONFIG_INVALID' }),
    );
});
