import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import { visitPostings } from './postings.js';
import type { RowCache } from './row-cache.js';

/** Saturation of term frequency. */
const K1 = 1.2;
/** Weight of document length. */
const B = 0.75;

/**
 * Exact BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) with the inverse document frequency of
 * Lucene, `ln(1 + (N - df + 0.5) / (df + 0.5))`, over the chunks that exist now. Gives every chunk that holds one of the
 * terms once, in ordinal order; repeated terms count once.
 */
export function scoreBm25(
  database: SqliteDatabase,
  cache: RowCache,
  { collection, terms }: { readonly collection: number; readonly terms: readonly string[] },
  give: (ordinal: number, score: number) => void,
): void {
  const scores = new Float64Array(cache.ordinals);
  for (const term of new Set(terms)) {
    const ordinals: number[] = [];
    const frequencies: number[] = [];
    visitPostings(database, { collection, term }, (row, frequency) => {
      const ordinal = cache.ordinalOf(row);
      if (ordinal === undefined) return;
      ordinals.push(ordinal);
      frequencies.push(frequency);
    });
    const idf = Math.log(1 + (cache.size - ordinals.length + 0.5) / (ordinals.length + 0.5));
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] ?? 0;
      const frequency = frequencies[i] ?? 0;
      const norm = K1 * (1 - B + (B * cache.lengthAt(ordinal)) / cache.averageLength);
      scores[ordinal] = (scores[ordinal] ?? 0) + (idf * frequency * (K1 + 1)) / (frequency + norm);
    }
  }
  // The weight of a term is never zero, so what has no score holds no term.
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    const score = scores[ordinal] ?? 0;
    if (score > 0) give(ordinal, score);
  }
}
