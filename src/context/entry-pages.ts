import type { StoredChunk } from '../core/chunk.js';
import { pagesOf } from '../core/chunk-metadata.js';
import type { LineRange, TextRange } from '../core/document.js';
import { lastAtOrBefore } from '../core/last-at-or-before.js';
import type { PageStart } from './context-pack.js';
import { offsetsOf } from './passage.js';

/** Where the pages of chunks begin, as far as the chunks say; empty for a document without pages. */
export function pageStartsOf(chunks: readonly StoredChunk[]): PageStart[] {
  const starts = chunks.flatMap((chunk) => {
    const pages = pagesOf(chunk);
    if (pages === undefined) return [];
    const { start } = offsetsOf(chunk);
    const { breaks } = pages;
    if (breaks === undefined) return [{ page: pages.start, lastPage: pages.end, start }];
    return [start, ...breaks].map((at, index) => {
      const page = pages.start + index;
      return { page, lastPage: page, start: at };
    });
  });
  return starts.sort((a, b) => a.start - b.start || a.page - b.page);
}

/** First and last page of a range of the stored revision; undefined for a document without pages. */
export function pagesBetween(starts: readonly PageStart[], { start, end }: TextRange): LineRange | undefined {
  const first = starts[lastAtOrBefore(starts, start, (page) => page.start)];
  const last = starts[lastAtOrBefore(starts, Math.max(start, end - 1), (page) => page.start)];
  return first === undefined || last === undefined ? undefined : { start: first.page, end: last.lastPage };
}

/** Pages of an entry's or passage's pieces, first to last. */
export function pagesOfPieces(
  starts: readonly PageStart[],
  pieces: readonly TextRange[],
): LineRange | undefined {
  const [first] = pieces;
  const last = pieces.at(-1);
  return first === undefined || last === undefined
    ? undefined
    : pagesBetween(starts, { start: first.start, end: last.end });
}
