import { expect, it, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { withPlainCitations } from './citation-forms.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from './test-answering.js';

const sources = [
  { content: 'The gate opens at 5 bar.', document: 'gate.md', score: 0.9 },
  { content: 'The kiln burns at 900 degrees.', document: 'kiln.md', score: 0.8 },
];
const ENTRIES = [
  { n: 1, source: 'gate.md' },
  { n: 2, source: 'kiln.md' },
];
const ask = (said: string) =>
  answerQuestion(
    { question: 'How hot does the kiln burn?' },
    testDependencies(fixedRetrieve(sources), new ScriptedChatModel(said)),
  );

test.each([
  'The kiln burns at 900 degrees [Source 2].',
  'The kiln burns at 900 degrees. [source: 2]',
  'The kiln burns at 900 degrees [passage 2].',
  'The kiln burns at 900 degrees ([Passage #2]).',
  'The kiln burns at 900 degrees【2】.',
  'The kiln burns at 900 degrees. 【2】',
  'The kiln burns at 900 degrees 【Source 2】.',
  'The kiln burns at 900 degrees [2](kiln.md).',
  'The kiln burns at 900 degrees.[2](https://wiki.example/kiln_(oven))',
  'The kiln burns at 900 degrees. [2](url)',
  'The kiln burns at 900 degrees[2](https://wiki.example/kiln "Kiln").',
  'The kiln burns at 900 degrees [^2].',
  'The kiln burns at 900 degrees.[^2]',
  'The kiln burns at 900 degrees (Source: 2).',
  'The kiln burns at 900 degrees (source 2).',
  'The kiln burns at 900 degrees. (Ref. 2)',
  'The kiln burns at 900 degrees (document #2).',
  'The kiln burns at 900 degrees [doc 2].',
  'The kiln burns at 900 degrees [Doc: 2].',
  'The kiln burns at 900 degrees [document 2].',
  'The kiln burns at 900 degrees [ref 2].',
  'The kiln burns at 900 degrees [reference 2].',
  'The kiln burns at 900 degrees<sup>2</sup>.',
  'The kiln burns at 900 degrees.<sup>[2]</sup>',
  'The kiln burns at 900 degrees^2^.',
  'The kiln burns at 900 degrees.^[2]^',
  'The kiln burns at 900 degrees².',
  'The kiln burns at 900 degrees.²',
  'The kiln burns at 900 degrees【2†kiln.md】.',
  'The kiln burns at 900 degrees [2:7].',
])('%s', async (said) => {
  const { answer, support, citations } = await ask(said);
  expect(answer).toBe('The kiln burns at 900 degrees. [2]');
  expect(support.map(({ cites, verdict }) => [cites, verdict])).toEqual([[[2], 'supported']]);
  expect(citations.map(({ n }) => n)).toEqual([2]);
});

test.each([
  ['So it is [1 and 2].', 'So it is [1, 2].'],
  ['So it is [1, and 2].', 'So it is [1, 2].'],
  ['So it is [1 & 2].', 'So it is [1, 2].'],
  ['So it is [Sources 1 and 2].', 'So it is [1, 2].'],
  ['So it is [Source 1, Source 2].', 'So it is [1, 2].'],
  ['So it is [passages 1-2].', 'So it is [1-2].'],
  ['So it is 【1, 2】.', 'So it is [1, 2].'],
  ['So it is (Sources: 1, 2).', 'So it is [1, 2].'],
  ['So it is (passages 1-2).', 'So it is [1-2].'],
  ['So it is (docs 1 and 2).', 'So it is [1, 2].'],
  ['So it is [doc 1, doc 2].', 'So it is [1, 2].'],
  ['So it was<sup>1, 2</sup>, and is.', 'So it was[1, 2], and is.'],
  ['So it was^1,2^ and is.', 'So it was[1,2] and is.'],
  ['So it is [1:2].', 'So it is [1-2].'],
  ['- Doc 2: kiln.md', '- Doc 2: kiln.md'],
  ['So it is [1](a.md)[2](b.md).', 'So it is [1, 2].'],
  ['So it is. [1](a.md), [2](b.md) And more.', 'So it is. [1, 2] And more.'],
  ['So[^1] it is[^2].\n\n[^1]: gate.md\n[^2]: kiln.md', 'So[1] it is[2].\n\n[1] gate.md\n[2] kiln.md'],
  ['So it is.[^1]\n\n[^1]: kiln.md', 'So it is.[2]\n\n[2] kiln.md'],
  ['So it is.[^7]\n\n[^7]: See kiln.md', 'So it is.[2]\n\n[2] See kiln.md'],
  ['- [Source 2]: kiln.md\n- [1]: gate.md', '- [2] kiln.md\n- [1] gate.md'],
  ['| so | it is [2](b.md) |', '| so | it is [2] |'],
])('%j is read as %j', (said, plain) => {
  expect(withPlainCitations(said, ENTRIES)).toBe(plain);
  expect(withPlainCitations(plain, ENTRIES)).toBe(plain);
});

it.each([
  'So it is [Source 9].',
  'So it is (Source: 9).',
  'So it is (2).',
  'So it is.<sup>9</sup>',
  'It is 10<sup>2</sup> and 10² and 10^2^.',
  'It covers 4 m<sup>2</sup>, 4 km² and 4 square metres².',
  'It is x^2^ and x².',
  'It takes rows[1:2].',
  'It takes [1:2] of them.',
  'It is `(Source: 2)` and `y<sup>2</sup>`.',
  'So it is 【9】 [9](x.md).',
  'Release [2](notes.md) is out.',
  'See [the kiln 2](kiln.md).',
  'See [Source 2](kiln.md).',
  'An image ![2](kiln.png).',
  'It is `[Source 2]` and `f[2](x)`.',
  '```\nx = "[1 and 2]"\n[^2]\n```',
  'It calls f[2](x).',
  'A class [^2] of characters.',
  'Chapter [Step 2] and [version 2].',
])('what is no citation stays: %j', (said) => {
  expect(withPlainCitations(said, ENTRIES)).toBe(said);
});

it.each([
  '[1](',
  '[^1]',
  '【1',
  '[source ',
  '[1 and ',
  '[1](a',
  '[1](a)',
  '[1](a "',
  '[1](<',
  '<sup>1',
  '^1',
  '(source 1',
  '[1:',
  'so ²',
])('takes linear time: %j', (piece) => {
  // Backtracking over all of it would take minutes.
  expect(withPlainCitations(piece.repeat(20_000), ENTRIES).length).toBeGreaterThan(0);
});
