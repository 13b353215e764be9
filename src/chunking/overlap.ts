import { safeCut } from '../core/analysis/safe-cut.js';
import { type CutContext, gapSize, type Piece } from './pieces.js';

/** Start of the longest run of whole pieces at the end of the previous chunk that is within the overlap and fits. */
export function lineOverlapStart(previous: readonly Piece[], next: Piece, context: CutContext): number {
  const { sizer, limits } = context;
  let start = next.start;
  let size = 0;
  for (let index = previous.length - 1; index > 0; index -= 1) {
    const piece = previous[index];
    const follower = previous[index + 1] ?? next;
    if (piece === undefined) break;
    size += piece.size + gapSize(piece, follower, sizer);
    if (size > limits.overlap || next.size + size > limits.maxSize) break;
    start = piece.start;
  }
  return start;
}

/**
 * Start of at least the overlap at the end of the previous chunk, moved back to the start of a word where that fits; in
 * text without white space exactly the overlap.
 */
export function wordOverlapStart(previous: readonly Piece[], next: Piece, context: CutContext): number {
  const { text, sizer, limits } = context;
  const floor = previous[0]?.start ?? next.start;
  const end = previous.at(-1)?.end ?? next.start;
  const room = limits.maxSize - next.size - sizer.gap(next.start - end);
  const wanted = Math.min(limits.overlap, room);
  if (wanted <= 0) return next.start;
  let start = end;
  let size = 0;
  while (size < wanted && start > floor) {
    const word = wordBefore(text, start, { floor, longest: MAX_WORD_LENGTH });
    if (word === undefined) break;
    size = size + sizer.size(word.start, word.end) + sizer.gap(start - word.end);
    if (size > room) break;
    start = word.start;
  }
  return start < end ? start : (exactOverlapStart({ floor, end, wanted, room }, context) ?? next.start);
}

/** A longer run without white space is not a word that could be repeated whole. */
const MAX_WORD_LENGTH = 64;

interface WordSearch {
  readonly floor: number;
  readonly longest: number;
}

function wordBefore(
  text: string,
  offset: number,
  { floor, longest }: WordSearch,
): { start: number; end: number } | undefined {
  let end = offset;
  while (end > floor && isSpace(text, end - 1)) end -= 1;
  let start = end;
  while (start > floor && !isSpace(text, start - 1) && end - start <= longest) start -= 1;
  return end - start > longest || start === end ? undefined : { start, end };
}

const isSpace = (text: string, index: number): boolean => /\s/.test(text.charAt(index));

interface OverlapSearch {
  readonly floor: number;
  readonly end: number;
  readonly wanted: number;
  readonly room: number;
}

/** Halving the interval: the size grows as the start moves back. */
function exactOverlapStart(search: OverlapSearch, { text, sizer }: CutContext): number | undefined {
  let fits = search.end;
  let low = Math.max(search.floor, search.end - Math.ceil(search.wanted / sizer.characterSize));
  while (low < fits) {
    const middle = (low + fits) >> 1;
    if (sizer.size(middle, search.end) <= search.wanted) fits = middle;
    else low = middle + 1;
  }
  const start = fits <= search.floor ? search.floor : safeCut(text, fits, search.floor);
  if (start >= search.end || sizer.size(start, search.end) > search.room) return undefined;
  return start;
}
