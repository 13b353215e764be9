import type { StoredChunk } from '../../core/chunk.js';
import { compareText, type RangeBounds } from '../../core/filter.js';
import { runtime } from '../../core/runtime.js';
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
  /** When it was read, by the clock that is never set. */
  readonly readAt: number;
  /** The last write before it was. */
  readonly written: number;
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
  readonly #freshMs: number;
  #place: Place | undefined;

  /** @param freshMs how long what was read is shown, where nothing was written through this store since */
  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  async page(
    { key, limit, cursor, written }: PageQuery & Pick<Place, 'key' | 'written'>,
    read: (bounds: RangeBounds) => AsyncIterable<FoundChunks>,
  ): Promise<ListPage> {
    const now = runtime().elapsed();
    const begun = { key, cursor, written, readAt: now, chunks: [], from: startOf(cursor), ends: [undefined] };
    const place = this.#place;
    const isNextPage = place?.cursor === cursor && place?.key === key;
    const isFresh = place?.written === written && now - place.readAt <= this.#freshMs;
    const at = !isNextPage ? begun : isFresh ? place : { ...begun, ends: endsAgain(place, limit) };
    let { chunks, from, ends }: Pick<Place, 'chunks' | 'from' | 'ends'> = at;
    while (chunks.length <= limit && ends.length > 0) {
      const end = ends.at(-1);
      const seen: StoredChunk[] = [];
      let cuts: readonly string[] = [];
      const bounds = { ...(from === '' ? {} : { gte: from }), ...(end === undefined ? {} : { lt: end }) };
      for await (const found of read(bounds)) {
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
        : { ...at, cursor: page.cursor, chunks: chunks.slice(limit), from, ends };
    return page;
  }
}

/** The ends of the ranges from the cursor on, of which those that were read have a page each. */
function endsAgain({ cursor, chunks, from, ends }: Place, limit: number): readonly End[] {
  const end = ends.length === 0 ? undefined : from;
  return [...ends, end, ...cutsOf(chunks, { from: startOf(cursor), end, limit })];
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
