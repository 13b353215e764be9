import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Embedder } from '../embedding/embedder.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import { rerankCost } from '../reranking/hosted/hosted-reranker.js';
import type { Reranker } from '../reranking/reranker.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';

const VECTOR = 0.001;
/** Of each passage. */
const PASSAGE = 0.0001;
const NOTES = 40;

const opened: { engine: Engine; folder: string }[] = [];
afterEach(async () => {
  for (const { engine, folder } of opened.splice(0)) {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});

interface Prices {
  readonly vector?: number | undefined;
  readonly passage?: number | undefined;
}

/** An index whose models have prices, and what they were asked for. */
async function paidEngine({ vector, passage }: Prices) {
  const asked = { vectors: 0, passages: 0 };
  const hash = createHashEmbedder();
  const embedder: Embedder = {
    ...hash,
    doEmbed: (texts, kind, signal) => {
      if (kind === 'query') asked.vectors += texts.length;
      return hash.doEmbed(texts, kind, signal);
    },
    estimate: async (texts) => ({
      ...{ texts: texts.length, tokens: 1, isExact: true },
      ...(vector === undefined ? {} : { cost: texts.length * vector }),
    }),
  };
  const reranker: Reranker = {
    name: 'paid',
    maxCandidates: 100,
    costOf: (_query, candidates) => (passage === undefined ? undefined : candidates.length * passage),
    doRerank: async (_query, candidates) => {
      asked.passages += candidates.length;
      return candidates.map((_, index) => ({ index, score: 0.5 }));
    },
    close: async () => undefined,
  };
  const folder = mkdtempSync(join(tmpdir(), 'max-cost-'));
  const engine = await createEngine({
    ...{ cwd: folder, dataDir: join(folder, 'data'), embedder, reranker },
    config: { provider: 'memory', retrieval: { cache: { enabled: true } } },
  });
  opened.push({ engine, folder });
  await engine.push(
    Array.from({ length: NOTES }, (_, i) => ({ id: `note-${i}`, text: `The gate ${i} is shut at dusk.` })),
  );
  const search = async (maxCost: number, text = 'when is the gate shut?') => {
    const before = { ...asked };
    const { plan, lanes, results } = await engine.search({ text, options: { maxCost } });
    expect(results.length).toBeGreaterThan(0);
    const statusOf = (lane: string) => lanes.find((report) => report.lane === lane)?.status;
    return {
      plan,
      dense: statusOf('dense'),
      rerank: statusOf('rerank'),
      vectors: asked.vectors - before.vectors,
      passages: asked.passages - before.passages,
    };
  };
  return { engine, asked, search };
}

test('what would cost more is left out: reranking first, then of fewer, then vectors', async () => {
  const { search, engine } = await paidEngine({ vector: VECTOR, passage: PASSAGE });
  expect((await engine.search('when is the gate shut?')).plan).toBeUndefined();
  const all = VECTOR + NOTES * PASSAGE;
  const enough = await search(1);
  expect(enough).toMatchObject({ dense: 'ran', rerank: 'ran', vectors: 1, passages: NOTES });
  expect(enough.plan).toMatchObject({ name: 'whole', maxCost: 1, leftOut: [] });
  expect(enough.plan?.cost).toBeCloseTo(all, 9);
  expect(enough.plan?.deadlineMs).toBeUndefined();
  const fewer = await search(VECTOR + 15.5 * PASSAGE);
  expect(fewer).toMatchObject({ rerank: 'ran', vectors: 1, passages: 15 });
  expect(fewer.plan?.leftOut).toEqual([`reranking of candidates after the first 15 of ${NOTES}`]);
  expect(fewer.plan?.cost).toBeCloseTo(VECTOR + 15 * PASSAGE, 9);
  const few = await search(VECTOR + 5 * PASSAGE);
  expect(few).toMatchObject({ dense: 'ran', rerank: 'off', vectors: 1, passages: 0 });
  expect(few.plan).toMatchObject({ leftOut: ['reranking'], cost: VECTOR });
  const none = await search(0);
  expect(none).toMatchObject({ dense: 'off', rerank: 'off', vectors: 0, passages: 0 });
  expect(none.plan).toMatchObject({ leftOut: ['vectors', 'reranking'], cost: 0 });
});

test('a price that is not known is refused before anything is asked, and so is a limit that is none', async () => {
  const unpriced = { reason: 'QUERY_INVALID', message: expect.stringContaining('is not known') as string };
  const byVector = await paidEngine({ passage: PASSAGE });
  await expect(byVector.search(1)).rejects.toMatchObject({
    ...unpriced,
    details: { key: 'rag.embedding.price' },
  });
  expect(byVector.asked).toEqual({ vectors: 0, passages: 0 });
  const byPassage = await paidEngine({ vector: VECTOR });
  await expect(byPassage.search(1)).rejects.toMatchObject({
    ...unpriced,
    details: { key: 'rag.retrieval.rerank.price' },
  });
  expect(byPassage.asked).toEqual({ vectors: 0, passages: 0 });
  for (const maxCost of [-1, Number.NaN, Infinity])
    await expect(byVector.search(maxCost)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  const { plan } = await byVector.engine.search({
    text: 'gate',
    options: { maxCost: 0, mode: 'lexical', rerank: false },
  });
  expect(plan).toMatchObject({ cost: 0, leftOut: [] });
});

test('a deadline and a limit of costs go together', async () => {
  const { engine } = await paidEngine({ vector: VECTOR, passage: PASSAGE });
  const options = { maxCost: VECTOR, deadlineMs: 600_000 };
  const { plan } = await engine.search({ text: 'when is the gate shut?', options });
  expect(plan).toMatchObject({ ...options, name: 'whole', isInTime: true, leftOut: ['reranking'] });
});

test('prices count as vendors do', () => {
  const passages = Array.from({ length: 100 }, () => 400);
  const query = 10;
  expect(rerankCost({ perMillionTokens: 0.05 }, { query, passages })).toBeCloseTo(0.00205, 9);
  expect(rerankCost({ perThousandSearches: 2 }, { query, passages })).toBeCloseTo(0.002, 9);
  expect(rerankCost({ perThousandSearches: 2 }, { query, passages: [...passages, 1] })).toBeCloseTo(0.004, 9);
  // Longer than 500 tokens with the query: two documents.
  expect(rerankCost({ perThousandSearches: 2 }, { query, passages: passages.map(() => 495) })).toBeCloseTo(
    0.004,
    9,
  );
});
