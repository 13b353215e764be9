import validator from 'validator';
import { type Detection, textBefore } from '../detection.js';
import { type DigitRun, digitsOf, matchesInRuns, type NumberShape } from '../digit-runs.js';

interface NationalId extends NumberShape {
  readonly isValid: (value: string) => boolean;
  /** Where the shape alone says too little, a word before it must name it. */
  readonly named?: RegExp;
}

const alphanumeric = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();

const SSN_NAMED = /\bssn|social[ -]?sec|\bss ?(?:#|no|num)|tax(?:payer)?[ -]?id|\btin\b/i;
const NINO_NAMED = /\bnino\b|nat(?:ional|\.)? ?ins|\bni ?(?:no|num|#|:|=)/i;
const TAX_ID_NAMED = /steuer|id-?nr|tax[ -]?id|\btin\b|identifikationsnummer/i;
const BSN_NAMED = /\bbsn|burger ?service|sofi|citizen service/i;
const DNI_NAMED = /\bdni\b|\bnif\b|\bnie\b|identidad|extranjer/i;
const NIR_NAMED = /\bnir\b|s[ée]cu|assur[ée]|insee|num[ée]ro de s/i;

/**
 * Numbers of persons by country. Check digits after the countries' own rules; the German and Dutch ones as `validator`
 * computes them (ISO 7064 mod 11,10; "elfproef").
 */
const IDS: readonly NationalId[] = [
  // United States: no area 000, 666 or 900 and above, no group 00, no serial 0000 (SSA, RM 10201.035).
  { shape: /(?<![\w-]|\d[.,])\d{3}-\d{2}-\d{4}(?![\w-]|[.,]\d)/g, digits: 9, isValid: isSsn },
  {
    shape: /(?<![\w.,-])\d{3}([ .\u00a0]?)\d{2}\1\d{4}(?![\w-]|[.,]\d)/g,
    digits: 9,
    isValid: isSsn,
    named: SSN_NAMED,
  },
  // United Kingdom (HMRC, NIM39110); QQ is the prefix of its examples.
  {
    shape: /(?<![\w-])[A-Z]{2} ?(?:\d{2}[ -]?){3}[A-D](?![\w-])/g,
    digits: 6,
    isLettered: true,
    isValid: isNino,
  },
  {
    shape: /(?<![\w-])[A-Z]{2}[ .-]?(?:\d{2}[ .-]?){3}[A-D](?![\w-])/gi,
    digits: 6,
    isLettered: true,
    isValid: isNino,
    named: NINO_NAMED,
  },
  // Germany, in its usual groups or named.
  {
    shape: /(?<![\w-]|\d[ .,])\d{2} \d{3} \d{3} \d{3}(?![\w-]|[ .,]\d)/g,
    digits: 11,
    isValid: isGermanTaxId,
  },
  {
    shape: /(?<![\w.,-])\d{2}([ ./-]?)\d{3}\1\d{3}\1\d{3}(?![\w-]|[.,]\d)/g,
    digits: 11,
    isValid: isGermanTaxId,
    named: TAX_ID_NAMED,
  },
  // Netherlands.
  { shape: /(?<![\w.,-])\d{4}\.\d{2}\.\d{3}(?![\w-]|[.,]\d)/g, digits: 9, isValid: isBsn },
  {
    shape: /(?<![\w.,-])(?:\d{3}([ .-]?)\d{3}\1\d{3}|\d{4}[ .-]\d{2}[ .-]\d{3})(?![\w-]|[.,]\d)/g,
    digits: 9,
    isValid: isBsn,
    named: BSN_NAMED,
  },
  // Spain: DNI, and NIE of foreigners.
  {
    shape: /(?<![\w.-])(?:\d{8}|\d{2}\.\d{3}\.\d{3})[ -]?[A-Z](?![\w-])/g,
    digits: 7,
    isLettered: true,
    isValid: isDni,
  },
  { shape: /(?<![\w.-])[XYZ][ -]?\d{7}[ -]?[A-Z](?![\w-])/g, digits: 7, isLettered: true, isValid: isDni },
  {
    shape: /(?<![\w.-])(?:[XYZ][ -]?\d{7}|\d{8}|\d{2}[. ]\d{3}[. ]\d{3})[ .-]?[A-Z](?![\w-])/gi,
    digits: 7,
    isLettered: true,
    isValid: isDni,
    named: DNI_NAMED,
  },
  // France: sex, year, month, department, commune, order, key (Insee).
  {
    shape:
      /(?<![\w.,-])[12]([ .\u00a0-]?)\d{2}\1\d{2}\1(?:\d{2}|2[AB])\1\d{3}\1\d{3}[ .\u00a0-]?\d{2}(?![\w-]|[.,]\d)/gi,
    digits: 14,
    isValid: isNir,
  },
  {
    shape:
      /(?<![\w.,-])[1-478][ .]?\d{2}[ .]?\d{2}[ .]?(?:\d{2}|2[AB])[ .]?\d{3}[ .]?\d{3}[ /.|-]{0,3}\d{2}(?![\w-]|[.,]\d)/gi,
    digits: 14,
    isValid: isNir,
    named: NIR_NAMED,
  },
];

/** National identity, tax and social security numbers of six countries. */
export function* detectNationalIds(text: string, runs: readonly DigitRun[]): Generator<Detection> {
  for (const { isValid, named, ...shape } of IDS) {
    for (const { index, value } of matchesInRuns(runs, shape)) {
      if (!isValid(value) || (named !== undefined && !named.test(textBefore(text, index)))) continue;
      yield { start: index, end: index + value.length, type: 'NATIONAL_ID' };
    }
  }
}

function isSsn(value: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digitsOf(value));
}

function isNino(value: string): boolean {
  const nino = alphanumeric(value);
  return /^(?:QQ|(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z])\d{6}[A-D]$/.test(nino);
}

function isGermanTaxId(value: string): boolean {
  return validator.isTaxID(digitsOf(value), 'de-DE');
}

function isBsn(value: string): boolean {
  const digits = digitsOf(value);
  return !/^(\d)\1*$/.test(digits) && validator.isTaxID(digits, 'nl-NL');
}

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

function isDni(value: string): boolean {
  const dni = alphanumeric(value);
  const number = Number(dni.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
  return DNI_LETTERS[number % DNI_LETTERS.length] === dni.at(-1);
}

function isNir(value: string): boolean {
  const nir = alphanumeric(value);
  const month = Number(nir.slice(3, 5));
  if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50)) return false;
  // Corsica counts as department 19 or 18 (2A, 2B) in the key.
  const body = nir.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return 97 - Number(BigInt(body) % 97n) === Number(nir.slice(13));
}
