import validator from 'validator';
import type { Detection } from '../detection.js';
import { type DigitRun, digitsOf, matchesInRuns, type NumberShape } from '../digit-runs.js';

/** Of a number that a table made of a card. */
const FRACTION = String.raw`\.0{1,2}(?![\w.])`;
/** 12 to 19 digits (ISO/IEC 7812-1), whole, also as a cell between commas, in fours, or 4-6-4 and 4-6-5 as on Diners and American Express cards. */
const CANDIDATE: NumberShape = {
  shape: new RegExp(
    [
      String.raw`(?<![A-Za-z0-9]|\d[./-]|\d,(?!\d{12,19}(?:,|${FRACTION})))`,
      String.raw`(?:\d{12,19}|\d{4}([ \u00a0./-])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ \u00a0./-])\d{6}\2\d{4,5})`,
      String.raw`(?![A-Za-z0-9]|[/-]\d|,(?<![,;\t]\d{12,19},)\d|(?!${FRACTION})\.\d)`,
    ].join(''),
    'g',
  ),
  digits: 12,
};

/** First digits and lengths of the issuers whose numbers end in a Luhn digit. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/, // Visa
  /^(?:5[1-5]\d{4}|222[1-9]\d{2}|22[3-9]\d{3}|2[3-6]\d{4}|27[01]\d{3}|2720\d{2})\d{10}$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^3(?:0[0-59]|[689]\d)\d{11}(?:\d{2})?$/, // Diners Club
  /^6(?:011|4[4-9]\d|5\d{2})\d{12}(?:\d{3})?$/, // Discover
  /^35(?:2[89]|[3-8]\d)\d{12}(?:\d{3})?$/, // JCB
  /^62\d{14,17}$/, // UnionPay
  /^(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}$/, // Maestro
];

/** Payment cards: the shape of an issuer and a right check digit. */
export function* detectPaymentCards(_: string, runs: readonly DigitRun[]): Generator<Detection> {
  for (const { index, value: candidate } of matchesInRuns(runs, CANDIDATE)) {
    const digits = digitsOf(candidate);
    if (ISSUERS.some((issuer) => issuer.test(digits)) && validator.isLuhnNumber(digits))
      yield { start: index, end: index + candidate.length, type: 'CREDIT_CARD' };
  }
}
