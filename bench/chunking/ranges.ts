import type { TextRange } from '../../src/core/document.js';

/** The part that two ranges share; undefined where that is empty. */
export function intersectRanges(left: TextRange, right: TextRange): TextRange | undefined {
  const start = Math.max(left.start, right.start);
  const end = Math.min(left.end, right.end);
  return start < end ? { start, end } : undefined;
}

/** Total length, each range counted for itself. */
export const sumOfLengths = (ranges: readonly TextRange[]): number =>
  ranges.reduce((sum, { start, end }) => sum + (end - start), 0);

/** Number of characters that at least one range covers. */
export function coveredLength(ranges: readonly TextRange[]): number {
  const sorted = [...ranges].sort((left, right) => left.start - right.start);
  let length = 0;
  let reached = 0;
  for (const { start, end } of sorted) {
    length += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return length;
}
