import {
  type SplitRange,
  splitAt,
  splitBlankLines,
  splitLines,
  splitListItems,
  splitSentences,
} from '../core/analysis/boundaries.js';
import type { Block, BlockKind } from '../core/document.js';
import { type CutContext, cutRange, joinPieces, jointSize, measureWithin, type Piece } from './pieces.js';

/** Where a block that does not fit may be cut, best first. */
const SPLITTERS: Readonly<Record<BlockKind, readonly SplitRange[]>> = {
  heading: [],
  paragraph: [splitBlankLines, splitSentences],
  list: [splitListItems, splitLines, splitSentences],
  code: [splitBlankLines, splitLines],
  table: [splitLines],
  quote: [splitBlankLines, splitSentences],
  html: [splitBlankLines, splitLines, splitSentences],
  'front-matter': [splitLines],
  field: [splitBlankLines, splitListItems, splitLines, splitSentences],
};

const splittersOf = ({ kind, breaks }: Block): readonly SplitRange[] =>
  breaks === undefined
    ? SPLITTERS[kind]
    : [(text, range) => splitAt(text, range, breaks), ...SPLITTERS[kind]];

/** Kinds that lose their meaning when cut: they stay whole wherever they fit alone. */
const WHOLE_KINDS: ReadonlySet<BlockKind> = new Set(['code', 'table']);
const LINE_KINDS: ReadonlySet<BlockKind> = new Set(['code', 'table', 'list', 'front-matter']);

/** Pieces of neighbouring blocks: each whole where it fits, else cut at its best boundaries. */
export function piecesOf(blocks: readonly Block[], context: CutContext): Piece[] {
  let heading: Piece | undefined;
  return blocks.flatMap((block) => {
    const above = heading;
    const whole = wholePiece(block, context);
    heading = block.kind === 'heading' ? whole : undefined;
    if (whole === undefined) return cutBlock(block, context);
    if (above === undefined || WHOLE_KINDS.has(block.kind)) return [whole];
    const fits = jointSize(above, whole, context.sizer) <= context.limits.maxSize;
    return fits ? [whole] : cutBlock(block, besideHeading(above, context));
  });
}

/** Prose is rather cut than parted from its heading, if the heading leaves it at least half of a chunk. */
function besideHeading(heading: Piece, context: CutContext): CutContext {
  const { limits } = context;
  const maxSize = Math.max(limits.maxSize / 2, limits.maxSize - heading.size - GAP_BELOW_HEADING);
  return { ...context, limits: { ...limits, maxSize } };
}

/** A blank line with carriage returns, in characters: the most that usually stands below a heading. */
const GAP_BELOW_HEADING = 4;

function wholePiece(block: Block, context: CutContext): Piece | undefined {
  const size = measureWithin(block, context.limits.maxSize, context.sizer);
  if (size === undefined) return undefined;
  const isSticky = block.kind === 'heading' || announces(block, context.text);
  return { start: block.start, end: block.end, size, ...(isSticky ? { isSticky } : {}) };
}

/** A paragraph that ends with a colon introduces the list, code or table below it. */
const announces = (block: Block, text: string): boolean =>
  block.kind === 'paragraph' && /[:：]$/.test(text.slice(block.end - 1, block.end));

function cutBlock(block: Block, context: CutContext): Piece[] {
  const bodyStart = block.bodyStart ?? block.start;
  const opening =
    bodyStart > block.start ? splitLines(context.text, { start: block.start, end: bodyStart }) : [];
  const isLine = LINE_KINDS.has(block.kind);
  const mark = (piece: Piece, isSticky: boolean): Piece => ({
    ...piece,
    startsIn: block.start,
    endsIn: block.start,
    ...(isSticky ? { isSticky } : {}),
    ...(isLine ? { isLine } : {}),
  });
  const pieces = [
    ...opening.flatMap((line) => cutRange(line, [], context)).map((piece) => mark(piece, true)),
    ...cutRange({ start: bodyStart, end: block.end }, splittersOf(block), context).map((piece) =>
      mark(piece, false),
    ),
  ];
  return block.kind === 'code' ? joinClosingFence(pieces, context) : pieces;
}

/** A closing fence alone would be a chunk of nothing. */
function joinClosingFence(pieces: readonly Piece[], { text, sizer, limits }: CutContext): Piece[] {
  const closing = pieces.at(-1);
  const before = pieces.at(-2);
  if (closing === undefined || before === undefined) return [...pieces];
  const isFence = /^\s*(?:`{3,}|~{3,})$/.test(text.slice(closing.start, closing.end));
  const fits = jointSize(before, closing, sizer) <= limits.maxSize - limits.overlap;
  return isFence && fits ? [...pieces.slice(0, -2), joinPieces(before, closing, sizer)] : [...pieces];
}
