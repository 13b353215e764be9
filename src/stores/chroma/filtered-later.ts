import type { Where } from 'chromadb';
import type { ScoredChunk } from '../../core/chunk.js';
import { type Filter, matchesFilter } from '../../core/filter.js';
import { bestOf } from '../best-hits.js';
import { fieldLookup } from '../record-fields.js';
import type { ScoredId, VectorQuery } from '../vector-store.js';
import { conjunctsOf, isNarrowing, narrowingCondition } from './filter-where.js';
import type { RecordReader } from './record-reader.js';
import { toWhere } from './where-condition.js';

/** Candidates beyond topK: those that the filter may refuse, and one by which a tie at the end is seen. */
const spare = (topK: number): number => 2 + Math.ceil(topK / 10);
/** Filters remembered as selective. When there are more, all are tried anew. */
const MAX_REMEMBERED = 256;

/**
 * Vector search that asks the server for the nearest records of all, or of those with the values that a filter names, and
 * filters them here, record by record.
 *
 * The server collects the records of every condition of a `where` before it searches: 10 ms for each that 8,000 records meet,
 * and all conditions of a scope are such. Most filters are the scope of a single tenant, with or without a value beside it,
 * and admit nearly everything that has the values; the nearest of these are then the nearest of what is admitted. Where they
 * do not suffice the answer is undefined, which is remembered: a stale memory costs time, never a result.
 */
export class FilteredLater {
  readonly #selective = new Set<string>();

  /** The best topK, or undefined where too few of the nearest pass the filter or a tie is cut. */
  async search(reader: RecordReader, query: VectorQuery): Promise<ScoredChunk[] | undefined> {
    const narrowing = toWhere(narrowingCondition(query.filter));
    if (narrowing === false) return [];
    const ofAll = await this.#unlessSelective(`all ${shapeOf(query.filter)}`, reader, { query, where: true });
    if (ofAll !== undefined || narrowing === true) return ofAll;
    const key = `narrowed ${JSON.stringify(query.filter)}`;
    return this.#unlessSelective(key, reader, { query, where: narrowing });
  }

  async #unlessSelective(
    key: string,
    reader: RecordReader,
    { query, where }: { readonly query: VectorQuery; readonly where: Where | true },
  ): Promise<ScoredChunk[] | undefined> {
    if (this.#selective.has(key)) return undefined;
    const nearest = await firstNearest(reader, where, query);
    // Nothing is learnt from a tie, or from candidates that the server missed.
    if (nearest === undefined) return undefined;
    const admitted = await admittedOf(reader, nearest.hits, query);
    if (admitted.length >= query.topK || nearest.isAll) return bestOf(admitted, query.topK);
    if (this.#selective.size >= MAX_REMEMBERED) this.#selective.clear();
    this.#selective.add(key);
    return undefined;
  }
}

/** The filter without the values that narrow it: of `bucket = 1` and `bucket = 2` one is as selective as the other. */
const shapeOf = (filter: Filter): string =>
  JSON.stringify(conjunctsOf(filter).map((part) => (isNarrowing(part) ? [part.op, part.field] : part)));

async function admittedOf(
  reader: RecordReader,
  hits: readonly ScoredId[],
  { filter, includeVectors, signal }: VectorQuery,
): Promise<ScoredChunk[]> {
  const ids = hits.map(({ id }) => id);
  const chunks = await reader.byIds(ids, { includeVectors, signal });
  return hits.flatMap(({ id, score }) => {
    const chunk = chunks.get(id);
    const isAdmitted = chunk !== undefined && matchesFilter(filter, fieldLookup(chunk));
    return isAdmitted ? [{ chunk, score }] : [];
  });
}

interface Nearest {
  readonly hits: readonly ScoredId[];
  /** Whether these are all records that meet the condition. */
  readonly isAll: boolean;
}

/** At least topK of the nearest records, or all; undefined where the server missed some or a tie at the end is cut. */
async function firstNearest(
  reader: RecordReader,
  where: Where | true,
  query: VectorQuery,
): Promise<Nearest | undefined> {
  const { topK, signal } = query;
  const limit = topK + spare(topK);
  const hits = await reader.nearestIds(where, query, limit);
  if (hits.length < limit) {
    const matches = await reader.ids(where, { limit, signal });
    return matches.length === hits.length ? { hits, isAll: true } : undefined;
  }
  const leftOut = hits.at(-1)?.score;
  // The last one stands for all that are not asked for, which may be its equals.
  const beforeIt = hits.filter(({ score }) => leftOut !== undefined && score > leftOut);
  return beforeIt.length < topK ? undefined : { hits: beforeIt, isAll: false };
}
