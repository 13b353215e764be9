import { type SplitRange, splitRuns, trimBlank } from '../core/analysis/boundaries.js';
import type { TextRange } from '../core/document.js';
import type { TextSizer } from './text-sizer.js';

/** A stretch of text that is not divided further. */
export interface Piece extends TextRange {
  readonly size: number;
  /** Offset of the block that this piece was cut from, for its first part; absent where that is a whole block. */
  readonly startsIn?: number;
  /** The same for its last part. */
  readonly endsIn?: number;
  /** Belongs to what follows: a heading, a line that announces a list, a table's header. */
  readonly isSticky?: boolean;
  /** A row, line or item: repeated whole or not at all. */
  readonly isLine?: boolean;
}

export interface PieceLimits {
  readonly maxSize: number;
  readonly minSize: number;
  readonly overlap: number;
}

/** Text, its sizes and the limits: what every cut depends on. */
export interface CutContext {
  readonly text: string;
  readonly sizer: TextSizer;
  readonly limits: PieceLimits;
}

/** The range measured, or undefined where it is above the limit (a very long range is not even measured). */
export function measureWithin(range: TextRange, limit: number, sizer: TextSizer): number | undefined {
  if ((range.end - range.start) * sizer.characterSize > limit) return undefined;
  const size = sizer.size(range.start, range.end);
  return size <= limit ? size : undefined;
}

/**
 * Divides a range into pieces that fit, each at the best boundary that makes it small enough: splitters are tried in
 * order, and below the last one text is cut into runs. Only a single character larger than the limit stays too large.
 */
export function cutRange(whole: TextRange, splitters: readonly SplitRange[], context: CutContext): Piece[] {
  const range = trimBlank(context.text, whole);
  if (range === undefined) return [];
  const limit = pieceLimit(context.limits);
  const size = measureWithin(range, limit, context.sizer);
  if (size !== undefined) return [{ ...range, size }];
  const [splitter, ...finer] = splitters;
  if (splitter === undefined) return cutRuns(range, context, context.sizer.runLength(limit));
  return splitter(context.text, range).flatMap((part) => cutRange(part, finer, context));
}

/** Room is left for the overlap, so that it never pushes a chunk above the limit. */
const pieceLimit = ({ maxSize, overlap }: PieceLimits): number => Math.max(1, maxSize - overlap);

function cutRuns(range: TextRange, context: CutContext, length: number): Piece[] {
  const { text, sizer, limits } = context;
  return splitRuns(length)(text, range).flatMap((run) => {
    const size = sizer.size(run.start, run.end);
    if (size <= pieceLimit(limits) || length === 1) return [{ ...run, size }];
    return cutRuns(run, context, Math.max(1, length >> 1));
  });
}

/** Size of the white space between two neighbours. */
export const gapSize = (left: TextRange, right: TextRange, sizer: TextSizer): number =>
  sizer.gap(right.start - left.end);

/** Size of two neighbours and the white space between them. */
export const jointSize = (left: Piece, right: Piece, sizer: TextSizer): number =>
  left.size + gapSize(left, right, sizer) + right.size;

/** Two neighbours as one. */
export function joinPieces(left: Piece, right: Piece, sizer: TextSizer): Piece {
  return {
    start: left.start,
    end: right.end,
    size: jointSize(left, right, sizer),
    ...(left.startsIn === undefined ? {} : { startsIn: left.startsIn }),
    ...(right.endsIn === undefined ? {} : { endsIn: right.endsIn }),
    ...(right.isSticky === true ? { isSticky: true } : {}),
    ...(right.isLine === true ? { isLine: true } : {}),
  };
}
