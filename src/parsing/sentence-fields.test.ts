import { describe, expect, test } from 'vitest';
import { withholdText } from '../resources/withheld-fields.js';

const left = (text: string, form: { mediaType?: string; isOfPages?: boolean } = {}): string =>
  withholdText(text, ['salary_band', 'owner'], { isConverted: form.isOfPages === true, ...form })?.text ??
  text;
const without = (text: string, cut: string): string => text.replace(cut, ' '.repeat(cut.length));

describe('a sentence of a name that is one word', () => {
  test.each([
    ['The owner of it is Ann Lee, and she works.', 'owner of it is Ann Lee'],
    ['Its owner was changed to C3; then she left.', 'owner was changed to C3'],
    ['The owner is "high", of course.', 'owner is "high"'],
    ['The owner is 4,000 EUR. She works.', 'owner is 4,000 EUR'],
    ['The owners of a and b are Ann and Bob. Kept.', 'owners of a and b are Ann and Bob'],
    ['The owner becomes Ann.', 'owner becomes Ann'],
    ['The owner is **Ann**.', 'owner is **Ann**'],
    ['The owner (since 2020) is Ann Lee.', 'owner (since 2020) is Ann Lee'],
    ['The owner, who called, is Ann Lee.', 'owner, who called, is Ann Lee'],
    ["The owner's name is Ann Lee.", "owner's name is Ann Lee"],
    ['The owner is named Ann Lee.', 'owner is named Ann Lee'],
    ["Its owner isn't Ann.", "owner isn't Ann"],
    ['The owner\nof it is\nAnn Lee, who works here.', 'owner\nof it is\nAnn Lee'],
  ])('loses name and value alone: %j', (text, cut) => {
    expect(left(text)).toBe(text.replace(cut, cut.replace(/[^\n]/g, ' ')));
  });

  test.each([
    'The owner of the house is at home, and the owner was there in 2024.',
    'The owner is required and not stored.',
    'The owner is NOT public.',
    'We asked the owner from A to B, owner B7.',
  ])('stays where it states none: %j', (text) => {
    expect(left(text)).toBe(text);
  });
});

describe('a sentence that goes on in the next line', () => {
  const said = [
    'We know that the salary\nband of Ann is V7, and more.',
    'Her salary band of Ann is\nV7.',
    'We have a salary_band\nthat is V7',
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

  test.each([['The salary band is.\n\nV7 of it.\n', 'The salary band is.']])(
    'ends where the next line is no part of it: %j',
    (text, cut) => {
      expect(left(text)).toContain(text.replace(cut, ''));
    },
  );
});

describe('a comment of source code', () => {
  test.each([
    ['http("https://x.example"); // owner: B7\n', 'owner: B7'],
    ['#define A 5 /* owner = B7 */ + 1\n', 'owner = B7'],
    ['a();\n// the salary band is B7, and more\n', 'the salary band is B7, and more'],
  ])('loses what it states: %j', (text, cut) => {
    expect(left(text, { mediaType: 'text/x-source.c' })).toBe(without(text, cut));
  });

  test('is no documentation of a parameter', () => {
    const text = '/**\n * Computes it.\n * @param owner: the one of a house\n */\nf();\n';
    expect(left(text, { mediaType: 'text/x-source.c' })).toBe(text);
  });
});

test('a line with a name that is no line of names has no columns below', () => {
  const text = 'The owner column is described below\nAnn works in the archive today\n';
  expect(left(text, { isOfPages: true })).toBe(text);
});
