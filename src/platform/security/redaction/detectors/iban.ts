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

/** Signs that a person may put between the groups, one of them with blanks around it. */
const SIGNS = '/_:;,·•~+=|';
/** Country and check digits before groups between which such signs stand. */
const SIGNED_HEAD = new RegExp(
  String.raw`(?<=(?:^|[^A-Za-z0-9])(?:IBAN)?)([A-Za-z]{2})\d{2}(?= ?[${SIGNS}] ?[A-Za-z0-9]{4} ?[${SIGNS}])`,
  'g',
);

/** Account numbers (ISO 13616) whose country, length and check digits are right. */
export function* detectIbans(text: string, runs: readonly DigitRun[]): Generator<Detection> {
  for (const { index, 0: head, 1: country = '' } of text.matchAll(SIGNED_HEAD)) {
    const account = accountAt(text, { start: index, head, country });
    if (account !== undefined) yield account;
  }
  let from = 0;
  for (const run of runs) {
    if (run.digits < LEAST_DIGITS) continue;
    const offset = Math.max(from, run.start - BEFORE_DIGITS);
    for (const { index, 0: head, 1: country = '' } of text.slice(offset, run.end).matchAll(HEAD)) {
      const start = offset + index;
      const account = start < from ? undefined : accountAt(text, { start, head, country });
      if (account === undefined) continue;
      yield account;
      from = account.end;
    }
  }
}

/** Undefined where a head begins none. */
function accountAt(
  text: string,
  { start, head, country }: { readonly start: number; readonly head: string; readonly country: string },
): Detection | undefined {
  const length = LENGTHS.get(country.toUpperCase());
  if (length === undefined) return undefined;
  const end = endOfNumber(text, start + head.length, length - HEAD_CHARACTERS);
  if (end === undefined) return undefined;
  const number = text.slice(start, end).replaceAll(/[^A-Za-z0-9]/g, '');
  return validator.isIBAN(number.toUpperCase()) ? { start, end, type: 'IBAN' } : undefined;
}

/** Where so many letters and digits end, with a separator or a sign and its blanks before each; undefined where they do not, or go on. */
function endOfNumber(text: string, from: number, characters: number): number | undefined {
  let at = from;
  for (let left = characters; left > 0; left -= 1) {
    at = behindSeparator(text, at);
    if (!isAlphanumeric(text[at])) return undefined;
    at += 1;
  }
  return isAlphanumeric(text[at]) ? undefined : at;
}

/** Of blanks and signs at most one each, so that words are no account. */
function behindSeparator(text: string, from: number): number {
  if (isSeparator(text[from]) && !SIGNS.includes(text[from + 1] ?? ' ')) return from + 1;
  let at = text[from] === ' ' ? from + 1 : from;
  if (!SIGNS.includes(text[at] ?? ' ')) return from;
  at += 1;
  return text[at] === ' ' ? at + 1 : at;
}

const isSeparator = (character = ''): boolean => character !== '' && ' \u00a0.-'.includes(character);

function isAlphanumeric(character = ''): boolean {
  const code = character.charCodeAt(0);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
