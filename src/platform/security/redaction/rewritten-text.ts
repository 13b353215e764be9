import type { TextRange } from '../../../core/document.js';
import { partitionPoint } from '../../../core/partition-point.js';

/** A place of a text that is read otherwise than it is written. */
export interface Rewriting extends TextRange {
  /** What is read there; empty where nothing is. */
  readonly as: string;
}

/** A stretch of a text with the rewritings in it, and the way back. */
export interface RewrittenText {
  readonly text: string;
  /** What was rewritten, of the whole text. */
  readonly range: TextRange;
  /** The range of the whole text that a range of this one, which is not empty, was made from. */
  readonly origin: (range: TextRange) => TextRange;
}

/** Characters on both sides of a rewriting that are read with it. */
const REACH = 256;

/**
 * The stretches around rewritings, which are in order and apart; those that are near each other share one. Linear in both.
 *
 * @param reach characters on both sides of a rewriting
 */
export function* rewrittenTexts(
  text: string,
  rewritings: readonly Rewriting[],
  reach = REACH,
): Generator<RewrittenText> {
  let near: Rewriting[] = [];
  for (const rewriting of rewritings) {
    const last = near.at(-1);
    if (last !== undefined && rewriting.start - last.end > 2 * reach) {
      yield rewrite(text, near, reach);
      near = [];
    }
    near.push(rewriting);
  }
  if (near.length > 0) yield rewrite(text, near, reach);
}

/** Characters of the rewritten text from `at` on, up to the next piece. */
interface Piece {
  readonly at: number;
  readonly origin: TextRange;
  readonly isRewritten: boolean;
}

function rewrite(text: string, rewritings: readonly Rewriting[], reach: number): RewrittenText {
  const pieces: Piece[] = [];
  const parts: string[] = [];
  let at = 0;
  const add = (part: string, origin: TextRange, isRewritten: boolean): void => {
    if (part === '') return;
    pieces.push({ at, origin, isRewritten });
    parts.push(part);
    at += part.length;
  };
  const begin = Math.max(0, (rewritings[0]?.start ?? 0) - reach);
  let from = begin;
  for (const { start, end, as } of rewritings) {
    add(text.slice(from, start), { start: from, end: start }, false);
    add(as, { start, end }, true);
    from = end;
  }
  const end = Math.min(text.length, from + reach);
  add(text.slice(from, end), { start: from, end }, false);
  const originOf = (offset: number): TextRange => {
    const { at: first, origin, isRewritten } = pieceAt(pieces, offset);
    const start = origin.start + offset - first;
    return isRewritten ? origin : { start, end: start + 1 };
  };
  return {
    text: parts.join(''),
    range: { start: begin, end },
    origin: (range) => ({ start: originOf(range.start).start, end: originOf(range.end - 1).end }),
  };
}

/** The last piece that begins at or before an offset. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  const piece = pieces[partitionPoint(pieces.length, (index) => (pieces[index]?.at ?? 0) <= offset) - 1];
  if (piece === undefined) throw new RangeError(`No piece of a rewritten text holds offset ${offset}`);
  return piece;
}
