import type { ChunkSpan } from '../core/chunk.js';
import type { Block, LineRange, ParsedDocument, TextRange } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';
import type { ChunkDescription, ChunkRange } from './chunk-range.js';
import type { MeasureSlice } from './chunker.js';
import { headingPathOf, headingsOf, type Outline } from './outline.js';
import type { TextSizer } from './text-sizer.js';

export interface AssemblyOptions {
  readonly outline: Outline;
  readonly sizer: TextSizer;
  readonly countTokens: MeasureSlice;
  readonly maxSize: number;
  readonly preserveWhitespace: boolean;
}

/** Places to chunks: content, lines, heading path, context and token count follow from the offsets alone. */
export function assembleSpans(
  document: ParsedDocument,
  ranges: readonly ChunkRange[],
  options: AssemblyOptions,
): ChunkSpan[] {
  const lineStarts = lineStartsOf(document.text);
  const opened = document.blocks.filter((block) => block.context !== undefined);
  const widened = options.preserveWhitespace ? widen(document.text, ranges, options) : ranges;
  return widened.map((range, index) => {
    const own = ranges[index] ?? { ...range, size: 0, ownStart: range.start };
    const content = document.text.slice(range.start, range.end);
    const described = own.described ?? describe(document, own, { outline: options.outline, opened });
    const metadata = { ...described.metadata, ...own.metadata, ...pagesOf(document.pages, range) };
    return {
      content,
      start: range.start,
      end: range.end,
      lines: linesOf(lineStarts, range),
      headingPath: described.headingPath,
      tokenCount: options.countTokens(range.start, range.end),
      ...(described.context === undefined ? {} : { context: described.context }),
      ...(own.surroundings === undefined ? {} : { surroundings: own.surroundings }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
  });
}

/** What headings and blocks say of a chunk. */
function describe(
  { title }: ParsedDocument,
  own: ChunkRange,
  { outline, opened }: { outline: Outline; opened: readonly Block[] },
): ChunkDescription {
  const context = contextAt(opened, own.start);
  return {
    headingPath: headingPathOf(outline, headingsOf(outline, own), title),
    ...(context === undefined ? {} : { context }),
  };
}

/** First and last page that a chunk has text on, 1-based. */
function pagesOf(pages: ParsedDocument['pages'], range: TextRange): Metadata {
  if (pages === undefined) return {};
  const touches = (page: TextRange): boolean => page.start < range.end && range.start < page.end;
  const first = pages.findIndex(touches);
  return first < 0 ? {} : { pages: { start: first + 1, end: pages.findLastIndex(touches) + 1 } };
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

function lastAtOrBefore<T>(items: readonly T[], offset: number, startOf: (item: T) => number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const item = items[middle];
    if (item !== undefined && startOf(item) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
