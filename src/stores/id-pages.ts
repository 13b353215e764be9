import type { StoredChunk } from '../core/chunk.js';
import { compareText } from '../core/filter.js';
import type { ListPage } from './vector-store.js';

export interface ReadOptions {
  readonly includeVectors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Chunks in id order, from after the id that is the cursor. */
export interface PageQuery extends ReadOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Chunks read at once, which may be large. */
export const CHUNKS_PER_REQUEST = 500;

/** A page of chunks that come in id order; one more than it holds tells that it is not the last. */
export async function firstPage(
  chunks: AsyncIterable<readonly StoredChunk[]>,
  limit: number,
): Promise<ListPage> {
  const read: StoredChunk[] = [];
  for await (const some of chunks) {
    read.push(...some);
    if (read.length > limit) break;
  }
  return pageOf(read, limit);
}

/** The first of chunks in id order, of which more than so many tell that it is not the last page. */
export function pageOf(read: readonly StoredChunk[], limit: number): ListPage {
  const last = read[limit - 1];
  return read.length <= limit || last === undefined
    ? { chunks: read }
    : { chunks: read.slice(0, limit), cursor: last.id };
}

/** A page of a server that gives the first chunks after an id. */
export const orderedPage = (
  query: PageQuery,
  read: (after: string | undefined, limit: number) => Promise<readonly StoredChunk[]>,
): Promise<ListPage> => firstPage(inIdOrder(query, read), query.limit);

async function* inIdOrder(
  { limit, cursor }: PageQuery,
  read: (after: string | undefined, limit: number) => Promise<readonly StoredChunk[]>,
): AsyncGenerator<readonly StoredChunk[]> {
  let after = cursor;
  for (let wanted = limit + 1; wanted > 0; ) {
    const size = Math.min(wanted, CHUNKS_PER_REQUEST);
    const chunks = await read(after, size);
    yield chunks;
    if (chunks.length < size) return;
    wanted -= chunks.length;
    after = chunks.at(-1)?.id;
  }
}

interface Identified {
  readonly id: string;
}

/** Where a listing stands. */
interface Place<Item> {
  /** What is listed. */
  readonly key: string;
  readonly cursor: string;
  /** What comes after the cursor. */
  readonly items: readonly Item[];
}

/** Pages of a server that knows no order: everything is put in order for the first page, and what is left of it kept for the next one. */
export class CachedOrder<Item extends Identified> {
  #place: Place<Item> | undefined;

  /** Reads everything anew for the next page. */
  forget(): void {
    this.#place = undefined;
  }

  async page(
    { key, limit, cursor }: PageQuery & { readonly key: string },
    readAll: () => Promise<readonly Item[]>,
    chunksOf: (items: readonly Item[]) => Promise<readonly StoredChunk[]>,
  ): Promise<ListPage> {
    const place = this.#place;
    const isNextPage = place !== undefined && place.cursor === cursor && place.key === key;
    const items = isNextPage ? place.items : inOrderAfter(cursor, await readAll());
    const chunks: StoredChunk[] = [];
    let next = 0;
    // What was deleted since the ids were read leaves gaps, which the following ones fill.
    while (chunks.length < limit && next < items.length) {
      const wanted = items.slice(next, next + limit - chunks.length);
      chunks.push(...(await chunksOf(wanted)));
      next += wanted.length;
    }
    const last = chunks.at(-1);
    const isLast = next >= items.length || last === undefined;
    this.#place = isLast ? undefined : { key, cursor: last.id, items: items.slice(next) };
    return isLast ? { chunks } : { chunks, cursor: last.id };
  }
}

const inOrderAfter = <Item extends Identified>(cursor: string | undefined, items: readonly Item[]): Item[] =>
  items
    .filter(({ id }) => cursor === undefined || compareText(id, cursor) > 0)
    .sort((a, b) => compareText(a.id, b.id));
