import { describe, expect, test } from 'vitest';
import { withholdText } from '../resources/withheld-fields.js';

const left = (text: string, form: { mediaType?: string; isOfPages?: boolean } = {}): string =>
  withholdText(text, ['salary_band', 'owner'], { isConverted: form.isOfPages === true, ...form })?.text ??
  text;
const without = (text: string, cut: string): string => text.replace(cut, ' '.repeat(cut.length));

describe('a sentence', () => {
  test.each([
    ['The salary band of Ann Lee is B7, and she works.', 'salary band of Ann Lee is B7'],
    ['Her salary band was raised to C3; then she left.', 'salary band was raised to C3'],
    ['My salaryBand is "high", of course.', 'salaryBand is "high"'],
    ['Here salary_band is senior.', 'salary_band is senior'],
    ['Ann has salary band B7 and a car.', 'salary band B7'],
    ['The owner is Ann Lee, who works here.', 'owner is Ann Lee'],
    ['The salary band is 4,000 EUR. She works.', 'salary band is 4,000 EUR'],
    ["We changed salary_band from 'A' to 'B' here.", "salary_band from 'A' to 'B'"],
    ['We changed her salary band from Low to High here.', 'salary band from Low to High'],
    ['The salary bands of Ann and Bob are V and W. Kept.', 'salary bands of Ann and Bob are V and W'],
    ['Salary band for Ann: V. Kept.', 'Salary band for Ann: V'],
    ['Salary band as of 1 May: senior', 'Salary band as of 1 May: senior'],
    ['Ann works with salary band "V" here.', 'salary band "V"'],
    ['The salary_band should be "V" here.', 'salary_band should be "V"'],
    ['Her salary band becomes V.', 'salary band becomes V'],
    ['Her salary band stays at V.', 'salary band stays at V'],
    ['Her salary band went up to V.', 'salary band went up to V'],
    ["Her salary band isn't V.", "salary band isn't V"],
    ['Her salary band increased from V to W.', 'salary band increased from V to W'],
  ])('that states a field loses name and value alone: %j', (text, cut) => {
    expect(left(text)).toBe(without(text, cut));
  });

  test.each([
    'The salary band is set by the board in 2024.',
    'salary_band is required and not stored.',
    'The `salary_band` is a string.',
    'My salary band is NOT public.',
    'The owner of the house is at home, and the owner was there in 2024.',
    'A salary banding is B7.',
    // What only a reader could tell.
    'The salary band is high.',
    'Ann has the band B7 of salary.',
  ])('that states none stays: %j', (text) => {
    expect(left(text)).toBe(text);
  });
});

describe('a sentence that goes on in the next line', () => {
  const said = [
    'We know that the salary\nband of Ann is V7, and more.',
    'Her salary band of Ann is\nV7.',
    'The salary_band\nis V7',
    'As agreed, the salary band\nof Ann Lee was\nV7 from then.',
    '- Ann, salary band:\n  V7',
  ];
  test.each([
    ['', '', ''],
    ['> ', '', ''],
    ['# ', '', 'text/x-source.python'],
    ['  // ', '', 'text/x-source.typescript'],
    [' * ', '/**\n', 'text/x-source.typescript'],
  ])('is one, and what opens its lines stays: %j', (prefix, before, mediaType) => {
    for (const text of said) {
      const lines = text.split('\n').map((line) => prefix + line);
      const kept = left(`${before}${lines.join('\n')}\n`, { mediaType });
      expect(kept).not.toContain('V7');
      expect(kept.split('\n').filter((line) => line.startsWith(prefix)).length).toBeGreaterThanOrEqual(
        lines.length,
      );
    }
  });

  test.each([
    'The salary band is\n\nV7 of it.\n',
    '# The salary band is\nV7 of it.\n',
    'The salary band\n- is V7\n',
    'We set the salary\nband of all in 2024 by hand.\n',
  ])('is none where the next line is no part of it: %j', (text) => {
    expect(left(text)).toBe(text);
  });
});

describe('a comment of source code', () => {
  test.each([
    ['http("https://x.example"); // salary_band: B7\n', 'salary_band: B7'],
    ['#define A 5 /* salary band = B7 */ + 1\n', 'salary band = B7 '],
    ['a();\n// the salary band is B7, and more\n', 'salary band is B7'],
  ])('loses what it states alone: %j', (text, cut) => {
    expect(left(text, { mediaType: 'text/x-source.c' })).toBe(without(text, cut));
  });

  test.each([
    '/**\n * Salary band\n *\n * Computes it.\n * @param salary_band: the band of a person\n */\nf();\n',
  ])('is no documentation of a parameter: %j', (text) => {
    expect(left(text, { mediaType: 'text/x-source.c' })).toBe(text);
  });
});

test.each(['The salary_band column is described below\nAnn works in the archive today\n'])(
  'a line with a name that is no line of names has no columns below: %j',
  (text) => {
    expect(left(text, { isOfPages: true })).toBe(text);
  },
);
