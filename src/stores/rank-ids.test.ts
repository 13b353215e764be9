import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { and, EVERYTHING, eq, type Filter, not, oneOf } from '../core/filter.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import { randomVector, record, seededRandom } from '../testing/vector-store/records.js';
import { createLanceDbStore } from './lancedb/lancedb-store.js';
import { createLibsqlStore } from './libsql/libsql-store.js';
import { createMemoryStore } from './memory/memory-store.js';
import { scopeCollection } from './scoped-collection.js';
import type { ScoredId, VectorCollection, VectorStore } from './vector-store.js';

const SPEC = { name: 'ranked', dimensions: 8, fingerprint: 'm' };
/** Enough for LanceDB to lay its vectors out in an index. */
const ROWS = 1_500;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-rank-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const FILTERS: readonly Filter[] = [EVERYTHING, oneOf('$documentId', ['d1', 'd2']), not(eq('n', 3))];

async function fill(collection: VectorCollection): Promise<void> {
  const random = seededRandom(11);
  const records = Array.from({ length: ROWS }, (_, i) =>
    record(`r${i}`, {
      tenant: LOCAL_SCOPE.tenant,
      documentId: `d${i % 7}`,
      searchText: `common word${i % 5} word${i % 11}`,
      // Every fourth vector is that of the record before, so that there are ties.
      vector: i % 4 === 3 ? TWIN : randomVector(random, SPEC.dimensions),
      metadata: { n: i % 10 },
    }),
  );
  await collection.upsert(records);
  await collection.optimize();
  // What is not in the indexes yet, and what is only in them.
  await collection.upsert([
    record('fresh', { tenant: LOCAL_SCOPE.tenant, searchText: 'common word1', vector: TWIN }),
  ]);
  await collection.delete(oneOf('$chunkId', ['r3', 'r10', 'r11']));
}

const TWIN = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);

const rounded = (hits: readonly ScoredId[] | undefined) =>
  hits?.map(({ id, score }) => [id, Number(score.toFixed(5))]);

describe.each<[string, (path: string) => VectorStore]>([
  ['lancedb', (path) => createLanceDbStore({ path })],
  ['libsql', (path) => createLibsqlStore({ path: join(path, 'store.db') })],
])('ids without records in %s', (_name, create) => {
  it('are those of the whole search, and of exact search, in order, through a scope too', async () => {
    const store = create(folder);
    const oracle = await createMemoryStore().open(SPEC);
    const whole = await store.open(SPEC);
    await fill(whole);
    await fill(oracle);
    const scoped = scopeCollection(whole, LOCAL_SCOPE);
    const random = seededRandom(5);
    for (const filter of FILTERS) {
      const vector = { vector: randomVector(random, SPEC.dimensions), topK: 40, filter };
      const near = (await oracle.searchVector(vector)).map(({ chunk, score }) => ({ id: chunk.id, score }));
      expect(rounded(await whole.rankVector?.(vector))).toEqual(rounded(near));
      expect((await whole.searchVector(vector)).map(({ chunk }) => chunk.id)).toEqual(
        near.map(({ id }) => id),
      );
      expect(await scoped.rankVector?.(vector)).toEqual(await whole.rankVector?.(vector));
      const twins = { ...vector, vector: TWIN };
      const tied = await oracle.searchVector(twins);
      expect((await whole.rankVector?.(twins))?.map(({ id }) => id)).toEqual(
        tied.map(({ chunk }) => chunk.id),
      );
      const text = { terms: ['common', 'word1'], topK: 25, filter };
      const words = await whole.searchText?.(text);
      expect(await whole.rankText?.(text)).toEqual(
        words?.map(({ chunk, score }) => ({ id: chunk.id, score })),
      );
      // LanceDB's words are searched in an index beside it.
      if (whole.searchText !== undefined) expect(words).toHaveLength(25);
    }
    await store.close();
  });

  it('never leave the scope', async () => {
    const store = create(folder);
    const whole = await store.open(SPEC);
    await whole.upsert([
      record('mine', { tenant: 'default', vector: TWIN, searchText: 'word' }),
      record('theirs', { tenant: 'other', vector: TWIN, searchText: 'word' }),
    ]);
    const scoped = scopeCollection(whole, LOCAL_SCOPE);
    const near = await scoped.rankVector?.({ vector: TWIN, topK: 9, filter: EVERYTHING });
    const words = await scoped.rankText?.({ terms: ['word'], topK: 9, filter: EVERYTHING });
    for (const hits of whole.searchText === undefined ? [near] : [near, words])
      expect(hits?.map(({ id }) => id)).toEqual(['mine']);
    await store.close();
  });

  it('name records that are read in the asked order, also after the collection has changed', async () => {
    const store = create(folder);
    const collection = await store.open(SPEC);
    await fill(collection);
    const query = { vector: TWIN, topK: 30, filter: and(not(eq('n', 1))) };
    const ids = (await collection.rankVector?.(query))?.map(({ id }) => id).reverse() ?? [];
    expect((await collection.get(ids)).map(({ id }) => id)).toEqual(ids);
    const [first = '', ...others] = ids;
    await collection.delete(eq('$chunkId', first));
    expect((await collection.get(ids)).map(({ id }) => id)).toEqual(others);
    expect((await collection.get([...others, 'fresh', 'nobody'])).map(({ id }) => id)).toContain('fresh');
    await store.close();
  });
});
