import type { ChunkSpan } from '../core/chunk.js';
import type { Block, LineRange, ParsedDocument, TextRange } from '../core/document.js';
import { lastAtOrBefore } from '../core/last-at-or-before.js';
import type { Metadata } from '../core/metadata.js';
import type { ChunkDescription, ChunkRange } from './chunk-range.js';
import type { DocumentCuts, MeasureSlice, ReadSlice } from './chunker.js';
import { headingPathOf, headingsOf, namesHeadedIn, type Outline } from './outline.js';
import type { TextSizer } from './pieces.js';

export interface AssemblyOptions {
  readonly outline: Outline;
  readonly sizer: TextSizer;
  readonly countTokens: MeasureSlice;
  readonly maxSize: number;
  readonly preserveWhitespace: boolean;
}

/** Places to chunks: content, lines, heading path, context and token count follow from the offsets alone. */
export function assembleCuts(
  { text, title, blocks, pages }: ParsedDocument,
  ranges: readonly ChunkRange[],
  options: AssemblyOptions,
): DocumentCuts {
  const widened = options.preserveWhitespace ? widen(text, ranges, options) : ranges;
  return cutsOf({
    ranges,
    widened,
    tokenCounts: Int32Array.from(widened, ({ start, end }) => options.countTokens(start, end)),
    lineStarts: lineStartsOf(text),
    outline: options.outline,
    opened: blocks.filter((block) => block.context !== undefined),
    title,
    pages,
  });
}

/** Everything but the text. */
interface Assembly {
  readonly title: string | undefined;
  readonly pages: ParsedDocument['pages'];
  readonly ranges: readonly ChunkRange[];
  /** With the white space that belongs to each. */
  readonly widened: readonly TextRange[];
  readonly tokenCounts: Int32Array;
  readonly lineStarts: readonly number[];
  readonly outline: Outline;
  /** Blocks that repeat what opens them. */
  readonly opened: readonly Block[];
}

const cutsOf = (assembly: Assembly): DocumentCuts => ({
  length: assembly.ranges.length,
  chunkAt: (index, read) => chunkAt(index, read, assembly),
});

function chunkAt(index: number, read: ReadSlice, assembly: Assembly): ChunkSpan {
  const { ranges, widened, lineStarts, tokenCounts, pages } = assembly;
  const own = ranges[index];
  const range = widened[index];
  if (own === undefined || range === undefined) throw new RangeError(`There is no chunk ${index}.`);
  const described = own.described ?? describe(own, assembly);
  const around = own.around?.(read);
  const surroundings = around?.surroundings ?? own.surroundings;
  const metadata = {
    ...described.metadata,
    ...own.metadata,
    ...around?.metadata,
    ...pagesOf(pages, range),
  };
  return {
    content: read(range.start, range.end),
    start: range.start,
    end: range.end,
    lines: linesOf(lineStarts, range),
    headingPath: described.headingPath,
    tokenCount: tokenCounts[index] ?? 0,
    ...(described.context === undefined ? {} : { context: described.context }),
    ...(described.defines === undefined ? {} : { defines: described.defines }),
    ...(surroundings === undefined ? {} : { surroundings }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** What headings and blocks say of a chunk. */
function describe(own: ChunkRange, { title, outline, opened }: Assembly): ChunkDescription {
  const context = contextAt(opened, own.start);
  const defines = namesHeadedIn(outline, own);
  return {
    headingPath: headingPathOf(outline, headingsOf(outline, own), title),
    ...(defines.length === 0 ? {} : { defines }),
    ...(context === undefined ? {} : { context }),
  };
}

/** First and last page that a chunk has text on, 1-based. */
function pagesOf(pages: ParsedDocument['pages'], range: TextRange): Metadata {
  if (pages === undefined) return {};
  const touches = (page: TextRange | undefined): boolean =>
    page !== undefined && page.start < range.end && range.start < page.end;
  let first = lastAtOrBefore(pages, range.start, ({ start }) => start);
  let last = lastAtOrBefore(pages, range.end - 1, ({ start }) => start);
  while (first < last && !touches(pages[first])) first += 1;
  while (last > first && !touches(pages[last])) last -= 1;
  if (!touches(pages[first])) return {};
  const breaks = pages.slice(first + 1, last + 1).map(({ start }) => start);
  return { pages: { start: first + 1, end: last + 1, ...(breaks.length === 0 ? {} : { breaks }) } };
}

/** White space around a chunk goes to the chunk before it, at the start to the first one, as far as the limit allows. */
function widen(text: string, ranges: readonly ChunkRange[], options: AssemblyOptions): TextRange[] {
  return ranges.map((range, index) => {
    let room = Math.max(0, Math.floor((options.maxSize - range.size) / options.sizer.characterSize));
    const next = ranges[index + 1]?.ownStart ?? text.length;
    const end = Math.max(range.end, Math.min(next, range.end + room));
    room -= end - range.end;
    return { start: index === 0 ? Math.max(0, range.start - room) : range.start, end };
  });
}

/** Offsets at which lines start; a line ends with a line feed, a carriage return, or both. */
function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

const linesOf = (lineStarts: readonly number[], { start, end }: TextRange): LineRange => ({
  start: lineAt(lineStarts, start),
  end: lineAt(lineStarts, Math.max(start, end - 1)),
});

/** 1-based line of an offset. */
const lineAt = (lineStarts: readonly number[], offset: number): number =>
  lastAtOrBefore(lineStarts, offset, (start) => start) + 1;

/** What opens the block that a chunk starts inside of: it must be repeated to understand the chunk. */
function contextAt(opened: readonly Block[], offset: number): string | undefined {
  const block = opened[lastAtOrBefore(opened, offset, ({ start }) => start)];
  return block !== undefined && block.start < offset && offset < block.end ? block.context : undefined;
}
