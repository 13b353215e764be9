import { forEachWord, MAX_TERM_LENGTH } from './tokens.js';

/** Whether a word with this beginning matters: its first three UTF-16 units, the first in lower case, 0 for none. */
export type IsWantedBeginning = (first: number, second: number, third: number) => boolean;

const [SMALL_A, SMALL_Z, TO_SMALL] = [97, 122, 32];
const [HYPHEN, UNDERSCORE, APOSTROPHE, FULL_STOP] = [45, 95, 39, 46];

const isSmall = (unit: number): boolean => unit >= SMALL_A && unit <= SMALL_Z;
const isLetter = (unit: number): boolean => isSmall(unit | TO_SMALL);
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
const isLetterOrDigit = (unit: number): boolean => isLetter(unit) || isDigit(unit);
const isDash = (unit: number): boolean => unit === HYPHEN || unit === UNDERSCORE;
const isJoiner = (unit: number): boolean => isDash(unit) || unit === APOSTROPHE || unit === FULL_STOP;
const isAsciiUnit = (unit: number): boolean => unit < 128;

/**
 * The words of `forEachWord`, in order, of which those that nobody wants are given as `undefined`: simple words (ASCII
 * letters, small but for the first) with another beginning. Most words of a text are of that kind, and making strings of
 * them is what takes the time.
 */
export function forEachWantedWord(
  text: string,
  isWanted: IsWantedBeginning,
  visit: (word: string | undefined) => void,
): void {
  let start = 0;
  while (start < text.length) {
    // No word goes across an ASCII unit that is neither letter, digit nor joiner.
    let end = start;
    let isAscii = true;
    for (; end < text.length; end++) {
      const unit = text.charCodeAt(end);
      if (isLetterOrDigit(unit) || isJoiner(unit)) continue;
      if (isAsciiUnit(unit)) break;
      isAscii = false;
    }
    if (isAscii) forEachAsciiWord(text, { start, end }, { isWanted, visit });
    else forEachWord(text.slice(start, end), visit);
    start = end + 1;
  }
}

interface Wanted {
  readonly isWanted: IsWantedBeginning;
  readonly visit: (word: string | undefined) => void;
}

/** Words of a stretch of letters, digits and joiners. */
function forEachAsciiWord(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { isWanted, visit }: Wanted,
): void {
  let next = start;
  while (next < end) {
    const first = text.charCodeAt(next);
    if (!isLetterOrDigit(first)) {
      next++;
      continue;
    }
    const wordStart = next;
    let isSimple = isLetter(first);
    for (next++; next < end; next++) {
      const unit = text.charCodeAt(next);
      if (isSmall(unit)) continue;
      if (!isLetterOrDigit(unit)) {
        const joined = joinedAt(text, next, end);
        if (joined === next) break;
        next = joined;
      }
      isSimple = false;
    }
    visitAsciiWord(text, { start: wordStart, end: next, isSimple }, { isWanted, visit });
  }
}

function visitAsciiWord(
  text: string,
  { start, end, isSimple }: { readonly start: number; readonly end: number; readonly isSimple: boolean },
  { isWanted, visit }: Wanted,
): void {
  const second = end - start > 1 ? text.charCodeAt(start + 1) : 0;
  const third = end - start > 2 ? text.charCodeAt(start + 2) : 0;
  if (end - start > MAX_TERM_LENGTH) forEachWord(text.slice(start, end), visit);
  else if (isSimple && !isWanted(text.charCodeAt(start) | TO_SMALL, second, third)) visit(undefined);
  else visit(text.slice(start, end));
}

/** Where the word goes on behind the joiner at `at`; `at` itself where it does not. */
function joinedAt(text: string, at: number, end: number): number {
  const joiner = text.charCodeAt(at);
  const after = isDash(joiner) && isDash(text.charCodeAt(at + 1)) ? at + 2 : at + 1;
  if (after >= end) return at;
  const next = text.charCodeAt(after);
  if (isDash(joiner)) return isLetterOrDigit(next) ? after : at;
  if (joiner === APOSTROPHE) return isLetter(next) ? after : at;
  return isDigit(next) && isDigit(text.charCodeAt(at - 1)) ? after : at;
}
