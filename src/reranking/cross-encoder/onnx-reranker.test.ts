import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PairScorer, PairsToScore, ScoredPairs } from '../../embedding/pair-scorer.js';
import { openBertClassifier } from '../../embedding/transformers/bert-classifier.js';
import { testReranker } from '../../testing/parts/reranker-suite.js';
import type { RerankCandidate } from '../reranker.js';
import { createCrossEncoderReranker } from './cross-encoder-reranker.js';
import { createOnnxReranker } from './onnx-reranker.js';
import { writeTinyBert } from './test-bert-classifier.js';

const QUERY = 'when is the beacon lit?';
const passage = (content: string): RerankCandidate => ({
  ...{ content, headingPath: [], identifiers: [], fusedScore: 0 },
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onnx-reranker-'));
  await writeTinyBert(join(folder, 'one'));
  await writeTinyBert(join(folder, 'two'), { columns: 2 });
  await writeTinyBert(join(folder, 'three'), { columns: 3 });
});
afterAll(() => rm(folder, { recursive: true }));

const open = (model: string): Promise<PairScorer> =>
  openBertClassifier({ model: join(folder, model), threads: 1 });

testReranker({
  name: 'onnx',
  runner: { describe, it },
  create: async () => createOnnxReranker({ scorer: await open('one'), deadlineMs: 60_000 }),
});

describe('a cross-encoder of BERT', () => {
  it.each(['one', 'two'])('with %s logits gives the scores that the package gives', async (model) => {
    const passages = ['The beacon is lit at dusk by the keeper.', 'oil', 'at', 'zebras? oils, lit.'].map(
      passage,
    );
    const ours = createOnnxReranker({ scorer: await open(model), deadlineMs: 60_000 });
    // One at a time, for this network is given no mask of padding.
    const theirs = createCrossEncoderReranker({ model: join(folder, model), batchSize: 1 });
    try {
      const expected = await theirs.doRerank(QUERY, passages);
      const found = await ours.doRerank(QUERY, passages);
      expect(new Set(expected.map(({ score }) => score.toFixed(3))).size).toBe(4);
      for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? 0, 3);
      expect(ours.remarkOf?.(found)).toBeUndefined();
    } finally {
      await ours.close();
      await theirs.close();
    }
  });

  it('is refused with more logits than a reranker has', async () => {
    const reranker = createOnnxReranker({ scorer: await open('three'), deadlineMs: 60_000 });
    await expect(reranker.doRerank(QUERY, [passage('oil')])).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('[1, 3]'),
    });
    await reranker.close();
  });
});

describe('createOnnxReranker', () => {
  const asked: PairsToScore[] = [];
  const scorerOf = (scored: ScoredPairs): PairScorer => ({
    ...{ name: 'tiny', maxInputTokens: 512 },
    score: async (pairs) => {
      asked.push(pairs);
      return scored;
    },
    close: async () => undefined,
  });
  const logit = (value: number): Float32Array => Float32Array.of(value);

  it('reads as much as its deadline has room for', async () => {
    const scorer = scorerOf({ logits: [logit(0)], cut: 0, isLate: false });
    await createOnnxReranker({ scorer, deadlineMs: 2_000 }).doRerank('q', [passage('a')]);
    expect(asked.pop()).toMatchObject({ characters: 16_000, milliseconds: 1_500 });
  });

  it.each([
    [false, /read 1 of 2 passages, as many as .*deadlineMs has room for/],
    [true, /read 1 of 2 passages, as many as it could in its time/],
  ])('leaves out what it did not read, and says so (late: %s)', async (isLate, text) => {
    const reranker = createOnnxReranker({
      scorer: scorerOf({ logits: [logit(0), undefined], cut: 1, isLate }),
      deadlineMs: 2_000,
    });
    const answer = await reranker.doRerank('q', ['a', 'b'].map(passage));
    expect(answer).toEqual([{ index: 0, score: 0.5 }]);
    const remark = reranker.remarkOf?.(answer);
    expect(remark?.text).toMatch(text);
    expect(remark?.text).toContain('Of 1 it read the first 512 tokens alone.');
    expect(remark?.isUnfinished).toBe(isLate);
  });
});
