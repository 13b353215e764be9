import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLACES, writeTinyBert } from '../../reranking/cross-encoder/test-bert-classifier.js';
import type { PairScorer } from '../pair-scorer.js';
import { keptOf, openBertClassifier } from './bert-classifier.js';
import { createBertEmbedder } from './bert-embedder.js';

const ALL = { characters: 10_000, milliseconds: 60_000 };

let folder: string;
let scorer: PairScorer;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'bert-classifier-')), 'tiny');
  await writeTinyBert(folder);
  scorer = await openBertClassifier({ model: folder, threads: 1 });
});
afterAll(async () => {
  await scorer.close();
  await rm(join(folder, '..'), { recursive: true });
});

describe('openBertClassifier', () => {
  it('reads the first passages, until so many characters are reached', async () => {
    const passages = ['oil at dusk', 'lit', 'keeper'];
    const { logits, isLate } = await scorer.score({ ...ALL, query: 'oil', passages, characters: 12 });
    expect(logits.map((one) => one?.length)).toEqual([1, 1, undefined]);
    expect(isLate).toBe(false);
  });

  it('begins no further passage once its time is over', async () => {
    const passages = ['oil at dusk', 'lit', 'keeper'];
    const { logits, isLate } = await scorer.score({ ...ALL, query: 'oil', passages, milliseconds: 0 });
    expect(logits.map((one) => one?.length)).toEqual([1, undefined, undefined]);
    expect(isLate).toBe(true);
  });

  it('reads the beginning of a long passage, and counts it', async () => {
    const long = 'oil '.repeat(PLACES - 3 - 1);
    const passages = [`${long} dusk`, `${long} keeper`, long];
    const { logits, cut } = await scorer.score({ ...ALL, query: 'beacon', passages });
    expect(cut).toBe(2);
    expect(logits[0]).toEqual(logits[1]);
    expect(logits[0]).toEqual(logits[2]);
  });

  it('tells the passage from the query', async () => {
    const one = await scorer.score({ ...ALL, query: 'oil', passages: ['lit'] });
    const other = await scorer.score({ ...ALL, query: 'lit', passages: ['oil'] });
    expect(one.logits[0]).not.toEqual(other.logits[0]);
  });

  it('refuses another file than is pinned, and what its kernel does not know', async () => {
    const sha256 = 'f'.repeat(64);
    await expect(openBertClassifier({ model: folder, sha256 })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining(`${sha256} is wanted`),
    });
    const broken = join(folder, '..', 'broken');
    await writeTinyBert(broken);
    await writeFile(join(broken, 'onnx', 'model.onnx'), 'x');
    await expect(openBertClassifier({ model: broken })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('transformers:'),
    });
  });

  it('makes no vectors', async () => {
    await expect(createBertEmbedder({ model: folder })).rejects.toMatchObject({
      reason: 'MODEL_INVALID',
      message: expect.stringContaining('rag.retrieval.rerank.model'),
    });
  });
});

describe('keptOf', () => {
  it.each([
    ['both fit', 3, 4, 10, [3, 4]],
    ['a long passage', 3, 40, 10, [3, 7]],
    ['a long query', 40, 3, 10, [7, 3]],
    ['both are long', 40, 50, 11, [5, 6]],
    ['both are long, the query more', 50, 40, 11, [6, 5]],
  ])('where %s', (_, query, passage, room, kept) => {
    expect(keptOf(query, passage, room)).toEqual(kept);
  });
});
