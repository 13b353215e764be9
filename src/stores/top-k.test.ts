import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TopK } from './top-k.js';

it('keeps what sorting everything would keep, ties in the given order', () => {
  const scores = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 20 }), (values, k) => {
      const best = new TopK(k, (a, b) => a > b);
      for (const [item, score] of values.entries()) best.push(item, score);
      const sorted = values.map((score, item) => ({ item, score }));
      sorted.sort((a, b) => b.score - a.score || b.item - a.item);
      expect(best.sorted()).toEqual(sorted.slice(0, k));
    }),
  );
});
