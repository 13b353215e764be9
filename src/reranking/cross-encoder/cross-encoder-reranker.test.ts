import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RerankCandidate, Reranker } from '../reranker.js';
import { type Logits, probabilitiesOf, scoreInBatches } from './classifier.js';
import { createCrossEncoderReranker } from './cross-encoder-reranker.js';
import { writeTinyClassifier } from './test-classifier.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cross-encoder-'));
  await writeTinyClassifier(join(folder, 'one'), { columns: [0.1] });
  await writeTinyClassifier(join(folder, 'two'), { columns: [-0.05, 0.05] });
  await writeTinyClassifier(join(folder, 'three'), { columns: [1, 2, 3] });
});
afterAll(() => rm(folder, { recursive: true }));

const open: Reranker[] = [];
afterEach(async () => {
  for (const reranker of open.splice(0)) await reranker.close();
});
function rerankerOf(model: string, changes: { batchSize?: number } = {}): Reranker {
  const reranker = createCrossEncoderReranker({ model: join(folder, model), ...changes });
  open.push(reranker);
  return reranker;
}

const passage = (content: string): RerankCandidate => ({
  content,
  headingPath: [],
  identifiers: [],
  fusedScore: 0,
});
const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
// [CLS] query [SEP] passage [SEP]: ids 2 + 4 + 3 + passage + 3.
const stated = (ids: number): number => sigmoid((12 + ids) / 100);

describe('createCrossEncoderReranker', () => {
  it.each([1, 2, 10])('scores query and passage together, in batches of %i', async (batchSize) => {
    const reranker = rerankerOf('one', { batchSize });
    const scored = await reranker.doRerank('query', ['bad', 'best', 'good'].map(passage));
    expect(scored.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const [i, id] of [5, 9, 7].entries()) expect(scored[i]?.score).toBeCloseTo(stated(id), 5);
  });

  it('reads title and headings with the passage', async () => {
    const [scored] = await rerankerOf('one').doRerank('query', [{ ...passage('bad'), title: 'best' }]);
    expect(scored?.score).toBeCloseTo(stated(5 + 9), 5);
  });

  it('takes the second of two outputs for relevance', async () => {
    const [scored] = await rerankerOf('two').doRerank('query', [passage('best')]);
    expect(scored?.score).toBeCloseTo(stated(9), 5);
  });

  it('refuses a classifier with more outputs', async () => {
    await expect(rerankerOf('three').doRerank('query', [passage('best')])).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('[1, 3]'),
    });
  });

  it('says where a model is missing, and works once it is there', async () => {
    const reranker = rerankerOf('late');
    await expect(reranker.doRerank('query', [passage('best')])).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringContaining(join(folder, 'late')),
    });
    await writeTinyClassifier(join(folder, 'late'), { columns: [0.1] });
    await expect(reranker.doRerank('query', [passage('best')])).resolves.toHaveLength(1);
  });

  it('stops for a signal while it works, leaves the thread free, and answers the next call', async () => {
    const reranker = rerankerOf('one', { batchSize: 1 });
    const controller = new AbortController();
    const many = Array.from({ length: 20_000 }, () => passage('best better good fair'));
    const call = reranker.doRerank('query', many, controller.signal);
    const aborted = expect(call).rejects.toMatchObject({ reason: 'ABORTED' });
    // A thread that is not free gets here only after the last passage: too late for the signal.
    for (let turn = 0; turn < 3; turn++) await setTimeout(5);
    controller.abort();
    await aborted;
    await expect(reranker.doRerank('query', [passage('best')])).resolves.toHaveLength(1);
  });

  it('does not start for a signal that fired before', async () => {
    const call = rerankerOf('one').doRerank('query', [passage('best')], AbortSignal.abort());
    await expect(call).rejects.toMatchObject({ reason: 'ABORTED' });
  });

  it('rejects what waits when it is closed', async () => {
    const reranker = rerankerOf('one');
    const call = reranker.doRerank('query', [passage('best')]);
    const rejected = expect(call).rejects.toMatchObject({ reason: 'ABORTED' });
    await reranker.close();
    await rejected;
  });
});

describe('scoreInBatches', () => {
  const classifier = (batches: string[][]) => ({
    model: 'test',
    batchSize: 2,
    run: async (_query: string, passages: readonly string[]): Promise<Logits> => {
      batches.push([...passages]);
      return { data: passages.map(({ length }) => length), dims: [passages.length, 1] };
    },
  });

  it('puts texts of a like length together, at most so many, and gives scores in order', async () => {
    const batches: string[][] = [];
    const scores = await scoreInBatches(
      classifier(batches),
      { query: 'q', passages: ['aaaa', 'a', 'aaa', 'aa', ''] },
      () => false,
    );
    expect(batches).toEqual([['', 'a'], ['aa', 'aaa'], ['aaaa']]);
    expect(scores).toEqual([4, 1, 3, 2, 0].map(sigmoid));
  });

  it('stops between two batches', async () => {
    const batches: string[][] = [];
    const scores = await scoreInBatches(
      classifier(batches),
      { query: 'q', passages: ['a', 'b', 'c', 'd', 'e'] },
      () => batches.length === 1,
    );
    expect(scores).toBeUndefined();
    expect(batches).toHaveLength(1);
  });
});

describe('probabilitiesOf', () => {
  it('refuses what is not a number', () => {
    const logits = { data: [Number.NaN], dims: [1, 1] };
    expect(() => probabilitiesOf(logits, { rows: 1, model: 'm' })).toThrow(/not a number/);
  });
});
