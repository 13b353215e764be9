import type { ScoredChunk } from '../../core/chunk.js';
import { matchesFilter } from '../../core/filter.js';
import { fieldLookup } from '../record-fields.js';
import type { VectorQuery } from '../vector-store.js';
import type { RecordReader } from './record-reader.js';
import { byScoreThenId } from './vector-search.js';

/** Candidates beyond topK: those that the filter may refuse, and one by which a tie at the end is seen. */
const spare = (topK: number): number => 2 + Math.ceil(topK / 10);
/** Filters remembered as selective. When there are more, all are tried anew. */
const MAX_REMEMBERED = 256;

/**
 * Vector search that asks the server for the nearest records of all and filters those here, record by record.
 *
 * The server evaluates a `where` over the whole collection before it searches: 40 ms at 5,000 records, and twenty times that
 * at 100,000. Most searches have a filter that admits nearly everything (the scope of a single tenant), and for those the
 * nearest of all are the nearest of what is admitted. Where they do not suffice the answer is undefined, which is remembered
 * for the filter: a stale memory costs time, never a result.
 */
export class FilteredLater {
  readonly #selective = new Set<string>();

  /** The best topK, or undefined where too few of the nearest pass the filter or a tie is cut. */
  async search(reader: RecordReader, query: VectorQuery): Promise<ScoredChunk[] | undefined> {
    const key = JSON.stringify(query.filter);
    if (this.#selective.has(key)) return undefined;
    const nearest = await firstNearest(reader, query);
    // Nothing is learnt from a collection that is too small, which may grow, or from a tie.
    if (nearest === undefined) return undefined;
    const admitted = nearest.filter(({ chunk }) => matchesFilter(query.filter, fieldLookup(chunk)));
    if (admitted.length >= query.topK) return admitted.sort(byScoreThenId).slice(0, query.topK);
    this.#remember(key);
    return undefined;
  }

  #remember(key: string): void {
    if (this.#selective.size >= MAX_REMEMBERED) this.#selective.clear();
    this.#selective.add(key);
  }
}

/** More than topK of the nearest records, or undefined where there are not so many or a tie at the end is cut. */
async function firstNearest(reader: RecordReader, query: VectorQuery): Promise<ScoredChunk[] | undefined> {
  const { vector, topK, includeVectors, signal } = query;
  const limit = topK + spare(topK);
  const candidates = await reader.nearestIds({ vector, limit, signal });
  const leftOut = candidates.at(-1)?.score;
  // The last one stands for all that are not asked for, which may be its equals.
  const beforeIt = candidates.filter(({ score }) => leftOut !== undefined && score > leftOut);
  if (candidates.length < limit || beforeIt.length < topK) return undefined;
  const chunks = await reader.byIds(
    beforeIt.map(({ id }) => id),
    { includeVectors, signal },
  );
  return beforeIt.flatMap(({ id, score }) => {
    const chunk = chunks.get(id);
    return chunk === undefined ? [] : [{ chunk, score }];
  });
}
