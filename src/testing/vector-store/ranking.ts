import assert from 'node:assert/strict';
import type { ChunkRecord, ScoredChunk } from '../../core/chunk.js';
import { and, EVERYTHING, eq, not } from '../../core/filter.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { TextQuery, VectorCollection } from '../../stores/vector-store.js';
import { assertClose, rejectsWith } from '../assertions.js';
import type { ContractPart, ContractTest } from './contract.js';
import { axis, direction, idsOf, randomVector, record, seededRandom } from './records.js';

const SCORE_TOLERANCE = 1e-3;
/** Of the nearest records, found by a search that is declared approximate. */
const MIN_RECALL = 0.95;

/** Scores, ties and topK of both lanes; the memory store is the oracle. */
export const testRanking: ContractPart = (test) => {
  testVectorRanking(test);
  testTextRanking(test);
};

function testVectorRanking(test: ContractTest): void {
  test('vector scores are cosine in [-1, 1], best first, whatever the length', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([
      record('same', { vector: direction(1, 1) }),
      record('long', { vector: direction(1, 0).map((x) => x * 1_000) }),
      record('orthogonal', { vector: direction(1, -1) }),
      record('opposite', { vector: direction(-1, -1) }),
      record('zero', { vector: direction(0) }),
    ]);
    await settle();
    const hits = await collection.searchVector({ vector: direction(3, 3), topK: 5, filter: EVERYTHING });
    assert.deepEqual(idsOf(hits), ['same', 'long', 'orthogonal', 'zero', 'opposite']);
    for (const [i, expected] of [1, Math.SQRT1_2, 0, 0, -1].entries())
      assertClose(hits[i]?.score ?? Number.NaN, expected, 1e-5, hits[i]?.chunk.id ?? '');
    assert.ok(hits.every(({ score }) => score >= -1 && score <= 1));
  });

  test('a zero query scores 0 everywhere and a zero vector is 0 to every query', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('b'), record('a'), record('zero', { vector: direction(0) })]);
    await settle();
    const hits = await collection.searchVector({ vector: direction(0), topK: 9, filter: EVERYTHING });
    assert.deepEqual(idsOf(hits), ['a', 'b', 'zero']);
    assert.ok(hits.every(({ score }) => score === 0));
    const [hit] = await collection.searchVector({ vector: axis(0), topK: 1, filter: eq('$chunkId', 'zero') });
    assert.equal(hit?.score, 0);
  });

  test('ties break by id in code point order, also where topK cuts them', async ({ open, settle }) => {
    const collection = await open();
    const ids = Array.from({ length: 60 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    await collection.upsert(ids.toReversed().map((id) => record(id)));
    await collection.upsert([
      record('\u{1f600}'),
      record('\uffee'),
      record('best', { vector: direction(3, 0.01) }),
    ]);
    await settle();
    for (const topK of [1, 7, 30]) {
      const hits = await collection.searchVector({ vector: axis(0), topK, filter: EVERYTHING });
      assert.deepEqual(idsOf(hits), ids.slice(0, topK));
    }
    const all = await collection.searchVector({ vector: axis(0), topK: 63, filter: EVERYTHING });
    assert.deepEqual(idsOf(all), [...ids, '\uffee', '\u{1f600}', 'best']);
  });

  test('topK limits, and more than there is gives what there is', async ({ open, settle, store }) => {
    const collection = await open();
    await collection.upsert([record('a'), record('b'), record('c')]);
    await settle();
    const search = (topK: number) => collection.searchVector({ vector: axis(0), topK, filter: EVERYTHING });
    assert.equal((await search(2)).length, 2);
    assert.equal((await search(store.capabilities.maxTopK)).length, 3);
    for (const topK of [0, -1, 1.5, Number.NaN, store.capabilities.maxTopK + 1])
      await rejectsWith('QUERY_INVALID', () => search(topK));
  });

  test('agrees with exact search on random vectors', async ({ open, settle, options, store }) => {
    const random = seededRandom(1);
    const records = Array.from({ length: 500 }, (_, i) => record(`r${i}`, { vector: randomVector(random) }));
    const collection = await open();
    await collection.upsert(records);
    await collection.optimize();
    await settle();
    const oracle = await oracleWith(records);
    const isApproximate = options.differences?.approximateVectorSearch !== undefined;
    assert.ok(!isApproximate || !store.capabilities.exactVectorSearch);
    const recalls: number[] = [];
    for (let i = 0; i < 10; i++) {
      const query = { vector: randomVector(random), topK: 20, filter: EVERYTHING };
      const [actual, expected] = [await collection.searchVector(query), await oracle.searchVector(query)];
      if (isApproximate) recalls.push(recallOf(actual, expected));
      else expectSameRanking(actual, expected);
    }
    const recall = recalls.reduce((sum, part) => sum + part / recalls.length, 0);
    if (isApproximate) assert.ok(recall >= MIN_RECALL, `recall ${recall} is below ${MIN_RECALL}`);
  });
}

function testTextRanking(test: ContractTest): void {
  test('text search finds any of the terms, verbatim, and nothing else', async (context) => {
    const collection = await context.open();
    await collection.upsert([
      record('one', { searchText: 'alpha beta' }),
      record('two', { searchText: 'beta Gamma c++ foo-bar_baz.qux' }),
      record('three', { searchText: `delta ${'x'.repeat(300)} naïve 数据` }),
      record('empty', { searchText: '' }),
    ]);
    await context.settle();
    if (collection.searchText === undefined) {
      assert.equal(context.store.capabilities.lexical, 'none');
      return;
    }
    const find = async (...terms: string[]) => idsOf((await searchText(collection, terms)) ?? []).sort();
    assert.deepEqual(await find('beta'), ['one', 'two']);
    assert.deepEqual(await find('alpha', 'delta', 'nothing'), ['one', 'three']);
    assert.deepEqual(await find('nothing'), []);
    assert.deepEqual(await find(), []);
    for (const term of ['Gamma', 'c++', 'foo-bar_baz.qux']) assert.deepEqual(await find(term), ['two'], term);
    for (const term of ['x'.repeat(300), 'naïve', '数据'])
      assert.deepEqual(await find(term), ['three'], term);
    for (const term of ['gamma', 'naive', 'bet', 'the', '*', 'OR', '"', 'beta*', 'alpha AND beta'])
      assert.deepEqual(await find(term), [], term);
    await collection.optimize();
    assert.deepEqual(await find('x'.repeat(300), 'c++'), ['three', 'two']);
  });

  test('a query term counts as often as it is given, and as much as it weighs', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([
      record('a', { searchText: 'one filler' }),
      record('b', { searchText: 'two filler' }),
      record('c', { searchText: 'three' }),
    ]);
    await settle();
    if (collection.searchText === undefined) return;
    const [plain] = (await searchText(collection, ['one'])) ?? [];
    for (const query of [
      { terms: ['one', 'two', 'one', 'one'] },
      { terms: ['two', 'one'], weights: [1, 3] },
      { terms: ['one', 'two', 'one'], weights: [0.5, 1, 2.5] },
    ]) {
      const hits = await collection.searchText({ ...query, topK: 9, filter: EVERYTHING });
      assert.deepEqual(idsOf(hits), ['a', 'b']);
      assertClose(
        hits[0]?.score ?? Number.NaN,
        3 * (plain?.score ?? Number.NaN),
        SCORE_TOLERANCE,
        'three times',
      );
    }
    for (const weights of [[1], [1, 0], [1, -1], [1, Number.NaN], [1, Number.POSITIVE_INFINITY]])
      await rejectsWith('QUERY_INVALID', async () =>
        collection.searchText?.({ terms: ['one', 'two'], weights, topK: 9, filter: EVERYTHING }),
      );
  });

  test("another tenant's documents change no score and no order", async (context) => {
    const collection = await context.open();
    if (collection.searchText === undefined) return;
    const own = (id: string, text: string) => record(id, { tenant: 'mine', searchText: text });
    // What was replaced and deleted must not count again, or no longer, because others write.
    await collection.upsert([
      own('a', 'rare'),
      own('b', 'common'),
      own('c', 'common'),
      own('gone', 'common'),
    ]);
    await context.settle();
    await collection.upsert([own('a', 'rare common'), own('c', 'common other words')]);
    await collection.delete(eq('$chunkId', 'gone'));
    await context.settle();
    const queries: TextQuery[] = [
      { terms: ['rare', 'common'], topK: 9, filter: EVERYTHING, tenant: 'mine' },
      { terms: ['common', 'other'], weights: [2, 0.5], topK: 2, filter: EVERYTHING, tenant: 'mine' },
      { terms: ['words'], topK: 9, filter: not(eq('$chunkId', 'b')), tenant: 'mine' },
    ];
    const rank = async () => {
      const found = await Promise.all(queries.map(async (query) => collection.searchText?.(query)));
      return found.map((hits) => hits?.map(({ chunk, score }) => [chunk.id, score]));
    };
    const before = await rank();
    assert.deepEqual(before[0]?.map(([id]) => id).sort(), ['a', 'b', 'c']);
    const strangers = Array.from({ length: 40 }, (_, i) =>
      record(`x${i}`, {
        tenant: 'theirs',
        searchText: `rare rare other ${'long text of theirs '.repeat(i)}`,
      }),
    );
    for (const change of [
      () => collection.upsert(strangers),
      () => collection.optimize(),
      () => collection.upsert(strangers.map((stranger) => ({ ...stranger, searchText: 'common' }))),
      () => collection.delete(and(eq('$tenant', 'theirs'), not(eq('$chunkId', 'x7')))),
      () => collection.optimize(),
    ]) {
      await change();
      await context.settle();
      assert.deepEqual(await rank(), before);
    }
    for (const query of queries) {
      assert.deepEqual(await collection.searchText({ ...query, tenant: 'nobody' }), []);
      assert.deepEqual(await collection.searchText({ ...query, filter: eq('$tenant', 'theirs') }), []);
    }
  });

  test('text ties break by id and topK cuts them', async ({ open, settle }) => {
    const collection = await open();
    const ids = Array.from({ length: 60 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    await collection.upsert(ids.toReversed().map((id) => record(id, { searchText: 'same text' })));
    await settle();
    for (const topK of [1, 25]) {
      const hits = await searchText(collection, ['same'], topK);
      if (hits !== undefined) assert.deepEqual(idsOf(hits), ids.slice(0, topK));
    }
  });

  test('BM25 ranks and scores equal the oracle through writes and deletes', async (context) => {
    if (context.store.capabilities.lexical !== 'bm25') return;
    const collection = await context.open();
    const oracle = await createMemoryStore().open(collection.spec);
    const statisticsWait = context.options.differences?.lexicalStatisticsAtOptimize !== undefined;
    for (const write of textWrites()) {
      for (const target of [collection, oracle]) await write(target);
      await context.settle();
      if (statisticsWait) {
        await expectSameMatches(collection, oracle);
        await collection.optimize();
      }
      await expectSameTextRankings(collection, oracle);
      await expectSameTerms(collection, oracle);
    }
    await collection.optimize();
    await expectSameTextRankings(collection, oracle);
    await expectSameTerms(collection, oracle);
  });
}

const WORDS = Array.from({ length: 40 }, (_, i) => `w${i}`);

/** Zipf-like random text: low word numbers are frequent. */
function randomText(random: () => number): string {
  const length = 1 + Math.floor(random() * 60);
  return Array.from({ length }, () => WORDS[Math.floor(random() ** 3 * WORDS.length)] ?? '').join(' ');
}

function textWrites(): ((collection: VectorCollection) => Promise<unknown>)[] {
  const batch = (seed: number, from: number, to: number): ChunkRecord[] => {
    const random = seededRandom(seed);
    return Array.from({ length: to - from }, (_, i) =>
      record(`r${from + i}`, {
        searchText: randomText(random),
        source: i % 3 === 0 ? 'docs' : 'wiki',
        tenant: i % 5 === 0 ? 'other' : 'acme',
      }),
    );
  };
  return [
    (collection) => collection.upsert(batch(1, 0, 200)),
    (collection) => collection.upsert(batch(2, 200, 260)),
    (collection) => collection.upsert(batch(3, 100, 150)),
    (collection) => collection.delete(eq('$source', 'docs')),
  ];
}

const TEXT_QUERIES = [['w0'], ['w39'], ['w3', 'w17'], ['w0', 'w1', 'w2', 'w30', 'w35'], WORDS];

async function expectSameTextRankings(collection: VectorCollection, oracle: VectorCollection): Promise<void> {
  for (const terms of TEXT_QUERIES)
    for (const more of [
      { filter: EVERYTHING },
      { filter: eq('$source', 'wiki') },
      { filter: EVERYTHING, weights: terms.map((_, i) => 1 + (i % 3) / 2) },
      { filter: eq('$source', 'wiki'), tenant: 'acme' },
    ]) {
      const query: TextQuery = { terms, topK: 20, ...more };
      expectSameRanking(
        (await collection.searchText?.(query)) ?? [],
        (await oracle.searchText?.(query)) ?? [],
      );
    }
}

/** Terms that begin alike, where the store lists its terms. */
async function expectSameTerms(collection: VectorCollection, oracle: VectorCollection): Promise<void> {
  if (collection.termsBeginning === undefined) return;
  for (const beginning of ['w', 'w1', 'w39', 'none'])
    for (const more of [
      {},
      { filter: eq('$tenant', 'other') },
      { filter: eq('$tenant', 'nobody') },
      { filter: eq('$source', 'wiki') },
      { limit: 3 },
    ]) {
      const query = { beginning, filter: EVERYTHING, limit: 100, ...more };
      assert.deepEqual(await collection.termsBeginning(query), await oracle.termsBeginning?.(query));
    }
}

async function expectSameMatches(collection: VectorCollection, oracle: VectorCollection): Promise<void> {
  for (const terms of TEXT_QUERIES) {
    const [actual, expected] = [await searchText(collection, terms), await searchText(oracle, terms)];
    assert.deepEqual(idsOf(actual ?? []).sort(), idsOf(expected ?? []).sort());
  }
}

const searchText = (collection: VectorCollection, terms: string[], topK = 1_000) =>
  collection.searchText?.({ terms, topK, filter: EVERYTHING });

async function oracleWith(records: readonly ChunkRecord[]): Promise<VectorCollection> {
  const dimensions = records[0]?.vector.length ?? 0;
  const oracle = await createMemoryStore().open({ name: 'oracle', dimensions, fingerprint: 'oracle' });
  await oracle.upsert(records);
  return oracle;
}

/** Share of the expected that was found; what was found must be scored and ordered truly. */
function recallOf(actual: readonly ScoredChunk[], expected: readonly ScoredChunk[]): number {
  assert.equal(actual.length, expected.length);
  const found = new Map(actual.map(({ chunk, score }) => [chunk.id, score]));
  const scores = actual.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  const hits = expected.filter(({ chunk }) => found.has(chunk.id));
  for (const { chunk, score } of hits)
    assertClose(found.get(chunk.id) ?? Number.NaN, score, SCORE_TOLERANCE, chunk.id);
  return hits.length / Math.max(1, expected.length);
}

// Two stores round differently, so chunks whose scores are that close may change places; ids must then still agree as sets.
function expectSameRanking(actual: readonly ScoredChunk[], expected: readonly ScoredChunk[]): void {
  assert.equal(actual.length, expected.length);
  const lowest = (expected.at(-1)?.score ?? 0) + SCORE_TOLERANCE;
  const expectedScores = new Map(expected.map(({ chunk, score }) => [chunk.id, score]));
  for (const [i, { chunk, score }] of actual.entries()) {
    assertClose(score, expected[i]?.score ?? Number.NaN, SCORE_TOLERANCE, `rank ${i + 1}`);
    const expectedScore = expectedScores.get(chunk.id);
    if (expectedScore === undefined) assert.ok(score <= lowest, `${chunk.id} is not among the oracle's best`);
    else assertClose(score, expectedScore, SCORE_TOLERANCE, chunk.id);
  }
}
