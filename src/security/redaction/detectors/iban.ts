import validator from 'validator';
import { type Detection, isDigit, linesWith } from '../detection.js';

/** Country and check digits. */
const HEAD = /(?<![A-Za-z0-9])([A-Za-z]{2})[ -]?\d{2}/g;

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
/** Of every number: check digits, and those of a branch or an account. */
const LEAST_DIGITS = 6;

/** Account numbers (ISO 13616) whose country, length and check digits are right. */
export function* detectIbans(text: string): Generator<Detection> {
  for (const line of linesWith(text, LEAST_DIGITS, isDigit)) {
    for (const { index, 0: head, 1: country = '' } of line.text.matchAll(HEAD)) {
      const length = LENGTHS.get(country.toUpperCase());
      if (length === undefined) continue;
      const end = endOfNumber(line.text, index + head.length, length - HEAD_CHARACTERS);
      if (end === undefined) continue;
      const number = line.text.slice(index, end).replaceAll(/[^A-Za-z0-9]/g, '');
      if (validator.isIBAN(number.toUpperCase()))
        yield { start: line.start + index, end: line.start + end, type: 'IBAN' };
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
const isAlphanumeric = (character = ''): boolean => /^[A-Za-z0-9]$/.test(character);
