import { expect, test } from 'vitest';
import { withholdText } from '../resources/withheld-fields.js';
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

const BODY = '\n  one();\n  two = [a];\n\n  four();\n';
test.each([
  'x = d["salary_band"]',
  'if d["salary_band"]:',
  'print(d["salary_band"])',
  'df.drop(columns=["salary_band"])',
  'def f(name: str, salary_band: str) -> None:',
  'def f(\n  name: str,\n  salary_band: str,\n) -> None:',
  'function raise(name: string, salaryBand: string): void {',
  'def salary_band(self):',
  'if person.salary_band:',
  'export class SalaryBand {',
  'if [ -z "$salary_band" ]; then',
])('a name in a line of code takes no lines below: %j', (line) => {
  expect(left(line + BODY, true)).toContain(BODY);
  const withheld = withholdText(`\`\`\`python\n${line}${BODY}\`\`\`\n`, ['salary_band'], {
    isConverted: false,
  });
  expect(withheld?.text ?? BODY).toContain(BODY);
});

test.each([
  '[salary_band]\nx = V\n',
  '[[pay.salary_band]]\nx = V\n',
  'salary_band:\n  x: V\n',
  'salary_band = {\n  x: V }\n',
  'd["salary_band"] = {\n  x: V }\n',
  'def salary_band(self):\n  return "V"\n',
  'if key == "salary_band":\n  x = V\n',
])('what is a block below a name goes: %j', (text) => {
  expect(left(text, true)).not.toContain('V');
});
