import { describe, expect, it } from 'vitest';
import { segmentsToMerge } from './merge-words.js';

const segments = (...chunks: number[]) => chunks.map((count, id) => ({ id, chunks: count }));
const equal = (count: number, chunks = 10) => segments(...Array.from({ length: count }, () => chunks));

describe('segments are merged', () => {
  it('not while they are few and whole', () => {
    expect(segmentsToMerge(equal(16), 0)).toEqual([]);
    expect(segmentsToMerge(equal(16), 40)).toEqual([]);
    expect(segmentsToMerge([], 0)).toEqual([]);
  });

  it('where they are many: the small ones', () => {
    expect(segmentsToMerge(equal(17), 0)).toHaveLength(17);
    const large = segmentsToMerge(segments(1_000, ...Array.from({ length: 16 }, () => 5)), 0);
    expect(large).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  });

  it('all of them where much was deleted', () => {
    expect(segmentsToMerge(segments(1_000, 5), 300)).toEqual([0, 1]);
    expect(segmentsToMerge(segments(5), 5)).toEqual([0]);
  });
});
