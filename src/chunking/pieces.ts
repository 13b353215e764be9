import {
  type SplitRange,
  splitAt,
  splitBlankLines,
  splitLines,
  splitListItems,
  splitRuns,
  splitSentences,
  trimBlank,
} from '../core/analysis/boundaries.js';
import type { Block, BlockKind, TextRange } from '../core/document.js';
import type { ChunkingUnit, MeasureSlice } from './chunker.js';

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

/** Sizes of pieces of one text, in the unit of the limits. Joined pieces never measure more than their sum. */
export interface TextSizer {
  /** Size of `text.slice(start, end)`. */
  size(start: number, end: number): number;
  /** Size of so many characters of white space between two pieces. */
  gap(length: number): number;
  /** The least size of a character. */
  readonly characterSize: number;
  /** Characters of a run of text that is a small part of `size` units, for cutting where no boundary helps. */
  runLength(size: number): number;
}

/**
 * A token holds 16 characters at most here. A word-piece tokenizer answers one unknown token for a word of any length
 * above its limit (100 characters in BERT), so without this floor a line of base64 would be a chunk of any length.
 */
const MAX_CHARACTERS_PER_TOKEN = 16;

/** White space holds no token; only more of it than a few blank lines counts, so that a chunk cannot consist of it. */
const FREE_GAP = 8;

/** Runs are about an eighth of a chunk, at about four characters a token in English text. */
const RUNS_PER_CHUNK = 8;
const CHARACTERS_PER_TOKEN = 4;

export function createTextSizer(unit: ChunkingUnit, countTokens: MeasureSlice): TextSizer {
  return unit === 'characters' ? characterSizer : tokenSizer(countTokens);
}

/** UTF-16 code units, as offsets count. */
const characterSizer: TextSizer = {
  size: (start, end) => end - start,
  gap: (length) => length,
  characterSize: 1,
  runLength: (size) => Math.max(1, Math.floor(size / RUNS_PER_CHUNK)),
};

function tokenSizer(countTokens: MeasureSlice): TextSizer {
  return {
    size: (start, end) => Math.max(countTokens(start, end), (end - start) / MAX_CHARACTERS_PER_TOKEN),
    gap: (length) => Math.max(0, length - FREE_GAP) / MAX_CHARACTERS_PER_TOKEN,
    characterSize: 1 / MAX_CHARACTERS_PER_TOKEN,
    runLength: (size) => Math.max(1, Math.floor((size * CHARACTERS_PER_TOKEN) / RUNS_PER_CHUNK)),
  };
}

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
