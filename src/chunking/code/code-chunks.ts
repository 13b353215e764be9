import { splitBlankLines, splitLines } from '../../core/analysis/boundaries.js';
import type { CodeUnit, SourceCode, TextRange } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import { pack } from '../pack.js';
import { passageAround, REACHES } from '../passage-around.js';
import { type CutContext, cutRange, gapSize, measureWithin, type Piece } from '../pieces.js';
import { describeChunk } from './describe-chunk.js';

/**
 * Chunks along a syntax tree, by splitting and merging (cAST, Zhang et al. 2025): a definition that fits stays whole, one
 * that does not is divided at its members or statements; statements and small definitions beside each other are joined to
 * chunks of even size, and what is left below the minimum joins a neighbour. Nothing is repeated: a chunk inside of a
 * definition carries its first line as context instead.
 */
export function codeChunks({ units }: SourceCode, context: CutContext): ChunkRange[] {
  const unrepeated: CutContext = { ...context, limits: { ...context.limits, overlap: 0 } };
  const chunks = mergeBelowMinimum(chunksOf(units, unrepeated), unrepeated);
  return chunks.map((chunk, index) => ({
    ...chunk,
    around: (read) => ({ surroundings: REACHES.map((reach) => passageAround(chunks, [index, reach], read)) }),
    described: describeChunk(units, chunk),
  }));
}

/** Neighbouring units to chunks: runs of small ones are packed, each large definition stands alone or is divided. */
function chunksOf(units: readonly CodeUnit[], context: CutContext): ChunkRange[] {
  const chunks: ChunkRange[] = [];
  let run: Piece[] = [];
  const flush = (): void => {
    chunks.push(...pack(run, context, { fill: 'even', overlapAt: 'cuts' }));
    run = [];
  };
  for (const unit of units) {
    const size = measureWithin(unit, context.limits.maxSize, context.sizer);
    if (size === undefined) {
      flush();
      chunks.push(...divide(unit, context));
    } else if (unit.symbol !== undefined && size >= context.limits.minSize) {
      flush();
      chunks.push({ start: unit.start, end: unit.end, size, ownStart: unit.start });
    } else {
      run.push({ start: unit.start, end: unit.end, size });
    }
  }
  flush();
  return chunks;
}

/** A unit's children; what closes the unit belongs to the last of them, so that no chunk is a bracket. */
const childrenOf = ({ children, end }: CodeUnit): readonly CodeUnit[] =>
  children.map((child, index) => (index === children.length - 1 ? { ...child, end } : child));

/** A unit that does not fit: its head, then its children. The head stays with the first of them where both fit. */
function divide(unit: CodeUnit, context: CutContext): ChunkRange[] {
  const [first] = unit.children;
  if (first === undefined) return packLines(unit, context);
  const head = packLines({ start: unit.start, end: first.start }, context);
  const body = mergeBelowMinimum(chunksOf(childrenOf(unit), context), context);
  const lastOfHead = head.at(-1);
  const [firstOfBody, ...rest] = body;
  const joint =
    lastOfHead === undefined || firstOfBody === undefined
      ? undefined
      : joinWithin(lastOfHead, firstOfBody, context);
  return joint === undefined ? [...head, ...body] : [...head.slice(0, -1), joint, ...rest];
}

const packLines = (range: TextRange, context: CutContext): ChunkRange[] =>
  pack(cutRange(range, [splitBlankLines, splitLines], context), context, {
    fill: 'even',
    overlapAt: 'cuts',
  });

/** Joins each chunk below the minimum with the smaller of its neighbours where the two fit. */
function mergeBelowMinimum(chunks: readonly ChunkRange[], context: CutContext): ChunkRange[] {
  const { minSize } = context.limits;
  const merged: ChunkRange[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const last = merged.at(-1);
    const next = chunks[index + 1];
    const isWanted =
      last !== undefined && (last.size < minSize || (chunk.size < minSize && !isCloser(next, last)));
    const joint = isWanted ? joinWithin(last, chunk, context) : undefined;
    if (joint === undefined) merged.push(chunk);
    else merged[merged.length - 1] = joint;
  }
  return merged;
}

const isCloser = (next: ChunkRange | undefined, last: ChunkRange): boolean =>
  next !== undefined && next.size < last.size;

function joinWithin(
  left: ChunkRange,
  right: ChunkRange,
  { sizer, limits }: CutContext,
): ChunkRange | undefined {
  const size = left.size + gapSize(left, right, sizer) + right.size;
  if (size > limits.maxSize) return undefined;
  return { start: left.start, end: right.end, size, ownStart: left.ownStart };
}
