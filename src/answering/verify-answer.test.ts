import { expect, test } from 'vitest';
import type { ContextEntry } from '../context/context-pack.js';
import { verifyAnswer } from './verify-answer.js';

const entry = (n: number, text: string): ContextEntry => ({
  n,
  kind: 'passage',
  block: text,
  chunkIds: [`c${n}`],
  documentId: `d${n}`,
  revision: `r${n}`,
  source: `${n}.md`,
  sourceType: 'files',
  headingPath: [],
  lines: { start: 1, end: 1 },
  pieces: [{ text, start: 0, end: text.length, line: 1 }],
  score: 1,
  tokens: 40,
  flags: [],
  isCompressed: false,
  isExpanded: false,
  metadata: {},
});

const entries = [
  entry(1, 'The pump that failed last week is no. 481 of the plant. The gate opens at 5 bar.'),
  entry(2, 'The kiln burns at 900 degrees. The kiln cools in two hours.'),
];

const shown = (written: string): string => verifyAnswer(written, entries).text;

test.each([
  ['The kiln burns at 900 degrees [[2]].', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees [Source 2].', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees [2](kiln.md).', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees ([2]).', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees [[2], [1]].', 'The kiln burns at 900 degrees. [1, 2]'],
  ['The kiln burns at 900 degrees ([1] and [2]).', 'The kiln burns at 900 degrees. [1, 2]'],
  ['The kiln burns at 900 degrees [[2]][[1]].', 'The kiln burns at 900 degrees. [1, 2]'],
  ['The kiln burns at 900 degrees [1], [2].', 'The kiln burns at 900 degrees. [1, 2]'],
  ['The kiln burns at 900 degrees **[2]**.', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees {[2]}.', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees ( [2] ).', 'The kiln burns at 900 degrees. [2]'],
  ['The kiln burns at 900 degrees [2]/[1].', 'The kiln burns at 900 degrees. [1, 2]'],
  ['**The kiln burns at 900 degrees [2]**.', '**The kiln burns at 900 degrees**. [2]'],
  ['The gate opens [[9]] at 5 bar ([1]).', 'The gate opens at 5 bar. [1]'],
  [
    'The kiln burns ([2]) at 900 degrees and cools in two hours [[2]].',
    'The kiln burns at 900 degrees and cools in two hours. [2]',
  ],
  [
    '- [[1]] The gate opens at 5 bar.\n- ([2]) The kiln burns at 900 degrees.',
    '- The gate opens at 5 bar. [1]\n- The kiln burns at 900 degrees. [2]',
  ],
  [
    '| part | says |\n|---|---|\n| kiln | burns at 900 degrees [[2]] |',
    '| part | says |\n|---|---|\n| kiln | burns at 900 degrees [2] |',
  ],
])('brackets that hold nothing but citations go with them: %j', (written, expected) => {
  expect(shown(written)).toBe(expected);
});

test.each([
  'According to [2], the kiln burns at 900 degrees.',
  'The kiln burns at 900 degrees (see [2]).',
  '[2] says that the kiln burns at 900 degrees.',
  'The kiln burns at 900 degrees (sources [1] and [2]).',
  'The kiln burns at 900 degrees (Source: [2]).',
  'Both [1] and [2] say that the kiln burns at 900 degrees.',
  'The kiln, as [2] says, burns at 900 degrees.',
  'In [2] the kiln burns at 900 degrees.',
])('a citation that is a word of its sentence stays where it is, once: %j', (written) => {
  expect(shown(written).replace(' (unchecked)', '')).toBe(written);
});

test.each([
  ['The pump that failed last week is no. 481 [1].', 'The pump that failed last week is no. 481. [1]'],
  [
    'The pump that failed last week is No. 481 of the plant [1].',
    'The pump that failed last week is No. 481 of the plant. [1]',
  ],
  [
    'The kiln, shown in art. 12, burns at 900 degrees [2].',
    'The kiln, shown in art. 12, burns at 900 degrees. [2]',
  ],
  ['The gate (no. 7) opens at 5 bar [1].', 'The gate (no. 7) opens at 5 bar. [1]'],
])('a number behind "no." belongs to its sentence: %j', (written, expected) => {
  expect(shown(written).replace(' (unchecked)', '')).toBe(expected);
});

test('"no." before a number denies nothing', () => {
  const { support } = verifyAnswer('The pump that failed last week is no. 481 of the plant [1].', entries);
  expect(support.map(({ verdict }) => verdict)).toEqual(['supported']);
});

test('an element of an array is no citation', () => {
  expect(shown('The gate opens at 5 bar where x[1] = 0 [1].')).toContain('x[1] = 0. [1]');
});

test('"No." that answers a question is a sentence', () => {
  expect(shown('Does it cool in a day? No. The kiln cools in two hours [2].')).toBe(
    'Does it cool in a day? No. The kiln cools in two hours. [2]',
  );
});

const support = (written: string) =>
  verifyAnswer(written, entries).support.map(({ sentence, verdict, cites }) => ({
    sentence,
    verdict,
    cites,
  }));

test('a mark right behind the stop ends its sentence', () => {
  expect(support('The kiln burns at 900 degrees.[2] It is painted red by the warden.[2]')).toMatchObject([
    { sentence: 'The kiln burns at 900 degrees.', verdict: 'supported', cites: [2] },
    { sentence: 'It is painted red by the warden.', verdict: 'unsupported', cites: [2] },
  ]);
});

test.each(['```json\n[1, 2]\n```', '```\n[1]\n```', 'Result:\n\n```js\n[0]\n```'])(
  'code of nothing but a list claims nothing: %j',
  (code) => {
    const { support: checked, text } = verifyAnswer(`The kiln burns at 900 degrees [2].\n\n${code}`, entries);
    expect(checked.map(({ score }) => score).filter((score) => !Number.isFinite(score))).toEqual([]);
    expect(checked[0]?.verdict).toBe('supported');
    expect(text).toContain('```');
  },
);

test.each([
  'Allowed digits are [0-9] and the interval is [0, 1]; the kiln burns at 900 degrees [2].',
  'The list keys[0] burns at 900 degrees [2].',
])('an interval is no citation: %s', (written) => {
  expect(shown(written)).toContain(/\[0[^\]]*\]/.exec(written)?.[0]);
});
