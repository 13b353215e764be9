import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type Detection, textBefore } from '../detection.js';
import { type DigitRun, digitsOf, matchesInRuns, type NumberShape } from '../digit-runs.js';

interface PhoneShape extends NumberShape {
  readonly isValid: (value: string) => boolean;
  /** The shape alone says too little: a word before it must be of telephones. */
  readonly named?: boolean;
}

const NAMED =
  /(?:\b(?:phones?|tel|telephone|mobile|mob|cell|call(?:ed|back|s)?|calling|ring|dial|fax|whatsapp|sms|text me|texted|reach|hotline|contact|signal|telegram|desk line|voicemail|landline|pager|caller|msisdn|telefon\w*|handy|mobil\w*|rückruf\w*|anruf\w*|anrufen|durchwahl|rufnummer|erreichbar|tél\w*|téléphone|portable|rappel\w*|appel\w*|joindre|fixe|teléfono|telefono|móvil|movil|llam\w*|celular|telefoon\w*|mobiel|bel|bellen|cellulare|chiam\w*|komórk\w*|zadzwo\w*)\b|电话|手机|致电|拨打|联系|热线|来电|☎|📞|📱)/giu;

/** Trunk prefix 0 and countries where it is written: a number grouped like that must be right in one of them. */
const TRUNK_COUNTRIES: readonly CountryCode[] = ['DE', 'GB', 'FR', 'NL', 'AT', 'CH', 'BE', 'IT', 'AU', 'IE'];

const SHAPES: readonly PhoneShape[] = [
  // With a country code: +49 30 23125 044, +44(0)7700900215, +49 (0) 171 / 555-23-41, 0033 1 99 00 41 27.
  {
    shape:
      /(?<![\w+.])(?:\+|(?<!\d[ .-])00(?=[1-9]))(?:\d{1,4}(?: ?[-/] ?|[ .\u00a0])?)?(?:\(\d{1,5}\)(?: ?[-/] ?|[ .\u00a0])?)?\d{1,12}(?:(?: ?[-/] ?|[ .\u00a0])\(?\d{1,8}\)?){0,7}(?![\w])/g,
    digits: 8,
    isValid: (value) => isPossible(internationalForm(value)),
  },
  // North America with the area code in brackets, or in groups of 3, 3 and 4 (NANPA).
  {
    shape: /(?<![\w.])(?:1[ .-]?)?\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]?\d{4}(?![\w]|[.-]\d)/g,
    digits: 10,
    holds: '(',
    isValid: isNorthAmerican,
  },
  {
    shape: /(?<![\w.-])(?:1([.-]))?[2-9]\d{2}([.-])[2-9]\d{2}\2\d{4}(?![\w]|[.-]\d)/g,
    digits: 10,
    isValid: isNorthAmerican,
  },
  {
    shape: /(?<![\w.-]|\d )(?:1 )?[2-9]\d{2}[ -]\d{3}[ -]\d{4}(?![\w]|[ .,-]\d)/g,
    digits: 10,
    isValid: isNorthAmerican,
    named: true,
  },
  {
    shape: /(?<![\w.-])1?[2-9]\d{2}[2-9]\d{6}(?![\w]|[.,-]\d)/g,
    digits: 10,
    isValid: isNorthAmerican,
    named: true,
  },
  {
    shape: /(?<![\w.-])555[ .-]\d{4}(?![\w]|[.-]\d)/g,
    digits: 7,
    holds: '555',
    isValid: () => true,
    named: true,
  },
  // France: five pairs.
  {
    shape: /(?<![\w.+-]|\d )0[1-9](?:([ .\u00a0-])\d{2})(?:\1\d{2}){3}(?![\w]|[ .,-]\d)/g,
    digits: 10,
    holds: '0',
    isValid: (value) => isValidIn(value, ['FR', 'BE']),
  },
  // With the trunk prefix 0, in groups: 030 23125 510, (020) 7946 0958, 06-12345678.
  {
    shape:
      /(?<![\w.,+-]|\d[ /])\(?0[1-9]\d{0,4}\)?(?: ?[-/] ?|[ .\u00a0])\d{2,8}(?:[ .\-\u00a0]\d{1,5}){0,4}(?![\w]|[.,]\d)/g,
    digits: 7,
    holds: '0',
    isValid: (value) => isGrouped(value) && isValidIn(value, TRUNK_COUNTRIES),
  },
  // The same in one piece, and numbers of countries without a trunk prefix.
  {
    shape: /(?<![\w.,+-])0[1-9]\d{7,10}(?![\w]|[.,]\d)/g,
    digits: 9,
    holds: '0',
    isValid: (value) => isValidIn(value, TRUNK_COUNTRIES),
    named: true,
  },
  {
    shape: /(?<![\w.,+-]|\d )[6-9]\d{1,2}(?:[ .-]?\d{2,3}){2,3}(?![\w]|[ .,-]\d)/g,
    digits: 9,
    isValid: (value) => isValidIn(value, ['ES', 'PL']),
    named: true,
  },
  {
    shape: /(?<![\w.,+-])1[3-9]\d([ -]?)\d{4}\1\d{4}(?![\w]|[.,]\d)/g,
    digits: 11,
    isValid: (value) => isValidIn(value, ['CN']),
    named: true,
  },
];

/** Telephone numbers: with a country code, or in the ways in which they are written inside a country. */
export function* detectPhones(text: string, runs: readonly DigitRun[]): Generator<Detection> {
  const named = new Map<number, boolean>();
  const isNamed = (index: number): boolean => {
    const known = named.get(index) ?? standsBehindName(textBefore(text, index));
    named.set(index, known);
    return known;
  };
  for (const { isValid, named: mustBeNamed, ...shape } of SHAPES) {
    for (const { index, value: candidate } of matchesInRuns(runs, shape)) {
      const value = withoutRest(candidate);
      // The cheap tests first: a library's reading of a number takes far longer than any of them.
      if (mustBeNamed === true && !isNamed(index)) continue;
      if (isSample(value) || !isValid(value)) continue;
      yield { start: index, end: index + value.length, type: 'PHONE' };
    }
  }
}

/** Without separators behind it, and without a bracket that closes one before it. */
function withoutRest(candidate: string): string {
  const value = candidate.replace(/[ .\-/(\u00a0]+$/, '');
  return value.endsWith(')') && value.split(')').length > value.split('(').length
    ? value.slice(0, -1)
    : value;
}

/** A number and the name of something else, as in `"phone": "...", "order": "..."`; `or` names nothing else. */
const OTHER_FIELD =
  /\d[\d ().-]{4,}\d.*(?<!\p{L})(?!(?:or|and|oder|und|ou|et|bzw|lub|albo|of|en|eller|och|или|tel|fax|mobile?|ext)(?!\p{L}))(?:\p{L}{2,}["']?\s?[:=]|\p{Script=Han}{2,})/su;

/** Whether the last word of telephones before a number is about that number. */
export function standsBehindName(before: string): boolean {
  const last = [...before.matchAll(NAMED)].at(-1);
  return last !== undefined && !OTHER_FIELD.test(before.slice(last.index + last[0].length));
}

/** Runs of one digit stand for a number in forms. */
const isSample = (value: string): boolean => /^0*(\d)\1+$/.test(digitsOf(value).slice(-8));

const internationalForm = (value: string): string => value.replace(/^00/, '+').replace(/\(0\)/, '');

/** Whether a number with a country code is one of its country, so that nothing of it is missing. */
export const isWholePhone = (value: string): boolean =>
  parsePhoneNumberFromString(internationalForm(value), { extract: false })?.isValid() ?? false;

function isPossible(value: string): boolean {
  if (digitsOf(value).length < 8) return false;
  return parsePhoneNumberFromString(value, { extract: false })?.isPossible() ?? false;
}

function isNorthAmerican(value: string): boolean {
  return /^1?[2-9]\d{2}[2-9]\d{6}$/.test(digitsOf(value));
}

/** A short first group with several behind it is a date or a count more often than an area code. */
const isGrouped = (value: string): boolean =>
  (/^\(?0\d{2}/.test(value) && digitsOf(value).length >= 9) ||
  /^0\d[- ]\d{8}$/.test(value) ||
  /^\(0\d\)/.test(value);

const isValidIn = (value: string, countries: readonly CountryCode[]): boolean =>
  countries.some((country) => {
    const number = parsePhoneNumberFromString(value, { defaultCountry: country, extract: false });
    return number?.country === country && number.isValid();
  });
