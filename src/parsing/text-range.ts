import type { TextRange } from '../core/document.js';

const SPACE = /\s/;

/** The range without white space at its ends; undefined where nothing else is in it. */
export function trimRange(text: string, { start, end }: TextRange): TextRange | undefined {
  let first = start;
  let last = end;
  while (first < last && SPACE.test(text.charAt(first))) first += 1;
  while (last > first && SPACE.test(text.charAt(last - 1))) last -= 1;
  return first < last ? { start: first, end: last } : undefined;
}

/** Where the line of a place begins: behind the line feed before it. */
export const startOfLine = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** Where the line of a place ends: its line feed, or the end of the text. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Each line end becomes one line feed without any offset moving: the carriage return of a pair becomes a space. */
export function levelLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n/g, ' \n').replace(/\r/g, '\n') : text;
}

/**
 * A text in which everything in the ranges but line ends is blank, as long as it was.
 * @param ranges in order and without overlap
 */
export function blanked(text: string, ranges: readonly TextRange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), text.slice(start, end).replace(/[^\r\n]/g, ' '));
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

/** The same places, in order, each once. */
export function joinedRanges(ranges: readonly TextRange[]): TextRange[] {
  const all: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ start, end });
    else all.splice(-1, 1, { start: last.start, end: Math.max(last.end, end) });
  }
  return all;
}

/** Longest text repeated with every chunk below it (a heading, a fence line, a table header), in UTF-16 code units. */
export const MAX_REPEATED_LENGTH = 300;

/** Cuts what would be repeated many times to a bounded length, not inside a surrogate pair. */
export function boundRepeated(text: string): string {
  if (text.length <= MAX_REPEATED_LENGTH) return text;
  return `${text.slice(0, MAX_REPEATED_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same range in a text that begins earlier by so many UTF-16 code units. */
export const moved = <Range extends TextRange>(range: Range, by: number): Range => ({
  ...range,
  start: range.start + by,
  end: range.end + by,
});
