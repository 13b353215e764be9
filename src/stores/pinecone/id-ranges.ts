import type { StoredChunk } from '../../core/chunk.js';
import { compareText, type RangeBounds } from '../../core/filter.js';
import { type PageQuery, pageOf } from '../id-pages.js';
import type { ListPage } from '../vector-store.js';

/** A range that holds more chunks than so many pages is cut. */
const MAX_PAGES = 8;

/** Chunks that the service gave at once, in no order. */
export interface FoundChunks {
  readonly chunks: readonly StoredChunk[];
  /** There are no more. */
  readonly isLast: boolean;
}

/** Where a listing stands. */
interface Place {
  /** What is listed. */
  readonly key: string;
  readonly cursor: string | undefined;
  /** What was read beyond the cursor, in id order. */
  readonly chunks: readonly StoredChunk[];
  /** Where what was not read begins. */
  readonly from: string;
  /** Where the ranges end that were not read, the nearest last. */
  readonly ends: readonly End[];
}

/** An id before which a range ends; undefined for the end of everything. */
type End = string | undefined;

/**
 * Pages in id order of a service that gives what passes a filter in no order, and takes ranges of ids. A range that proves too large is cut where the
 * ids seen in it say, and the part nearest to the cursor read first; the other ends are kept for the next pages.
 */
export class IdRanges {
  #place: Place | undefined;

  /** Reads again what was read beyond the cursor: something was written. */
  refresh(): void {
    if (this.#place === undefined) return;
    const { key, cursor, ends } = this.#place;
    const unread = ends.length === 0 ? [undefined] : ends;
    this.#place = { key, cursor, chunks: [], from: startOf(cursor), ends: unread };
  }

  async page(
    { key, limit, cursor }: PageQuery & { readonly key: string },
    read: (ids: RangeBounds) => AsyncIterable<FoundChunks>,
  ): Promise<ListPage> {
    const place = this.#place;
    const isNextPage = place?.cursor === cursor && place?.key === key;
    let { chunks, from, ends }: Pick<Place, 'chunks' | 'from' | 'ends'> = isNextPage
      ? place
      : { chunks: [], from: startOf(cursor), ends: [undefined] };
    while (chunks.length <= limit && ends.length > 0) {
      const end = ends.at(-1);
      const seen: StoredChunk[] = [];
      let cuts: readonly string[] = [];
      for await (const found of read({ gte: from, ...(end === undefined ? {} : { lt: end }) })) {
        seen.push(...found.chunks);
        if (found.isLast || seen.length < MAX_PAGES * limit) continue;
        cuts = cutsOf(seen, { from, end, limit });
        if (cuts.length > 0) break;
      }
      if (cuts.length > 0) ends = [...ends, ...cuts];
      else {
        const after = seen.filter(({ id }) => cursor === undefined || compareText(id, cursor) > 0);
        chunks = [...chunks, ...after.sort((a, b) => compareText(a.id, b.id))];
        from = end ?? from;
        ends = ends.slice(0, -1);
      }
    }
    const page = pageOf(chunks, limit);
    this.#place =
      page.cursor === undefined
        ? undefined
        : { key, cursor: page.cursor, chunks: chunks.slice(limit), from, ends };
    return page;
  }
}

/** Ids that cut a range in parts of which each has more than a page of those seen, the nearest last. */
function cutsOf(
  seen: readonly StoredChunk[],
  { from, end, limit }: { readonly from: string; readonly end: End; readonly limit: number },
): readonly string[] {
  const starts = [...new Set(seen.map(({ id }) => startOf(id)))].filter(
    (id) => compareText(from, id) < 0 && (end === undefined || compareText(id, end) < 0),
  );
  const step = Math.min(limit + 2, starts.length);
  return starts
    .sort(compareText)
    .filter((_, i) => (i + 1) % step === 0)
    .reverse();
}

/** The beginning of an id, of plain characters and so short that the service compares it whole. */
const startOf = (id = ''): string => /^[ -~]{0,10}/.exec(id)?.[0] ?? '';
