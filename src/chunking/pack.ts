import type { ChunkRange } from './chunk-range.js';
import { lineOverlapStart, wordOverlapStart } from './overlap.js';
import { type CutContext, gapSize, joinPieces, jointSize, type Piece } from './pieces.js';

export interface PackOptions {
  /** `even`: chunks of about the same size; `full`: each as full as it gets, the rest in the last one. */
  readonly fill: 'even' | 'full';
  /** `cuts`: a chunk repeats the end of the one before only inside a block that was cut; `always`: everywhere. */
  readonly overlapAt: 'cuts' | 'always';
}

/** Joins neighbouring pieces to chunks that fit, in order. */
export function pack(pieces: readonly Piece[], context: CutContext, options: PackOptions): ChunkRange[] {
  const groups = groupPieces(joinSticky(pieces, context), context, options);
  const chunks: ChunkRange[] = [];
  for (const [index, group] of groups.entries()) {
    const before = { group: groups[index - 1] ?? [], start: chunks.at(-1)?.start ?? 0 };
    chunks.push(...toChunk(group, before, context, options));
  }
  return chunks;
}

/** What belongs to the following piece is joined with it wherever both fit. */
function joinSticky(pieces: readonly Piece[], { sizer, limits }: CutContext): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.isSticky === true && jointSize(last, piece, sizer) <= limits.maxSize) {
      joined[joined.length - 1] = joinPieces(last, piece, sizer);
    } else {
      joined.push(piece);
    }
  }
  return joined;
}

function groupPieces(pieces: readonly Piece[], context: CutContext, options: PackOptions): Piece[][] {
  const { sizer, limits } = context;
  const target = options.fill === 'even' ? evenTarget(pieces, context) : Number.POSITIVE_INFINITY;
  const groups: Piece[][] = [];
  let size = 0;
  let budget = limits.maxSize;
  for (const piece of pieces) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const joint = last === undefined ? 0 : size + gapSize(last, piece, sizer) + piece.size;
    // Full when the boundary before the piece is nearer to an even size than the one after it.
    if (group !== undefined && joint <= budget && size + joint <= 2 * target) {
      group.push(piece);
      size = joint;
    } else {
      groups.push([piece]);
      size = piece.size;
      budget = limits.maxSize - (isRepeated(last, piece, options) ? limits.overlap : 0);
    }
  }
  return groups;
}

/** The size at which the fewest possible chunks come out alike. */
function evenTarget(pieces: readonly Piece[], { sizer, limits }: CutContext): number {
  let total = 0;
  let isCut = false;
  for (const [index, piece] of pieces.entries()) {
    const previous = pieces[index - 1];
    total += piece.size + (previous === undefined ? 0 : gapSize(previous, piece, sizer));
    isCut ||= piece.startsIn !== undefined;
  }
  const capacity = Math.max(1, limits.maxSize - (isCut ? limits.overlap : 0));
  return total <= limits.maxSize ? total : total / Math.ceil(total / capacity);
}

/** Whether a chunk that starts with `next` repeats the end of the one that ends with `last`. */
function isRepeated(last: Piece | undefined, next: Piece, { overlapAt }: PackOptions): boolean {
  if (last === undefined) return false;
  return overlapAt === 'always' || (last.endsIn !== undefined && last.endsIn === next.startsIn);
}

interface ChunkBefore {
  /** What the chunk before holds beside its own overlap. */
  readonly group: readonly Piece[];
  /** Where that chunk starts, its overlap included. */
  readonly start: number;
}

function toChunk(
  group: readonly Piece[],
  before: ChunkBefore,
  context: CutContext,
  options: PackOptions,
): ChunkRange[] {
  const first = group[0];
  const end = group.at(-1)?.end;
  if (first === undefined || end === undefined) return [];
  const { sizer } = context;
  const size = group.reduce((sum, piece) => sum + piece.size, 0) + gaps(group, context);
  const last = before.group.at(-1);
  if (last === undefined || !isRepeated(last, first, options)) {
    return [{ start: first.start, end, size, ownStart: first.start }];
  }
  const start = overlapStart(before, { ...first, size }, context, options);
  const repeated = start < first.start ? sizer.size(start, last.end) + gapSize(last, first, sizer) : 0;
  return [{ start, end, size: size + repeated, ownStart: first.start }];
}

function overlapStart(
  before: ChunkBefore,
  next: Piece,
  context: CutContext,
  { overlapAt }: PackOptions,
): number {
  const repeatable = overlapAt === 'always' ? before.group : cutTail(before.group, next.startsIn);
  const findStart = repeatable.at(-1)?.isLine === true ? lineOverlapStart : wordOverlapStart;
  const start = findStart(repeatable, next, context);
  // A chunk that repeats all of the one before would make that one useless.
  return start > before.start ? start : next.start;
}

function gaps(group: readonly Piece[], { sizer }: CutContext): number {
  let sum = 0;
  for (const [index, piece] of group.entries()) {
    const previous = group[index - 1];
    if (previous !== undefined) sum += gapSize(previous, piece, sizer);
  }
  return sum;
}

/** The last pieces that come from the same cut block: nothing before the block is repeated. */
function cutTail(group: readonly Piece[], block = 0): Piece[] {
  let from = group.length;
  while (from > 0 && group[from - 1]?.endsIn === block) from -= 1;
  return group.slice(from).map((piece) => (piece.start < block ? { ...piece, start: block } : piece));
}
