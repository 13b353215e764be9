import { expect, it } from 'vitest';
import { headingPathOf, linesOf, offsetsOf, titleOf } from './chunk-metadata.js';

it('reads back what the engine wrote', () => {
  const chunk = {
    metadata: {
      title: 'Guide',
      headingPath: ['Install', 'Linux'],
      lines: { start: 3, end: 5 },
      offsets: { start: 20, end: 90 },
    },
  };
  expect(titleOf(chunk)).toBe('Guide');
  expect(headingPathOf(chunk)).toEqual(['Install', 'Linux']);
  expect(linesOf(chunk)).toEqual({ start: 3, end: 5 });
  expect(offsetsOf(chunk)).toEqual({ start: 20, end: 90 });
});

it.each([
  {},
  { title: 7, headingPath: 'Install', lines: 3, offsets: null },
  { lines: { start: '3', end: 5 }, offsets: { start: 20 } },
])('takes %j for a chunk that does not say', (metadata) => {
  expect(titleOf({ metadata })).toBeUndefined();
  expect(headingPathOf({ metadata })).toEqual([]);
  expect(linesOf({ metadata })).toBeUndefined();
  expect(offsetsOf({ metadata })).toBeUndefined();
});
