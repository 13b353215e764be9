import { expect, test } from 'vitest';
import { shownPages } from './shown-pages.js';

const content = 'Berths cost 110.\n\nMembers pay half.\n\nRefunds are paid.';
const offsets = { start: 1_000, end: 1_000 + content.length };
const [second, third] = [1_000 + content.indexOf('Members'), 1_000 + content.indexOf('Refunds')];
const metadata = (pages: object | undefined) => ({
  source: 'a.pdf',
  sourceType: 'pdf',
  lines: { start: 1, end: 5 },
  headingPath: [],
  offsets,
  ...(pages === undefined ? {} : { pages }),
});
const marked = (text: string, ...words: readonly string[]) => ({
  text,
  matches: words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length })),
  isCutBefore: false,
  isCutAfter: false,
});

test.each([
  ['one word', marked(content, 'Refunds'), { start: 4, end: 4 }],
  ['words of two pages', marked(content, 'Berths', 'half'), { start: 2, end: 3 }],
  ['a part of the passage', marked('pay half.\n\nRefunds', 'half'), { start: 3, end: 3 }],
  ['nothing', marked(content), { start: 2, end: 4 }],
  ['a text that is elsewhere', marked('other', 'other'), { start: 2, end: 4 }],
])('the page is that of what is marked: %s', (_, snippet, expected) => {
  const pages = { start: 2, end: 4, breaks: [second, third] };
  expect(shownPages({ content, metadata: metadata(pages) }, snippet)).toEqual(expected);
});

test('of an index that does not know where pages begin all are shown, and of no pages none', () => {
  const snippet = marked(content, 'Refunds');
  expect(shownPages({ content, metadata: metadata({ start: 2, end: 4 }) }, snippet)).toEqual({
    start: 2,
    end: 4,
  });
  expect(shownPages({ content, metadata: metadata(undefined) }, snippet)).toBeUndefined();
});
