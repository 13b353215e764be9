import { expect, test } from 'vitest';
import { pageStartsOf, pagesBetween, pagesOfPieces } from './entry-pages.js';
import { testChunk } from './test-chunks.js';

const chunk = (start: number, length: number, pages: object) =>
  testChunk({ content: 'x'.repeat(length), start, metadata: { pages: { ...pages } } }).chunk;
const starts = pageStartsOf([
  chunk(0, 100, { start: 1, end: 1 }),
  chunk(90, 110, { start: 1, end: 3, breaks: [100, 150] }),
]);

test.each([
  [0, 10, 1, 1],
  [95, 99, 1, 1],
  [95, 101, 1, 2],
  [100, 150, 2, 2],
  [149, 151, 2, 3],
  [150, 200, 3, 3],
])('characters %i to %i stand on pages %i to %i', (start, end, first, last) => {
  expect(pagesBetween(starts, { start, end })).toEqual({ start: first, end: last });
});

test('pieces with a gap reach from the first page to the last', () => {
  const pieces = [
    { start: 10, end: 20 },
    { start: 160, end: 170 },
  ];
  expect(pagesOfPieces(starts, pieces)).toEqual({ start: 1, end: 3 });
});

test('a page without text is counted', () => {
  const gap = pageStartsOf([chunk(0, 100, { start: 4, end: 6, breaks: [50, 50] })]);
  expect(pagesBetween(gap, { start: 60, end: 70 })).toEqual({ start: 6, end: 6 });
});

test('of a chunk that does not say where its pages begin, each may be meant', () => {
  const unknown = pageStartsOf([chunk(0, 100, { start: 2, end: 4 })]);
  expect(pagesBetween(unknown, { start: 60, end: 70 })).toEqual({ start: 2, end: 4 });
});

test('a document without pages has none', () => {
  expect(
    pagesBetween(pageStartsOf([testChunk({ content: 'x' }).chunk]), { start: 0, end: 1 }),
  ).toBeUndefined();
});
