import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_ACCOUNT } from '../../../tests/fakes/services/vertex-search/test-account.js';
import { VertexSearchService } from '../../../tests/fakes/services/vertex-search/vertex-search-service.js';
import { EVERYTHING, eq, range } from '../../core/filter.js';
import { SYSTEM_RUNTIME, withRuntime } from '../../core/runtime.js';
import { record } from '../../testing/vector-store/records.js';
import type { VectorStore } from '../vector-store.js';
import type { VertexSearchStoreOptions } from './vertex-options.js';
import { createVertexSearchStore } from './vertex-search-store.js';

const SPEC = { name: 'faults', dimensions: 8, fingerprint: 'm' };

let service: VertexSearchService;
let stores: VectorStore[];
beforeEach(async () => {
  service = await VertexSearchService.start();
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await service.stop();
});

function storeWith(options: Partial<VertexSearchStoreOptions> = {}): VectorStore {
  const store = createVertexSearchStore({
    project: 'test-project',
    url: service.url,
    account: TEST_ACCOUNT,
    visibleWithinMs: 2_000,
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

/** The machine's, but short pauses are not waited for; it tells how long they would have been. */
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
  it('that the service does not take are CONFIG_INVALID, and never shown', async () => {
    const account = { ...TEST_ACCOUNT, clientEmail: 'stranger@test.iam.gserviceaccount.com' };
    const error = await failureOf(storeWith({ account }).open(SPEC));
    expect(error).toMatchObject({ reason: 'CONFIG_INVALID', details: { status: 401 } });
    expect(String(error)).toContain('GOOGLE_APPLICATION_CREDENTIALS');
    expect(shown(error)).not.toMatch(/PRIVATE KEY|Bearer/);
  });

  it('that are no key are CONFIG_INVALID, and never shown', async () => {
    const account = { ...TEST_ACCOUNT, privateKey: 'n0-k3y' };
    const error = await failureOf(storeWith({ account }).open(SPEC));
    expect(error).toMatchObject({ reason: 'CONFIG_INVALID' });
    expect(shown(error)).not.toContain('n0-k3y');
  });
});

describe('a service that is busy', () => {
  for (const status of [429, 503])
    it(`status ${status} is waited out as long as it asks, then the call succeeds`, async () => {
      const collection = await storeWith().open(SPEC);
      service.faults = [{ status, retryAfter: 2 }, { status }];
      const { pauses, runtime } = impatient();
      expect(await withRuntime(runtime, () => collection.count(EVERYTHING))).toBe(0);
      expect(pauses).toHaveLength(2);
      expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    });

  it('that stays busy is STORE_UNAVAILABLE', async () => {
    const collection = await storeWith().open(SPEC);
    service.faults = Array.from({ length: 9 }, () => ({ status: 503 }));
    service.requests.length = 0;
    const { runtime } = impatient();
    const error = await withRuntime(runtime, () => failureOf(collection.count(EVERYTHING)));
    expect(error).toMatchObject({ reason: 'STORE_UNAVAILABLE', retryable: true });
    expect(service.requests).toHaveLength(4);
  });
});

describe('an import of which a part fails', () => {
  it('is sent again where that may help', async () => {
    const collection = await storeWith().open(SPEC);
    service.faults = [{ failing: 2 }];
    await collection.upsert(['a', 'b', 'c'].map((id) => record(id)));
    expect(await collection.count(EVERYTHING)).toBe(3);
  });

  it('has at most 100 documents', async () => {
    const collection = await storeWith().open(SPEC);
    service.requests.length = 0;
    await collection.upsert(Array.from({ length: 101 }, (_, i) => record(`r${i}`)));
    expect(service.requests.filter((request) => request.endsWith(':import'))).toHaveLength(2);
    await expect(
      collection.upsert([record('big', { content: 'x'.repeat(9_100_000) })]),
    ).rejects.toMatchObject({ reason: 'STORE_INVALID_RECORD' });
  });
});

describe('writes that searches do not show yet', () => {
  it('are known to deletions and counts at once, and shown no more by the searches of who deleted them', async () => {
    await service.stop();
    service = await VertexSearchService.start({ visibleAfterMs: Infinity });
    const collection = await storeWith({ visibleWithinMs: 3_600_000 }).open(SPEC);
    await collection.upsert([record('a', { source: 'old' }), record('b', { source: 'new' })]);
    const search = () => collection.searchVector({ vector: record('q').vector, topK: 9, filter: EVERYTHING });
    expect(await search()).toEqual([]);
    expect(await collection.count(EVERYTHING)).toBe(2);
    const optimizing = collection.optimize();
    service.showWrites();
    await optimizing;
    expect(await search()).toHaveLength(2);
    expect(await collection.delete(eq('$source', 'old'))).toBe(1);
    expect((await search()).map(({ chunk }) => chunk.id)).toEqual(['b']);
  });
});

describe('a search', () => {
  it('asks for pages until nothing can change the result, and compares everything where pages do not suffice', async () => {
    const collection = await storeWith().open(SPEC);
    // The service knows of the range only that there is a number.
    await collection.upsert(
      Array.from({ length: 2_150 }, (_, i) => record(`r${String(i).padStart(4, '0')}`, { metadata: { i } })),
    );
    await collection.optimize();
    service.searches.length = 0;
    const query = { vector: record('q').vector, topK: 2, filter: range('i', { gte: 2_148 }) };
    const found = await collection.searchVector(query);
    expect(found.map(({ chunk }) => chunk.id)).toEqual(['r2148', 'r2149']);
    expect(service.searches.length).toBeGreaterThanOrEqual(20);
  });
});

describe('a data store that changed', () => {
  it('removed meanwhile is COLLECTION_NOT_FOUND', async () => {
    const collection = await storeWith().open(SPEC);
    await storeWith().drop('faults');
    await expect(collection.upsert([record('a')])).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
    await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
  });

  it('of somebody else is refused and not written', async () => {
    await storeWith().open(SPEC);
    service.rename('ragstone-faults', 'Our wiki');
    await expect(storeWith().open(SPEC)).rejects.toMatchObject({ reason: 'STORE_DAMAGED' });
  });

  it('made by two processes at once is one', async () => {
    const opened = await Promise.all([storeWith().open(SPEC), storeWith().open(SPEC)]);
    expect(opened.map(({ spec }) => spec)).toEqual([SPEC, SPEC]);
    expect([...service.dataStores.keys()]).toEqual(['ragstone-faults']);
  });

  it('whose making was interrupted anywhere is completed, for the same model alone', async () => {
    for (const failing of [2, 3, 4, 5, 6, 7]) {
      // A status that is not tried again, at each request from the one that follows the making of the data store.
      service.faults = [...Array.from({ length: failing }, () => ({ failing: 0 })), { status: 400 }];
      await expect(storeWith().open(SPEC)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      service.faults = [];
      await expect(storeWith().open({ ...SPEC, fingerprint: 'other' })).rejects.toMatchObject({
        reason: 'STORE_FINGERPRINT_MISMATCH',
      });
      const collection = await storeWith().open(SPEC);
      expect(collection.spec).toEqual(SPEC);
      await collection.upsert([record('a')]);
      expect(await collection.count(EVERYTHING)).toBe(1);
      await storeWith().drop('faults');
      expect([service.dataStores.size, service.engines.size]).toEqual([0, 0]);
    }
  });
});

it('vectors that the service does not keep are refused before anything is made', async () => {
  await expect(storeWith().open({ ...SPEC, dimensions: 769 })).rejects.toMatchObject({
    reason: 'STORE_DIMENSION_MISMATCH',
  });
  expect(service.dataStores.size).toBe(0);
});

it('options that no service could have are refused', () => {
  const fine = { project: 'my-project' };
  for (const wrong of [
    { project: 'No Project' },
    { ...fine, location: 'mars' },
    { ...fine, url: 'https://user:word@discoveryengine.googleapis.com' },
    { ...fine, url: 'https://discoveryengine.googleapis.com/v1' },
    { ...fine, namespace: 'Upper' },
    { ...fine, timeoutMs: 0 },
    { ...fine, visibleWithinMs: 1.5 },
  ])
    expect(() => createVertexSearchStore(wrong)).toThrow(
      expect.objectContaining({ reason: 'CONFIG_INVALID' }),
    );
});
