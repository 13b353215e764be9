import type { DigitRun } from './digit-runs.js';

/** What is looked for, in the order of the documentation. */
export const REDACTION_TYPES = [
  'EMAIL',
  'PHONE',
  'CREDIT_CARD',
  'IBAN',
  'NATIONAL_ID',
  'IP_ADDRESS',
  'AWS_KEY',
  'GITHUB_TOKEN',
  'SLACK_TOKEN',
  'JWT',
  'API_KEY',
  'PRIVATE_KEY',
] as const;

export type RedactionType = (typeof REDACTION_TYPES)[number];

/** A value in a text: half-open range in UTF-16 code units, without quotes, labels, ports or trailing punctuation. */
export interface Detection {
  readonly start: number;
  readonly end: number;
  readonly type: RedactionType;
}

/**
 * Finds values of its types in a text. Time grows linearly with the text: quantifiers are bounded, or stand between
 * character classes that do not overlap, and what is read beside a candidate is of a fixed length. A detector first finds the few
 * places where a value can be, and only there looks closely.
 *
 * @param runs `digitRuns` of the text
 */
export type Detector = (text: string, runs: readonly DigitRun[]) => Iterable<Detection>;

/** Characters before a candidate in which a word may say what it is. */
const CONTEXT_LENGTH = 60;

/** What stands before a candidate, on its line and the one before. */
export function textBefore(text: string, at: number, length = CONTEXT_LENGTH): string {
  return text.slice(Math.max(0, at - length), at);
}

/** A match of a pattern that stands at a place and nowhere else. */
export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
