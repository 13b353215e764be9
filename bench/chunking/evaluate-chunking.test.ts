import { expect, it } from 'vitest';
import { evaluateChunking } from './evaluate-chunking.js';

it('chunks all corpora, retrieves at most k over all of them, and averages over questions', async () => {
  const report = await evaluateChunking({
    corpora: [
      { id: 'a', text: 'x'.repeat(40) },
      { id: 'b', text: 'y'.repeat(20) },
    ],
    questions: [
      { question: 'first', corpus: 'a', references: [{ start: 0, end: 10 }] },
      { question: 'second', corpus: 'b', references: [{ start: 0, end: 20 }] },
    ],
    chunk: ({ text }) =>
      Array.from({ length: text.length / 20 }, (_, index) => ({ start: index * 20, end: index * 20 + 20 })),
    // Both times the same order: a[0..20], b[0..20], a[20..40].
    retrieve: (chunks) => {
      expect(chunks.map(({ corpus, start }) => [corpus, start])).toEqual([
        ['a', 0],
        ['a', 20],
        ['b', 0],
      ]);
      return async () => [0, 2, 1].flatMap((position) => chunks[position] ?? []);
    },
    k: 2,
  });
  expect(report).toEqual({
    chunks: 3,
    questions: 2,
    recall: { mean: 1, deviation: 0 },
    precision: { mean: (10 / 40 + 20 / 40) / 2, deviation: 0.125 },
    precisionOmega: { mean: (10 / 20 + 1) / 2, deviation: 0.25 },
    iou: { mean: (10 / 40 + 20 / 40) / 2, deviation: 0.125 },
  });
});
