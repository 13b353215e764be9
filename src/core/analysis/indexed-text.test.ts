import { expect, it } from 'vitest';
import { indexedTextOf } from './indexed-text.js';

it('puts title and headings first, then context, then content', () => {
  expect(
    indexedTextOf({
      title: 'Guide',
      headingPath: ['Set up', 'Linux'],
      context: '```sh',
      content: 'apt install',
    }),
  ).toBe('Guide > Set up > Linux\n```sh\napt install');
});

it('does not repeat the title where the heading path starts with it', () => {
  expect(indexedTextOf({ title: 'Guide', headingPath: ['guide', 'Linux'], content: 'x' })).toBe(
    'guide > Linux\nx',
  );
});

it('is the content alone where nothing else is known', () => {
  expect(indexedTextOf({ headingPath: [], content: ' exact\n' })).toBe(' exact\n');
  expect(indexedTextOf({ title: ' ', headingPath: [''], context: '', content: 'x' })).toBe('x');
});
