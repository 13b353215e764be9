import { expect, test } from 'vitest';
import { missingNames, namesIn } from './missing-names.js';

test.each([
  ['which SBOM format do we publish, SPDX or CycloneDX?', ['SBOM', 'SPDX', 'CycloneDX']],
  ['How do I connect to a PostgreSQL database?', ['PostgreSQL']],
  ['What does it cost to run on Mars?', ['Mars']],
  ['Why is that? Because Azure says so.', ['Azure']],
  ['is read_replica or http2 on by default?', ['read_replica', 'http2']],
  ['How is a search result scored?', []],
  ['Wie lange werden die Protokolle aufbewahrt?', []],
  ['what can I do in v1.2.?', ['v1.2']],
])('names of %j', (question, names) => {
  expect(namesIn(question)).toEqual(names);
});

test('a name is known where a part of it is', async () => {
  const isKnown = (word: string) => Promise.resolve(word === 'Python');
  expect(await missingNames('Does it run on Python3 with CycloneDX?', isKnown)).toEqual(['CycloneDX']);
});
