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
 * character classes that do not overlap, and what is read beside a candidate is of a fixed length.
 */
export type Detector = (text: string) => Iterable<Detection>;

/** Characters before a candidate in which a word may say what it is. */
const CONTEXT_LENGTH = 60;

/** What stands before a candidate, on its line and the one before. */
export function textBefore(text: string, at: number, length = CONTEXT_LENGTH): string {
  return text.slice(Math.max(0, at - length), at);
}

/** A line of a text, without its line end. */
export interface Line {
  readonly text: string;
  readonly start: number;
}

const LINE_FEED = 10;

/**
 * The lines with at least so many of certain characters. What looks for numbers need not read the others, which are most of
 * a text; a number never goes over a line end.
 *
 * @param isCounted of a UTF-16 code unit.
 */
export function* linesWith(
  text: string,
  least: number,
  isCounted: (code: number) => boolean,
): Generator<Line> {
  let start = 0;
  let count = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? LINE_FEED : text.charCodeAt(at);
    if (code !== LINE_FEED) {
      if (isCounted(code)) count += 1;
      continue;
    }
    if (count >= least) yield { text: text.slice(start, at), start };
    start = at + 1;
    count = 0;
  }
}

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Matches of a global pattern in the lines with at least so many digits; `index` is an offset of the whole text. */
export function* matchesAmongDigits(
  lines: readonly Line[],
  pattern: RegExp,
): Generator<{ readonly index: number; readonly value: string }> {
  for (const { text, start } of lines)
    for (const match of text.matchAll(pattern)) yield { index: start + match.index, value: match[0] };
}
