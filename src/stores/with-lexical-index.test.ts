import { describe, expect, it } from 'vitest';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING, eq } from '../core/filter.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import { openForReading } from '../resources/open-collection.js';
import { createRetriever } from '../retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../retrieval/default-settings.js';
import { createMemoryStore } from './memory/memory-store.js';
import { scopeCollection } from './scoped-collection.js';
import { withoutText } from './test-without-text.js';
import type { VectorStore } from './vector-store.js';
import { withLexicalIndex } from './with-lexical-index.js';

const SPEC = { name: 'drift', dimensions: 2, fingerprint: 'f' };

const FACTS = {
  state: 'live',
  provider: 'memory',
  generation: 1,
  collection: SPEC.name,
  dimensions: SPEC.dimensions,
  fingerprint: SPEC.fingerprint,
  embedder: 'builtin',
} as const;

const record = (id: string) => ({
  id,
  documentId: 'd',
  tenant: 't',
  source: 's',
  access: { groups: ['*'], level: 0 },
  content: `content of ${id}`,
  searchText: 'alpha',
  identifiers: [],
  vector: Float32Array.of(1, 0),
  metadata: {},
});

describe('withLexicalIndex', () => {
  it('is searched for words while the store beside it is silent, and for all when that is back', async () => {
    const main = withoutText(createMemoryStore());
    let isDown = false;
    const silent = <T>(): Promise<T> => Promise.reject(new RAGError('STORE_UNAVAILABLE', 'down'));
    const store = withLexicalIndex(
      {
        ...main,
        open: (spec) => (isDown ? silent() : main.open(spec)),
        describe: (name) => (isDown ? silent() : main.describe(name)),
      },
      createMemoryStore(),
    );
    await (await store.open(SPEC)).upsert([record('a')]);
    isDown = true;
    const collection = await openForReading(FACTS, store);
    const search = () =>
      createRetriever({
        collection: scopeCollection(collection, { tenant: 't', groups: [], clearance: 0 }),
        capabilities: store.capabilities,
        embedQuery: async () => Float32Array.of(1, 0),
        modelKey: 'builtin',
        settings: DEFAULT_RETRIEVAL_SETTINGS,
      }).retrieve({ text: 'alpha', mode: 'hybrid', topK: 5, filter: EVERYTHING, minSimilarity: 0 });
    const during = await search();
    expect(during.candidates.map(({ chunk }) => chunk.id)).toEqual(['a']);
    expect(during.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
    expect(await collection.get(['a'])).toMatchObject([{ id: 'a', content: 'content of a' }]);
    // What checks whether the store answers asks for vectors.
    await expect(collection.get([''], { includeVectors: true })).rejects.toMatchObject({
      reason: 'STORE_UNAVAILABLE',
    });
    isDown = false;
    expect((await search()).lanes[0]).toMatchObject({ lane: 'dense', status: 'ran' });
  });

  it('reads what it shows in one store, of one revision, and vectors in the other', async () => {
    const main = createMemoryStore();
    const lexical = createMemoryStore();
    const both = await withLexicalIndex(main, lexical).open(SPEC);
    await both.upsert([record('a')]);
    // Between the two writes of a revision.
    await (await lexical.open({ ...SPEC, dimensions: 1, fingerprint: 'none: lexical index only' })).upsert([
      { ...record('a'), content: 'newer', vector: new Float32Array(1) },
    ]);
    const [word] = (await both.searchText?.({ terms: ['alpha'], topK: 1, filter: EVERYTHING })) ?? [];
    expect(word?.chunk).toEqual((await both.get(['a']))[0]);
    expect(word?.chunk.content).toBe('newer');
    expect(await both.get(['a'], { includeVectors: true })).toMatchObject([{ vector: record('a').vector }]);
  });

  it('says so in its statistics and in every explanation', async () => {
    const store = withLexicalIndex(withoutText(createMemoryStore()), createMemoryStore());
    const collection = await store.open(SPEC);
    await collection.upsert([{ ...record('a'), tenant: LOCAL_SCOPE.tenant }]);
    const said = 'a local memory index that the engine keeps beside the store';
    expect((await collection.stats()).textIndex).toContain(said);
    const { lanes } = await createRetriever({
      collection: scopeCollection(collection, LOCAL_SCOPE),
      capabilities: store.capabilities,
      embedQuery: async () => Float32Array.of(1, 0),
      modelKey: 'builtin',
      settings: DEFAULT_RETRIEVAL_SETTINGS,
    }).retrieve({
      text: 'alpha',
      mode: 'lexical',
      topK: 3,
      filter: EVERYTHING,
      minSimilarity: 0,
      rerank: false,
    });
    expect(lanes.find(({ lane }) => lane === 'lexical')).toMatchObject({
      status: 'ran',
      reason: `By ${said}.`,
    });
  });

  it('shows a chunk that the lexical index lacks as missing, and one that the store lacks without content', async () => {
    const main = createMemoryStore();
    const lexical = createMemoryStore();
    const collection = await withLexicalIndex(main, lexical).open(SPEC);
    await collection.upsert(['a', 'b', 'c'].map(record));
    await (await lexical.open({ ...SPEC, dimensions: 1, fingerprint: 'none: lexical index only' })).delete(
      eq('$chunkId', 'a'),
    );
    await (await main.open(SPEC)).delete(eq('$chunkId', 'b'));
    const { chunks } = await collection.list({ filter: EVERYTHING, limit: 10 });
    expect(chunks.map(({ id, content }) => [id, content])).toEqual([
      ['b', ''],
      ['c', 'content of c'],
    ]);
  });

  describe('over a store that keeps words', () => {
    const WRITTEN = ['a', 'b', 'c', 'd'].map(record);

    /** A store with a collection of an earlier version; gives its words a chunk at a time, and fails at the one with this number. */
    async function keepingWords(failAt = WRITTEN.length + 1): Promise<VectorStore> {
      const main = withoutText(createMemoryStore());
      await (await main.open(SPEC)).upsert(WRITTEN);
      return {
        ...main,
        writtenWords: async function* () {
          for (const [i, { searchText, vector: _, ...chunk }] of WRITTEN.entries()) {
            if (i === failAt) throw new RAGError('STORE_UNAVAILABLE', 'gone');
            yield [{ chunk, searchText }];
          }
        },
      };
    }

    const found = async (store: VectorStore) =>
      (await (await store.open(SPEC)).searchText?.({ terms: ['alpha'], topK: 9, filter: EVERYTHING }))?.map(
        ({ chunk }) => chunk.id,
      );

    it('copies those of a collection that the index lacks, once', async () => {
      const lexical = createMemoryStore();
      let works = 0;
      const store = withLexicalIndex(await keepingWords(), lexical, (work) => {
        works++;
        return work();
      });
      expect(await store.describe('drift')).toEqual(SPEC);
      expect(await found(store)).toEqual(['a', 'b', 'c', 'd']);
      expect(await found(store)).toEqual(['a', 'b', 'c', 'd']);
      expect(works).toBe(1);
      await lexical.drop('drift');
      expect(await found(store)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('begins again where a copy was not finished, and finds nothing in a part of it', async () => {
      const lexical = createMemoryStore();
      const dying = withLexicalIndex(await keepingWords(2), lexical);
      await expect(dying.open(SPEC)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      await expect(openForReading(FACTS, dying)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      const main = await keepingWords();
      await (
        await lexical.open({ name: 'drift', dimensions: 1, fingerprint: 'none: lexical index only' })
      ).upsert([{ ...record('stale'), vector: new Float32Array(1) }]);
      expect(await found(withLexicalIndex(main, lexical))).toEqual(['a', 'b', 'c', 'd']);
    });

    it('copies nothing where the store has no such collection', async () => {
      const store = withLexicalIndex(
        { ...withoutText(createMemoryStore()), writtenWords: () => expect.fail('nothing is there') },
        createMemoryStore(),
      );
      expect(await store.describe('drift')).toBeUndefined();
      expect(await found(store)).toEqual([]);
    });
  });

  it('is damaged where either part lacks the collection', async () => {
    const lexical = createMemoryStore();
    const store = withLexicalIndex(createMemoryStore(), lexical);
    await store.open(SPEC);
    expect(await store.describe('drift')).toEqual(SPEC);
    await lexical.drop('drift');
    expect(await store.describe('drift')).toBeUndefined();
  });
});
