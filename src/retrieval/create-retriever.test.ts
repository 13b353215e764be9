import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { definitionKeys, extractIdentifiers } from '../core/analysis/identifiers.js';
import { analyzeText, MAX_QUERY_LENGTH } from '../core/analysis/lexical-analyzer.js';
import type { ChunkRecord } from '../core/chunk.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING, eq } from '../core/filter.js';
import type { Reranker } from '../reranking/reranker.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { createRetriever } from './create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from './default-settings.js';
import type { RetrievalRequest, RetrievalResult } from './retriever.js';
import type { RetrieverOptions } from './retriever-options.js';
import { idsOf, sumOf } from './test-candidates.js';

/** A small bag-of-words embedding: each known word has its own axis. */
const AXES = ['index', 'search', 'vector', 'token', 'lock', 'crash', 'disk', 'memory'];
function embed(text: string): Float32Array {
  const vector = new Float32Array(AXES.length);
  for (const term of analyzeText(text)) {
    const axis = AXES.findIndex((word) => analyzeText(word)[0] === term);
    if (axis >= 0) vector[axis] = 1;
  }
  const norm = Math.hypot(...vector);
  return norm === 0 ? vector : vector.map((component) => component / norm);
}

const TEXTS = {
  a: 'The index is built from tokens on disk.',
  b: 'Search compares a query vector with each vector in memory.',
  c: 'A crash leaves the lock behind; PPR-9087 explains how it is taken over.',
  d: 'The lock is held while the index is written to disk.',
  e: 'the LOCK is held, while the index is written to disk',
  f: 'getUserById returns the holder of the lock.',
};

const record = ([id, content]: readonly [string, string]): ChunkRecord => ({
  id,
  documentId: id,
  tenant: 'default',
  source: id < 'd' ? 'docs' : 'wiki',
  access: { groups: ['*'], level: 0 },
  content,
  searchText: analyzeText(content).join(' '),
  identifiers: extractIdentifiers(content),
  vector: embed(content),
  metadata: { updatedAt: id === 'a' ? '2026-11-01T00:00:00.000Z' : '2016-11-01T00:00:00.000Z' },
});

async function setUp(changes: Partial<RetrieverOptions> = {}, wrap = (c: VectorCollection) => c) {
  const store = createMemoryStore();
  const collection = await store.open({ name: 'c', dimensions: AXES.length, fingerprint: 'f' });
  await collection.upsert(Object.entries(TEXTS).map(record));
  return createRetriever({
    collection: wrap(collection),
    capabilities: store.capabilities,
    embedQuery: async (text) => embed(text),
    modelKey: 'test',
    settings: DEFAULT_RETRIEVAL_SETTINGS,
    now: () => Date.parse('2026-11-02T00:00:00.000Z'),
    ...changes,
  });
}

const request = (text: string, changes: Partial<RetrievalRequest> = {}): RetrievalRequest => ({
  text,
  mode: 'hybrid',
  topK: 10,
  filter: EVERYTHING,
  minSimilarity: 0,
  rerank: false,
  ...changes,
});

const statuses = ({ lanes }: RetrievalResult) =>
  Object.fromEntries(lanes.map(({ lane, status }) => [lane, status]));

/** The collection with some of its members replaced, its own methods kept. */
const replaced =
  (members: { readonly [Name in keyof VectorCollection]?: VectorCollection[Name] | undefined }) =>
  (collection: VectorCollection): VectorCollection =>
    new Proxy(collection, {
      get(target, key) {
        const value: unknown = Reflect.get(Object.hasOwn(members, key) ? members : target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

const unavailable = () => Promise.reject(new RAGError('STORE_UNAVAILABLE', 'The store is down.'));

describe('a result', () => {
  it('is ordered by its scores, which the explanation sums up to', async () => {
    const retriever = await setUp();
    const words = fc.constantFrom(...AXES, 'PPR-9087', 'getUserById', 'holder', 'the', 'nothing');
    const texts = fc.array(words, { minLength: 1, maxLength: 5 }).map((list) => list.join(' '));
    const modes = fc.constantFrom('hybrid' as const, 'dense' as const, 'lexical' as const);
    const diversity = fc.record(
      {
        nearDuplicateThreshold: fc.constantFrom(0.5, 1),
        mmrLambda: fc.constantFrom(0.3, 0.9),
        recencyHalfLifeDays: fc.constantFrom(0, 30),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(texts, modes, diversity, async (text, mode, options) => {
        const { candidates } = await retriever.retrieve(request(text, { mode, ...options }));
        expect(new Set(idsOf(candidates)).size).toBe(candidates.length);
        const byScore = candidates.toSorted((a, b) => b.score - a.score);
        candidates.forEach(({ score, movedBy, explanation }, i) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          if (options.mmrLambda === undefined) expect(movedBy).toBeUndefined();
          expect(score === byScore[i]?.score).toBe(movedBy === undefined);
          expect(Math.abs(sumOf(explanation) - score)).toBeLessThan(1e-9);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('says which lanes ran', async () => {
    const retriever = await setUp();
    const result = await retriever.retrieve(request('who holds the lock'));
    expect(statuses(result)).toEqual({
      dense: 'ran',
      lexical: 'ran',
      identifier: 'off',
      expansion: 'off',
      rerank: 'off',
    });
    expect(result.lanes.map(({ weight = 0 }) => weight).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    expect(result.degradationLevel).toBe(DegradationLevel.FULL_RAG);
    expect(result.candidates[0]?.explanation).toMatchObject({
      semanticScore: expect.any(Number),
      keywordScore: expect.any(Number),
    });
  });

  it('holds only what the filter admits', async () => {
    const { candidates } = await (await setUp()).retrieve(
      request('lock index', { filter: eq('$source', 'wiki') }),
    );
    expect(idsOf(candidates).toSorted()).toEqual(['d', 'e', 'f']);
  });

  it('gives as many as asked for, up to what the store allows', async () => {
    const retriever = await setUp();
    expect((await retriever.retrieve(request('lock', { topK: 2 }))).candidates).toHaveLength(2);
    for (const topK of [0, 1.5, 10_001, Number.NaN])
      await expect(retriever.retrieve(request('lock', { topK }))).rejects.toMatchObject({
        reason: 'QUERY_INVALID',
      });
  });
});

describe('modes', () => {
  it('lexical never embeds', async () => {
    const embedQuery = vi.fn(async () => embed(''));
    const result = await (await setUp({ embedQuery })).retrieve(request('lock', { mode: 'lexical' }));
    expect(embedQuery).not.toHaveBeenCalled();
    expect(statuses(result)).toMatchObject({ dense: 'off', lexical: 'ran' });
    expect(result.degradationLevel).toBe(DegradationLevel.FULL_RAG);
  });

  it('dense finds by meaning alone', async () => {
    const result = await (await setUp()).retrieve(request('lock', { mode: 'dense', topK: 3 }));
    expect(statuses(result)).toMatchObject({ dense: 'ran', lexical: 'off', identifier: 'off' });
  });

  it('weights of 1 and 0 give the order of one lane', async () => {
    const only = (dense: number) => ({
      settings: {
        ...DEFAULT_RETRIEVAL_SETTINGS,
        fusion: { ...DEFAULT_RETRIEVAL_SETTINGS.fusion, weights: { dense, lexical: 1 - dense } },
      },
    });
    for (const [weight, mode] of [
      [1, 'dense'],
      [0, 'lexical'],
    ] as const) {
      const fused = await (await setUp(only(weight))).retrieve(request('vector search memory'));
      const single = await (await setUp()).retrieve(request('vector search memory', { mode, topK: 1 }));
      expect(idsOf(fused.candidates).slice(0, 1)).toEqual(idsOf(single.candidates));
    }
  });
});

describe('identifiers', () => {
  it.each([
    ['what does PPR-9087 say about the index on disk and memory', 'c'],
    ['ppr-9087', 'c'],
    ['getUserById', 'f'],
  ])('%s: the exact hit comes first', async (text, id) => {
    const { candidates, lanes } = await (await setUp()).retrieve(request(text));
    expect(candidates[0]?.chunk.id).toBe(id);
    expect(lanes.find(({ lane }) => lane === 'identifier')).toMatchObject({ status: 'ran', candidates: 1 });
  });
});

describe('a name that is defined in source code', () => {
  const code = (id: string, content: string, facts: { symbols: string[]; source: string }): ChunkRecord => ({
    ...record([id, content]),
    identifiers: [...extractIdentifiers(content), ...definitionKeys(facts.symbols)],
    metadata: { ...record([id, content]).metadata, ...facts },
  });
  const CODE = [
    code('user1', 'openLock(lock); openLock(index); openLock(disk)', { symbols: ['main'], source: 'a.ts' }),
    code('test1', 'const openLock = () => lock', { symbols: ['openLock'], source: 'lock.test.ts' }),
    code('member', 'class Door { openLock() {} }', { symbols: ['Door', 'Door.openLock'], source: 'door.ts' }),
    code('home', 'export function openLock(path) { return path }', {
      symbols: ['openLock'],
      source: 'lock.ts',
    }),
    code('class', 'export class Lock { held = memory }', {
      symbols: ['Lock', 'Lock.held'],
      source: 'lock.ts',
    }),
  ];
  const search = async (text: string, more: readonly ChunkRecord[] = []): Promise<RetrievalResult> => {
    const retriever = await setUp({}, (collection) => {
      void collection.upsert([...CODE, ...more]);
      return collection;
    });
    return retriever.retrieve(request(text));
  };
  const firstOf = async (text: string, more?: readonly ChunkRecord[]): Promise<string[]> =>
    idsOf((await search(text, more)).candidates);

  it('is found before what uses it: its module first, then members, tests last', async () => {
    const ids = await firstOf('openLock');
    expect(ids.slice(0, 4)).toEqual(['home', 'test1', 'member', 'user1']);
  });

  it('is found in more passages than can tell it apart', async () => {
    const users = Array.from({ length: 60 }, (_, i) =>
      code(`user-${i}`, `openLock openLock openLock ${i}`, { symbols: [], source: 'use.ts' }),
    );
    expect((await firstOf('where is openLock', users))[0]).toBe('home');
  });

  it('may be a plain word where it is written as the definition is, and a member never', async () => {
    expect((await firstOf('Lock'))[0]).toBe('class');
    for (const text of ['lock', 'held']) {
      const { lanes } = await search(text);
      expect(lanes.find(({ lane }) => lane === 'identifier')).toMatchObject({ candidates: 0 });
    }
  });
});

describe('queries of every kind', () => {
  it.each(['', '   ', '\n\t'])('refuses the empty query %j', async (text) => {
    await expect((await setUp()).retrieve(request(text))).rejects.toMatchObject({ reason: 'QUERY_EMPTY' });
  });

  it('cuts a query of 100 kB and says so', async () => {
    const { notices, candidates } = await (await setUp()).retrieve(request('lock '.repeat(20_000)));
    expect(notices).toEqual([{ kind: 'query-cut', text: expect.stringContaining(String(MAX_QUERY_LENGTH)) }]);
    expect(candidates.length).toBeGreaterThan(0);
  });

  it('answers a query of stop words by its meaning, if it has one', async () => {
    const result = await (await setUp()).retrieve(request('what is the'));
    expect(result.candidates).toEqual([]);
    expect(statuses(result)).toMatchObject({ dense: 'empty', lexical: 'empty' });
    expect(result.lanes.every(({ status, reason }) => status === 'ran' || reason !== undefined)).toBe(true);
  });

  it.each([
    "'; DROP TABLE chunks; -- lock",
    '{"$ne": null} lock',
    'lock AND (NOT *',
    '\u0000 lock',
    '$tenant:x lock',
  ])('takes %j for text', async (text) => {
    const { candidates } = await (await setUp()).retrieve(request(text));
    expect(idsOf(candidates)).toContain('d');
  });
});

describe('diversity', () => {
  it('leaves near-duplicates out only when asked, and reports them', async () => {
    const retriever = await setUp();
    const text = 'lock held while the index is written to disk';
    expect(idsOf((await retriever.retrieve(request(text))).candidates)).toContain('e');
    const { candidates, removed } = await retriever.retrieve(request(text, { nearDuplicateThreshold: 0.85 }));
    expect(idsOf(candidates)).not.toContain('e');
    expect(removed).toEqual([{ id: 'e', step: 'near-duplicate', detail: 'of d' }]);
  });

  it('prefers the newer of two passages when asked', async () => {
    const text = 'index disk';
    const retriever = await setUp();
    const plain = await retriever.retrieve(request(text));
    const recent = await retriever.retrieve(request(text, { recencyHalfLifeDays: 10 }));
    expect(idsOf(recent.candidates)[0]).toBe('a');
    expect(idsOf(recent.candidates).toSorted()).toEqual(idsOf(plain.candidates).toSorted());
  });

  it('leaves nothing out for its age: the threshold is of how well a passage matches', async () => {
    const retriever = await setUp();
    const plain = await retriever.retrieve(request('index disk'));
    const minSimilarity = plain.candidates.at(-1)?.score ?? 0;
    expect(minSimilarity).toBeGreaterThan(0);
    const recent = await retriever.retrieve(request('index disk', { recencyHalfLifeDays: 1, minSimilarity }));
    expect(idsOf(recent.candidates).toSorted()).toEqual(idsOf(plain.candidates).toSorted());
    expect(recent.candidates.at(-1)?.score).toBeLessThan(minSimilarity);
  });

  it('tells the scores of what the threshold took', async () => {
    const retriever = await setUp();
    const all = await retriever.retrieve(request('memory'));
    const result = await retriever.retrieve(request('memory', { minSimilarity: 1 }));
    expect(result.candidates).toEqual([]);
    expect(result.removed.map(({ step, score }) => [step, score])).toEqual(
      all.candidates.map(({ score }) => ['threshold', score]),
    );
  });
});

describe('when something fails', () => {
  it.each([
    ['the embedder', { embedQuery: unavailable }, {}],
    ['vector search', {}, { searchVector: unavailable }],
  ])('%s: words answer', async (_name, options, members) => {
    for (const mode of ['hybrid', 'dense'] as const) {
      const result = await (await setUp(options, replaced(members))).retrieve(request('lock', { mode }));
      expect(idsOf(result.candidates)).toContain('d');
      expect(result.degradationLevel).toBe(DegradationLevel.KEYWORD_ONLY);
      expect(statuses(result)).toMatchObject({ dense: 'failed', lexical: 'ran' });
      expect(result.notices).toEqual([
        { kind: 'search-degraded', text: expect.stringContaining('The store is down.') },
      ]);
    }
  });

  it('none, where the query leaves out all that was found', async () => {
    const reranker: Reranker = {
      name: 'test',
      maxCandidates: 10,
      doRerank: async (_query, candidates) => candidates.map((_, index) => ({ index, score: 0.5 })),
      close: async () => {},
    };
    const retriever = await setUp({ loadReranker: async () => reranker });
    const { candidates, degradationLevel } = await retriever.retrieve(
      request('"the lock" -held -disk -crash -holder'),
    );
    expect(candidates).toEqual([]);
    expect(degradationLevel).toBe(DegradationLevel.FULL_RAG);
  });

  it('text search: meaning answers, and the answer counts as degraded', async () => {
    const result = await (await setUp({}, replaced({ searchText: unavailable }))).retrieve(
      request('lock PPR-9087'),
    );
    expect(statuses(result)).toMatchObject({ dense: 'ran', lexical: 'failed', identifier: 'failed' });
    expect(result.degradationLevel).toBe(DegradationLevel.NO_RERANKING);
    expect(result.candidates.length).toBeGreaterThan(0);
  });

  it('everything: SEARCH_FAILED with the cause', async () => {
    const retriever = await setUp({ embedQuery: unavailable }, replaced({ searchText: unavailable }));
    const failure = retriever.retrieve(request('lock'));
    await expect(failure).rejects.toMatchObject({
      reason: 'SEARCH_FAILED',
      cause: { reason: 'STORE_UNAVAILABLE' },
    });
    const lexical = (await setUp({}, replaced({ searchText: unavailable }))).retrieve(
      request('lock', { mode: 'lexical' }),
    );
    await expect(lexical).rejects.toMatchObject({ reason: 'SEARCH_FAILED' });
  });

  it('a store without text search: reported, meaning answers', async () => {
    const without = { ...createMemoryStore().capabilities, lexical: 'none' as const };
    const retriever = await setUp({ capabilities: without }, replaced({ searchText: undefined }));
    const result = await retriever.retrieve(request('lock PPR-9087'));
    expect(statuses(result)).toMatchObject({ dense: 'ran', lexical: 'off', identifier: 'ran' });
    expect(result.candidates[0]?.chunk.id).toBe('c');
  });

  it('a cancelled search throws ABORTED, before and during', async () => {
    const aborted = AbortSignal.abort();
    await expect((await setUp()).retrieve(request('lock', { signal: aborted }))).rejects.toMatchObject({
      reason: 'ABORTED',
    });
    const controller = new AbortController();
    const embedQuery = async () => {
      controller.abort();
      throw new Error('stopped');
    };
    const during = (await setUp({ embedQuery })).retrieve(request('lock', { signal: controller.signal }));
    await expect(during).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('reranking', () => {
  const reranker = (doRerank: Reranker['doRerank'], maxCandidates = 10): Reranker => ({
    name: 'test',
    maxCandidates,
    doRerank,
    close: async () => {},
  });
  const reversing = reranker(async (_query, texts) =>
    texts.map((_, index) => ({ index, score: (index + 1) / texts.length })),
  );
  const asked = request('index disk lock', { rerank: true });

  it('orders by the reranker and explains what it changed', async () => {
    const plain = idsOf((await (await setUp()).retrieve(request('index disk lock'))).candidates);
    const result = await (await setUp({ loadReranker: async () => reversing })).retrieve(asked);
    expect(idsOf(result.candidates)).toEqual(plain.toReversed());
    expect(result.candidates[0]?.explanation).toMatchObject({ rerankScore: 1 });
    for (const { explanation } of result.candidates)
      expect(explanation.contributions.map(({ signal }) => signal)).toContain('rerank');
    expect(result.degradationLevel).toBe(DegradationLevel.FULL_RAG);
    for (const { score, explanation } of result.candidates) expect(sumOf(explanation)).toBeCloseTo(score, 9);
  });

  it('leaves those beyond its cap behind, in their order', async () => {
    const plain = idsOf((await (await setUp()).retrieve(request('index disk lock'))).candidates);
    const capped = await (
      await setUp({ loadReranker: async () => ({ ...reversing, maxCandidates: 2 }) })
    ).retrieve(asked);
    expect(idsOf(capped.candidates)).toEqual([plain[1], plain[0], ...plain.slice(2)]);
  });

  it('cannot put anything above an exact identifier hit', async () => {
    const result = await (await setUp({ loadReranker: async () => reversing })).retrieve(
      request('PPR-9087 index disk', { rerank: true }),
    );
    expect(result.candidates[0]?.chunk.id).toBe('c');
  });

  it.each<[string, Reranker | undefined, string]>([
    ['missing', undefined, 'off'],
    ['failing', reranker(() => Promise.reject(new Error('no'))), 'failed'],
    ['late', reranker(() => new Promise(() => undefined)), 'failed'],
    ['inventing positions', reranker(async () => [{ index: 99, score: 1 }]), 'failed'],
    [
      'repeating a position',
      reranker(async (_q, texts) => texts.map(() => ({ index: 0, score: 1 }))),
      'failed',
    ],
    [
      'giving no number',
      reranker(async (_q, texts) => texts.map((_, index) => ({ index, score: Number.NaN }))),
      'failed',
    ],
  ])('%s: the order stays, and the answer says so', async (_name, broken, status) => {
    const plain = await (await setUp()).retrieve(request('index disk lock'));
    const settings = {
      ...DEFAULT_RETRIEVAL_SETTINGS,
      rerank: { enabled: true, maxCandidates: 10, deadlineMs: 20 },
    };
    const retriever = await setUp({
      settings,
      ...(broken === undefined ? {} : { loadReranker: async () => broken }),
    });
    const result = await retriever.retrieve(asked);
    expect(idsOf(result.candidates)).toEqual(idsOf(plain.candidates));
    expect(statuses(result).rerank).toBe(status);
    expect(result.degradationLevel).toBe(DegradationLevel.NO_RERANKING);
  });
});
