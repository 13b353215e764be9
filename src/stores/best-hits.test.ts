import { expect, it } from 'vitest';
import { withWholeTie } from './best-hits.js';

/** A server of hits with these scores, which notes how many it was asked for. */
function serverOf(scores: readonly number[]) {
  const asked: number[] = [];
  const search = async (limit: number): Promise<{ score: number }[]> => {
    asked.push(limit);
    return scores.slice(0, limit).map((score) => ({ score }));
  };
  return { asked, search };
}

const scoresOf = (hits: readonly { readonly score: number }[]): number[] => hits.map(({ score }) => score);

it('one search is enough where no tie is cut', async () => {
  const { asked, search } = serverOf([0.9, 0.8, 0.7, ...Array.from({ length: 50 }, () => 0.1)]);
  expect(scoresOf(await withWholeTie({ topK: 2 }, search))).toEqual([0.9, 0.8]);
  expect(asked).toEqual([18]);
});

it('a tie at the end is given whole, however long', async () => {
  const { asked, search } = serverOf([0.9, ...Array.from({ length: 40 }, () => 0.5), 0.1]);
  expect(await withWholeTie({ topK: 2 }, search)).toHaveLength(41);
  expect(asked).toEqual([18, 36, 72]);
});

it('no more are asked for than one request gives', async () => {
  const { asked, search } = serverOf(Array.from({ length: 100 }, () => 0.5));
  expect(await withWholeTie({ topK: 2, maxHits: 30 }, search)).toHaveLength(30);
  expect(asked).toEqual([18, 30]);
});

it('all are given where there are fewer than asked for', async () => {
  const { asked, search } = serverOf([0.2, 0.3]);
  expect(scoresOf(await withWholeTie({ topK: 5, margin: 2 }, search))).toEqual([0.3, 0.2]);
  expect(asked).toEqual([7]);
});
