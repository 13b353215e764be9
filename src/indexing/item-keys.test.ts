import { expect, test } from 'vitest';
import { type FormatKeys, isReadAlike, itemKey, keyAsRead } from './item-keys.js';

const parsers = new Map([['application/pdf', { version: 4 }]]);
const as = (formats?: FormatKeys) => ({ processingKey: 'k', formats });
const none = as({ parsers });
const english = as({ parsers, ocr: { version: 'e' } });
const german = as({ parsers, ocr: { version: 'g' } });
const scanned = [{ metadata: { unread: { 'pages without text': 2 } } }];
const recognised = [{ metadata: { ocrPages: 2 } }];

test('an item is read again when the parser of its format has another version, and no other item', () => {
  expect(itemKey('a.md', none)).toBe('k');
  expect(isReadAlike('k', 'a.md', none)).toBe(true);
  expect(isReadAlike('k', 'a.pdf', none)).toBe(false);
  expect(isReadAlike(itemKey('a.pdf', none), 'a.pdf', none)).toBe(true);
});

test('what has pages without text is read again when OCR is installed or has other data, and nothing else', () => {
  const before = keyAsRead('a.pdf', scanned, none);
  expect(isReadAlike(before, 'a.pdf', none)).toBe(true);
  expect(isReadAlike(before, 'a.pdf', english)).toBe(false);
  const read = keyAsRead('a.pdf', recognised, english);
  expect(isReadAlike(read, 'a.pdf', english)).toBe(true);
  expect(isReadAlike(read, 'a.pdf', german)).toBe(false);
  const text = keyAsRead('b.pdf', [{ metadata: { unread: { pictures: 3 } } }], none);
  expect(isReadAlike(text, 'b.pdf', english)).toBe(true);
});

test('what OCR read stays where it is installed no more', () => {
  expect(isReadAlike(keyAsRead('a.pdf', recognised, english), 'a.pdf', none)).toBe(true);
});
