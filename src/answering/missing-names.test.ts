import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeName } from '../core/analysis/test-names.js';
import { missingNames, namesIn } from './missing-names.js';

test.each([
  ['which SBOM format do we publish, SPDX or CycloneDX?', ['SBOM', 'SPDX', 'CycloneDX']],
  ['How do I connect to a PostgreSQL database?', ['PostgreSQL']],
  ['What does it cost to run on Mars?', ['Mars']],
  ['Why is that? Because Azure says so.', ['Azure']],
  ['is read_replica or http2 on by default?', ['read_replica', 'http2']],
  ['How is a search result scored?', []],
  ['Wie lange werden die Protokolle aufbewahrt?', []],
  ['Was kostet ein Liegeplatz in Bergen?', []],
  ['what can I do in v1.2.?', ['v1.2']],
])('names of %j', (question, names) => {
  expect(namesIn(question)).toEqual(names);
});

test('a name is known where a part of it is', async () => {
  const isKnown = (word: string) => Promise.resolve(word === 'Python');
  expect(await missingNames('Does it run on Python3 with CycloneDX?', [], { isKnownWord: isKnown })).toEqual([
    'CycloneDX',
  ]);
});

test('a name that stands in a passage that was found is never missing', async () => {
  const place = fc.constantFrom('', ' ', '`', '(', '/', '-', '_', '@', '"');
  await fc.assert(
    fc.asyncProperty(codeName, place, place, async (name, before, after) => {
      const text = `Here is ${before}${name}${after} told of.`;
      expect(
        await missingNames(`what is ${name}?`, [text], { isKnownWord: () => Promise.resolve(false) }),
      ).toEqual([]);
    }),
  );
});

test('a part of a longer word is not the name', async () => {
  const isKnown = () => Promise.resolve(false);
  expect(await missingNames('is there a DB?', ['The store is MongoDB.'], { isKnownWord: isKnown })).toEqual([
    'DB',
  ]);
});
