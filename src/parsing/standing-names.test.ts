import { expect, test } from 'vitest';
import { standingNames } from './standing-names.js';
import { blanked } from './text-range.js';

const left = (text: string, isCode = false): string =>
  blanked(text, standingNames(text, ['salary_band'], { isCode }));

test.each([
  'The salary_band column is described in the guide: see there.\n',
  'See `salary_band`, `place` and others.\n',
  'Fields: salary_band, place, name (see below).\n',
  '- salary_band\n- place\n',
  'What is a salary band? Because: it is asked.\n',
  'It is [the salary band](a.md) of 2024: read it.\n',
  '[salary_band]: https://a.example/salary\n',
  'The old_salary_band_id: 7\n',
])('prose that mentions a field keeps its text: %j', (text) => {
  expect(left(text)).toBe(text);
});

test.each([
  '# the salary_band column is described in the guide: see there\n',
  '"""\nThe salary_band of a person, which is set by the office, see it.\n"""\n',
  'select salary_band from pay;\n',
  '/** @param salary_band: the band */\n',
])('so does it in code: %j', (text) => {
  expect(left(text, true)).toBe(text);
});

test.each([
  ["import { salary_band } from './a.js';\n", 'import {                            \n'],
  ['salary_band = compute(x); i--;\nf();\n', '                              \nf();\n'],
  ['x = {"salary_band": y, "place": z}\n', `x = {"${' '.repeat(29)}\n`],
])('a line of code goes from the name on, whatever stands there: %j', (text, rest) => {
  expect(left(text, true).replace(/ +\n/g, '\n')).toBe(rest.replace(/ +\n/g, '\n'));
});
