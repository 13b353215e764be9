import { bytesAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { ScoredItem, TopK } from '../top-k.js';
import { type NearRow, unitVectorOf, type VectorIndex } from '../vector-index.js';
import { type RowCache, vectorOf } from './row-cache.js';

/** Candidates beyond twice what is wanted, so that a few deleted or filtered ones do not cost a second round. */
const MARGIN = 32;
/** Matches that are read and scored one by one rather than asking the index for ever more candidates. */
const SCORED_ALL_UP_TO = 1_000;
/** Growth of the candidates from round to round. */
const GROWTH = 4;
export interface IndexedSearch {
  readonly database: SqliteDatabase;
  readonly cache: RowCache;
  readonly index: VectorIndex;
  readonly isAdmitted: (ordinal: number) => boolean;
  /** An empty heap of the wanted size. */
  readonly newTopK: () => TopK;
  readonly topK: number;
}

/**
 * The ordinals most similar to a vector, by way of an index that knows no filters: candidates are filtered here, and those
 * that may be among the best are scored exactly. More are asked for until enough are admitted and the last of them is
 * better than what the index left out (else ties would not break by id); matches that are few are all scored, whatever the
 * index says.
 */
export function searchWithIndex(search: IndexedSearch, vector: Float32Array): readonly ScoredItem[] {
  const { cache, index, isAdmitted, topK } = search;
  const query = unitVectorOf(vector);
  const similarity = rowSimilarity(search.database, query);
  let matches: number[] | undefined;
  for (let count = 2 * topK + MARGIN; count < index.size; count *= GROWTH) {
    const near = index.nearest(query, count);
    const hits = best(search, candidatesAmong(near, search), similarity);
    const leftOut = (near.at(-1)?.similarity ?? 1) + index.precision;
    if (hits.length === topK && (hits.at(-1)?.score ?? 0) > leftOut) return hits;
    matches ??= matchesOf(cache, isAdmitted);
    if (matches.length <= Math.max(SCORED_ALL_UP_TO, count * GROWTH)) break;
  }
  return best(search, matches ?? matchesOf(cache, isAdmitted), similarity);
}

/** Ordinals of the admitted rows that may be among the best: rows that are worse by more than two errors cannot. */
function candidatesAmong(
  near: readonly NearRow[],
  { cache, index, isAdmitted, topK }: IndexedSearch,
): number[] {
  const candidates: number[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  for (const { row, similarity } of near) {
    if (similarity < worst) break;
    const ordinal = cache.ordinalOf(row);
    if (ordinal === undefined || !isAdmitted(ordinal)) continue;
    if (candidates.push(ordinal) === topK) worst = similarity - 2 * index.precision;
  }
  return candidates;
}

function best(
  { cache, newTopK }: IndexedSearch,
  ordinals: readonly number[],
  similarity: (row: number) => number | undefined,
): readonly ScoredItem[] {
  const top = newTopK();
  for (const ordinal of ordinals) top.push(ordinal, similarity(cache.rowAt(ordinal)) ?? 0);
  return top.sorted();
}

function matchesOf(cache: RowCache, isAdmitted: (ordinal: number) => boolean): number[] {
  const matches: number[] = [];
  for (let ordinal = 0; ordinal < cache.ordinals; ordinal++) if (isAdmitted(ordinal)) matches.push(ordinal);
  return matches;
}

/** Cosine of a row to the query; undefined where the row does not exist any more. */
function rowSimilarity(database: SqliteDatabase, query: Float32Array): (row: number) => number | undefined {
  const known = new Map<number, number | undefined>();
  return (row) => {
    if (known.has(row)) return known.get(row);
    const vector = storedVector(database, row);
    const similarity = vector === undefined ? undefined : cosineToUnit(query, vector);
    known.set(row, similarity);
    return similarity;
  };
}

function storedVector(database: SqliteDatabase, row: number): Float32Array | undefined {
  const stored = database.row('SELECT vector FROM store_vector WHERE row = ?', row);
  return stored === undefined ? undefined : vectorOf(bytesAt(stored, 0));
}

/** In one pass, because most of the vectors are looked at once. 0 for a zero vector. */
function cosineToUnit(unit: Float32Array, vector: Float32Array): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < unit.length; i++) {
    const component = vector[i] ?? 0;
    sum += (unit[i] ?? 0) * component;
    squares += component * component;
  }
  return squares === 0 ? 0 : Math.max(-1, Math.min(1, sum / Math.sqrt(squares)));
}
