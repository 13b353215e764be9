/** Digits with few separators between them, as numbers of persons, accounts, cards and telephones are written. */
export interface DigitRun {
  /** The run and some characters on both sides. */
  readonly text: string;
  /** Where `text` begins in the whole text. */
  readonly offset: number;
  /** The run itself, as a range of the whole text. */
  readonly start: number;
  readonly end: number;
  readonly digits: number;
  /** Whether a letter stands at or near one of its ends. */
  readonly isLettered: boolean;
}

/** The shortest number that any detector looks for. */
const LEAST_DIGITS = 6;
// Up to four signs stand between two groups, as in `(30) / 23125`; `2A` and `2B` are departments of Corsica.
const RUN = new RegExp(String.raw`\d(?:(?:(?<=2)[AaBb])?[ \u00a0./()|-]{0,4}\d){${LEAST_DIGITS - 1},}`, 'g');
/** Letters and signs that belong to a number, or rule one out, on both sides of its digits. */
const SURROUNDINGS = 8;

/** The only places of a text where numbers can be; in order. */
export function digitRuns(text: string): DigitRun[] {
  return Array.from(text.matchAll(RUN), ({ index: start, 0: run }) => {
    const end = start + run.length;
    const offset = Math.max(0, start - SURROUNDINGS);
    const isLettered = [start - 2, start - 1, end, end + 1].some((at) => isLetter(text.charCodeAt(at)));
    return {
      text: text.slice(offset, end + SURROUNDINGS),
      offset,
      start,
      end,
      digits: countDigits(run),
      isLettered,
    };
  });
}

function countDigits(value: string): number {
  let count = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code >= 48 && code <= 57) count += 1;
  }
  return count;
}

/** Of ASCII; it makes small letters of capitals. */
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

export const digitsOf = (value: string): string => value.replaceAll(/\D/g, '');

/** A way in which a number is written, and what can be seen before it is looked for. */
export interface NumberShape {
  readonly shape: RegExp;
  /** It has at least so many. */
  readonly digits: number;
  /** It holds this. */
  readonly holds?: string;
  /** It begins or ends with letters. */
  readonly isLettered?: boolean;
}

/** Matches of a global pattern that are no mere part of the surroundings of a run; `index` is an offset of the whole text. */
export function* matchesInRuns(
  runs: readonly DigitRun[],
  { shape, digits, holds, isLettered }: NumberShape,
): Generator<{ readonly index: number; readonly value: string }> {
  for (const run of runs) {
    if (run.digits < digits || (isLettered === true && !run.isLettered)) continue;
    if (holds !== undefined && !run.text.includes(holds)) continue;
    // `matchAll` would make a copy of the pattern for each run.
    shape.lastIndex = 0;
    for (let match = shape.exec(run.text); match !== null; match = shape.exec(run.text)) {
      const index = run.offset + match.index;
      if (index < run.end && index + match[0].length > run.start) yield { index, value: match[0] };
    }
  }
}
