import { expect, it } from 'vitest';
import { batchesOf, slicesOf } from './batches.js';

const sizes = (items: readonly number[], limits: { items: number; size: number }): number[] =>
  [...batchesOf(items, limits, (item) => item)].map((batch) => batch.length);

it('batches keep to the most that a server takes', () => {
  const items = Array.from({ length: 25 }, () => 1);
  expect(sizes(items, { items: 10, size: 100 })).toEqual([10, 10, 5]);
  expect(sizes(items, { items: 1_000_000, size: 100 })).toEqual([25]);
  expect(sizes([], { items: 10, size: 100 })).toEqual([]);
});

it('batches are cut by size, and what is larger goes alone', () => {
  expect(sizes([60, 40, 1], { items: 10, size: 100 })).toEqual([2, 1]);
  expect(sizes([500, 500, 1], { items: 10, size: 100 })).toEqual([1, 1, 1]);
});

it('slices hold everything once, whatever their size', () => {
  expect([...slicesOf([1, 2, 3], 2)]).toEqual([[1, 2], [3]]);
  expect([...slicesOf([1, 2, 3], Number.POSITIVE_INFINITY)]).toEqual([[1, 2, 3]]);
  expect([...slicesOf([], 2)]).toEqual([]);
});
