import type { TextRange } from '../document.js';
import { safeCut } from './safe-cut.js';

/** Divides a range into parts, in order; only white space is left between them. */
export type SplitRange = (text: string, range: TextRange) => TextRange[];

const SPACE = /\s/;

/** The range without white space at its ends, but with the indentation of a line that starts in it. */
export function trimBlank(text: string, { start, end }: TextRange): TextRange | undefined {
  let first = start;
  let lineStart = isLineStart(text, start) ? start : undefined;
  while (first < end && SPACE.test(text.charAt(first))) {
    first += 1;
    if (isLineStart(text, first)) lineStart = first;
  }
  if (first === end) return undefined;
  let last = end;
  while (SPACE.test(text.charAt(last - 1))) last -= 1;
  return { start: lineStart ?? first, end: last };
}

const isLineStart = (text: string, offset: number): boolean =>
  offset === 0 || text[offset - 1] === '\n' || text[offset - 1] === '\r';

/** The parts between cut offsets, without those that hold only white space. */
export function splitAt(text: string, range: TextRange, cuts: Iterable<number>): TextRange[] {
  const parts: TextRange[] = [];
  let start = range.start;
  const add = (end: number): void => {
    const part = trimBlank(text, { start, end });
    if (part !== undefined) parts.push(part);
    start = end;
  };
  for (const cut of cuts) if (cut > start && cut < range.end) add(cut);
  add(range.end);
  return parts;
}

const cutsAfter = (pattern: RegExp): SplitRange => {
  return (text, range) =>
    splitAt(text, range, matchEnds(text.slice(range.start, range.end), pattern, range.start));
};

function* matchEnds(slice: string, pattern: RegExp, base: number): Generator<number> {
  for (const match of slice.matchAll(pattern)) yield base + match.index + match[0].length;
}

export const splitLines: SplitRange = cutsAfter(/\r\n|\n|\r/g);

/** At blank lines; a line of quote markers only is blank inside a quote. */
export const splitBlankLines: SplitRange = cutsAfter(/\n[^\S\n]*(?:>[ \t>]*)?\r?(?=\n)/g);

const LIST_ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?=\s|$)/gm;

/** Before each item that is not indented deeper than the first one. */
export const splitListItems: SplitRange = (text, range) => {
  const items = [...text.slice(range.start, range.end).matchAll(LIST_ITEM)];
  const indent = items[0]?.[1]?.length ?? 0;
  const siblings = items.filter((item) => (item[1]?.length ?? 0) <= indent + 1);
  return splitAt(
    text,
    range,
    siblings.map((item) => range.start + item.index),
  );
};

// Only the last mark of a run is matched, so that a long run of dots costs no backtracking.
const SENTENCE_END = /[.!?…]["'”’»)\]*_]*(?=\s)|[。！？｡][」』”’）]*/g;
const ABBREVIATION =
  /(?:[\s("'“‘[](?:dr|mr|mrs|ms|prof|st|vs?|etc|cf|al|nos|figs?|eq|sec|vol|pp?|ca|approx|inc|ltd|corp|dept|jan|feb|apr|aug|sept?|oct|nov|dec|e\.g|i\.e|\p{L})|\n[ \t]*\d{1,3})\.$/iu;
const LONGEST_ABBREVIATION = 12;

/**
 * After the punctuation that ends a sentence, in Latin and CJK writing, but not after common abbreviations, initials
 * and the number of a list item. A fixed rule, not `Intl.Segmenter`: that one changes with Node's Unicode data, and with
 * it every chunk's identity; it also splits after "Dr.".
 */
export const splitSentences: SplitRange = (text, range) => {
  const slice = text.slice(range.start, range.end);
  const cuts: number[] = [];
  for (const match of slice.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    const before = slice.slice(Math.max(0, match.index - LONGEST_ABBREVIATION), match.index + 1);
    if (!(match[0] === '.' && ABBREVIATION.test(before))) cuts.push(range.start + end);
  }
  return splitAt(text, range, cuts);
};

/** Runs of at most `length` characters, cut at the last white space in their second half, else anywhere safe. */
export const splitRuns =
  (length: number): SplitRange =>
  (text, range) => {
    const cuts: number[] = [];
    let from = range.start;
    while (range.end - from > length) {
      const to = safeCut(text, from + length, from);
      from = lastSpaceCut(text, from + Math.floor(length / 2), to) ?? to;
      cuts.push(from);
    }
    return splitAt(text, range, cuts);
  };

function lastSpaceCut(text: string, lowest: number, offset: number): number | undefined {
  for (let cut = offset; cut > lowest; cut -= 1) {
    if (SPACE.test(text.charAt(cut)) || SPACE.test(text.charAt(cut - 1))) return cut;
  }
  return undefined;
}

/** After each occurrence of a separator, so that it stays with what precedes it. */
export const splitAfter =
  (separator: string): SplitRange =>
  (text, range) => {
    const cuts: number[] = [];
    const step = separator.length;
    for (let at = text.indexOf(separator, range.start); at >= 0 && at + step <= range.end; ) {
      cuts.push(at + step);
      at = text.indexOf(separator, at + step);
    }
    return splitAt(text, range, cuts);
  };
