import type { ScoredChunk } from '../../core/chunk.js';
import type { SqlParameter, SqlRow } from '../../platform/postgres/postgres-session.js';
import type { VectorQuery } from '../vector-store.js';
import { compileFilter } from './filter-sql.js';
import { numberOf, readChunk } from './row-reader.js';
import { Parameters } from './sql-text.js';
import { rowColumns, type TableLayout } from './table-layout.js';
import { encodeVector } from './vector-codec.js';
import type { VectorTypes } from './vector-extension.js';

/** Hits beyond `topK` that the index is asked for, so that ties at the end are seen. */
const SPARE_HITS = 8;

/** A table to search. */
export interface SearchTarget {
  readonly layout: TableLayout;
  readonly types: VectorTypes;
  readonly rows: (sql: string, parameters: readonly SqlParameter[]) => Promise<readonly SqlRow[]>;
}

/** The best rows by exact cosine over every row that the filter admits. */
export async function searchExactly(target: SearchTarget, query: VectorQuery): Promise<ScoredChunk[]> {
  const { layout, types, rows } = target;
  const parameters = new Parameters();
  const vector = parameters.bind(encodeVector(query.vector), types.vector);
  const condition = parameters.render(compileFilter(query.filter, layout));
  const sql = `SELECT ${rowColumns(query.includeVectors ?? false)}, ${score(types, vector)} AS score
    FROM ${layout.from(parameters)} WHERE ${condition}
    ORDER BY score DESC, id LIMIT ${parameters.bind(query.topK, 'bigint')}`;
  return scored(await rows(sql, parameters.values));
}

/**
 * The best rows that the HNSW index finds, scored exactly, or undefined where they may not be all that exact search would
 * give: too few of them (the index stops after a number of rows that the filter refuses), ties at the cut, or scores down
 * to zero, where the zero vectors belong that the index does not hold.
 */
export async function searchNearest(
  target: SearchTarget,
  query: VectorQuery,
): Promise<ScoredChunk[] | undefined> {
  const { layout, types, rows } = target;
  if (query.vector.every((component) => component === 0)) return undefined;
  const wanted = query.topK + SPARE_HITS + Math.ceil(query.topK / 4);
  const parameters = new Parameters();
  const vector = parameters.bind(encodeVector(query.vector), types.vector);
  const condition = parameters.render(compileFilter(query.filter, { ...layout, hidesMetadata: true }));
  const { expression, queryType } = layout.indexed;
  const inner = `SELECT *, ${score(types, vector)} AS score FROM ${layout.from(parameters)} WHERE ${condition}
    ORDER BY ${expression} ${types.distance} ${vector}::${queryType} LIMIT ${parameters.bind(wanted, 'bigint')}`;
  const sql = `SELECT ${rowColumns(query.includeVectors ?? false)}, score FROM (${inner}) AS nearest ORDER BY score DESC, id`;
  const hits = scored(await rows(sql, parameters.values));
  const [lastKept, last] = [hits[query.topK - 1]?.score ?? 0, hits.at(-1)?.score ?? 0];
  const isComplete = hits.length >= wanted && lastKept > 0 && lastKept > last;
  return isComplete ? hits.slice(0, query.topK) : undefined;
}

// The distance to a zero vector is NaN, which the server holds equal to itself; the similarity is 0 by our contract. A row
// of another application may have no vector at all.
const score = ({ distance }: VectorTypes, vector: string): string =>
  `COALESCE(NULLIF(1 - (vector ${distance} ${vector}), 'NaN'), 0)`;

const scored = (rows: readonly SqlRow[]): ScoredChunk[] =>
  rows.map((row) => ({ chunk: readChunk(row), score: numberOf(row, 'score') }));
