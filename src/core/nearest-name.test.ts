import { describe, expect, test } from 'vitest';
import { editDistance, nearestName } from './nearest-name.js';

describe('nearestName', () => {
  test.each([
    ['topk', 'topK'],
    ['top_k', 'topK'],
    ['minSimilarty', 'minSimilarity'],
    ['retreival', 'retrieval'],
    ['soruces', 'sources'],
  ])('%s is probably %s', (written, meant) => {
    expect(nearestName(written, ['topK', 'minSimilarity', 'retrieval', 'sources', 'cache'])).toBe(meant);
  });

  test('nothing is near to something else entirely', () => {
    expect(nearestName('colour', ['topK', 'retrieval'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });

  test.each([
    ['', 'abc', 3],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
    ['same', 'same', 0],
  ])('distance of "%s" and "%s" is %i', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
  });
});
