import validator from 'validator';
import type { Detection } from '../detection.js';
import type { DigitRun } from '../digit-runs.js';

/** Country and check digits, also where the name of what it is stands right before them. */
const HEAD = /(?<=(?:^|[^A-Za-z0-9])(?:IBAN)?)([A-Za-z]{2})[ -]?\d{2}/g;

/** Characters of a number by country (SWIFT, IBAN Registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    [
      [15, 'NO'],
      [16, 'BE'],
      [18, 'DK FI FO GL NL'],
      [19, 'MK SI'],
      [20, 'AT BA EE KZ LT LU XK'],
      [21, 'CH HR LI LV'],
      [22, 'BG BH CR DE GB GE IE ME RS VA'],
      [23, 'AE GI IL IQ TL'],
      [24, 'AD CZ ES MD PK RO SA SE SK TN VG'],
      [25, 'MZ PT'],
      [26, 'DZ IR IS TR'],
      [27, 'FR GR IT MC MR SM'],
      [28, 'AL AZ BY CY DO GT HU LB MA PL SV'],
      [29, 'BR EG PS QA UA'],
      [30, 'JO KW MU'],
      [31, 'MT SC'],
      [32, 'LC'],
    ] as const
  ).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, length] as const)),
);
const HEAD_CHARACTERS = 4;
/** Of the group of an account, in every country's form. */
const LEAST_DIGITS = 9;
/** Its head begins at most so far before the first digits that stand together: bank codes are letters and short groups. */
const BEFORE_DIGITS = 16;

/** Account numbers (ISO 13616) whose country, length and check digits are right. */
export function* detectIbans(text: string, runs: readonly DigitRun[]): Generator<Detection> {
  let from = 0;
  for (const run of runs) {
    if (run.digits < LEAST_DIGITS) continue;
    const offset = Math.max(from, run.start - BEFORE_DIGITS);
    for (const { index, 0: head, 1: country = '' } of text.slice(offset, run.end).matchAll(HEAD)) {
      const length = LENGTHS.get(country.toUpperCase());
      const start = offset + index;
      if (length === undefined || start < from) continue;
      const end = endOfNumber(text, start + head.length, length - HEAD_CHARACTERS);
      if (end === undefined) continue;
      const number = text.slice(start, end).replaceAll(/[^A-Za-z0-9]/g, '');
      if (!validator.isIBAN(number.toUpperCase())) continue;
      yield { start, end, type: 'IBAN' };
      from = end;
    }
  }
}

/** Where so many letters and digits end, with at most one separator before each; undefined where they do not, or go on. */
function endOfNumber(text: string, from: number, characters: number): number | undefined {
  let at = from;
  for (let left = characters; left > 0; left -= 1) {
    if (isSeparator(text[at])) at += 1;
    if (!isAlphanumeric(text[at])) return undefined;
    at += 1;
  }
  return isAlphanumeric(text[at]) ? undefined : at;
}

const isSeparator = (character = ''): boolean => character !== '' && ' \u00a0.-'.includes(character);

function isAlphanumeric(character = ''): boolean {
  const code = character.charCodeAt(0);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
