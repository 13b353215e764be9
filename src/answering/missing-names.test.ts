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
  ['I began on the 17th and work 40h: is a bill of 2.5k due?', []],
  ['is 5GB of 3D data behind 2FA kept on S3?', ['3D', '2FA', 'S3']],
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

/** Words of an index as they are kept, without those of the passages found. */
const holds =
  (text: string) =>
  (word: string): Promise<boolean> =>
    Promise.resolve(text.toLowerCase().split(' ').includes(word.toLowerCase()));

test.each([
  ['Do we review PRs?', 'each PR is reviewed'],
  ['Who signs the NDA?', 'all NDAs are signed by Ann'],
  ['What is the Wi-Fi code?', 'the WiFi code is 1234'],
])('%j: a name in another form is known by the index and by a passage', async (question, text) => {
  expect(await missingNames(question, [], { isKnownWord: holds(text) })).toEqual([]);
  expect(await missingNames(question, [text], { isKnownWord: holds('') })).toEqual([]);
});

test.each([
  ['Is there a WiFi?', 'The Wi-Fi is open.', []],
  ['Does it run on NodeJS?', 'It runs on Node.js.', []],
  ['Is there an XML-Parser?', 'See XMLParser.', []],
  ['Does it run on NodeJS?', 'Each node JS runs on is listed.', ['NodeJS']],
  ['Does it run on iOS?', 'It reads I/O.', ['iOS']],
])('%j of %j misses %j', async (question, text, missing) => {
  expect(await missingNames(question, [text], { isKnownWord: () => Promise.resolve(false) })).toEqual(
    missing,
  );
});

test('a part of a longer word is not the name', async () => {
  const isKnown = () => Promise.resolve(false);
  expect(await missingNames('is there a DB?', ['The store is MongoDB.'], { isKnownWord: isKnown })).toEqual([
    'DB',
  ]);
});
