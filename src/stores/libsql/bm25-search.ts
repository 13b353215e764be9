import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { termScorer } from '../bm25.js';
import { visitPostings } from './postings.js';
import type { RowCache } from './row-cache.js';

/**
 * Exact BM25 over the chunks that exist now, of one tenant or of all. Gives every chunk that holds one of the terms once, in
 * ordinal order.
 */
export function scoreBm25(
  database: SqliteDatabase,
  cache: RowCache,
  {
    collection,
    weights,
    tenant,
  }: {
    readonly collection: number;
    readonly weights: ReadonlyMap<string, number>;
    readonly tenant: string | undefined;
  },
  give: (ordinal: number, score: number) => void,
): void {
  const scores = new Float64Array(cache.ordinals);
  const statistics = cache.textStatistics(tenant);
  const isCounted = cache.isOfTenant(tenant);
  // Of one term at a time: its score needs to know first how many chunks hold it.
  const ordinals = new Uint32Array(cache.ordinals);
  const frequencies = new Float64Array(cache.ordinals);
  for (const [term, weight] of weights) {
    const ordinalOf = cache.ordinalFinder();
    let found = 0;
    visitPostings(database, { collection, term }, (row, frequency) => {
      const ordinal = ordinalOf(row);
      if (ordinal === undefined || !isCounted(ordinal)) return;
      ordinals[found] = ordinal;
      frequencies[found++] = frequency;
    });
    const scoreOf = termScorer(statistics, found);
    for (let i = 0; i < found; i++) {
      const ordinal = ordinals[i] ?? 0;
      scores[ordinal] =
        (scores[ordinal] ?? 0) + weight * scoreOf(frequencies[i] ?? 0, cache.lengthAt(ordinal));
    }
  }
  // The weight of a term is never zero, so what has no score holds no term.
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    const score = scores[ordinal] ?? 0;
    if (score > 0) give(ordinal, score);
  }
}
