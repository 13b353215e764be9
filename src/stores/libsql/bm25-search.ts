import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { averageLengthOf, inverseDocumentFrequency, lengthNorm, termGain } from '../bm25.js';
import type { TopK } from '../top-k.js';
import { readPostings } from './postings.js';
import { PostingBuffer } from './postings-codec.js';
import type { RowCache } from './row-cache.js';

export interface WantedTerms {
  readonly weights: ReadonlyMap<string, number>;
  /** By whose chunks alone terms are weighed and found; undefined for those of all. */
  readonly tenant: string | undefined;
  readonly isAdmitted: (ordinal: number) => boolean;
}

/** Exact BM25 over the chunks of a collection that exist now. Keeps its arrays, which are as long as the collection, from search to search. */
export class Bm25Search {
  readonly #database: SqliteDatabase;
  readonly #collection: number;
  readonly #cache: RowCache;
  readonly #postings = new PostingBuffer();
  /** By ordinal; all 0 between searches. */
  #scores = new Float64Array(0);
  /** Of the chunks that hold the term that is looked at. */
  #ordinals = new Uint32Array(0);
  #norms = new Float64Array(0);
  #averageLength = Number.NaN;

  constructor(database: SqliteDatabase, collection: number, cache: RowCache) {
    this.#database = database;
    this.#collection = collection;
    this.#cache = cache;
  }

  /** Gives the admitted chunks that hold one of the terms to `best`. In one snapshot with `refresh` of the cache. */
  search({ weights, tenant, isAdmitted }: WantedTerms, best: TopK): void {
    this.#reserve(this.#cache.ordinals);
    try {
      for (const [term, weight] of weights) this.#addScores(term, weight, tenant);
      const [scores, { ordinals }] = [this.#scores, this.#cache];
      let { floor } = best;
      // The weight of a term is never zero, so what has no score holds no term.
      for (let ordinal = 0; ordinal < ordinals; ordinal++) {
        const score = scores[ordinal] ?? 0;
        if (score === 0 || score < floor || !isAdmitted(ordinal)) continue;
        best.push(ordinal, score);
        floor = best.floor;
      }
    } finally {
      this.#scores.fill(0);
    }
  }

  /** Whether an admitted chunk holds the term. In one snapshot with `refresh` of the cache. */
  isHeld(term: string, isAdmitted: (ordinal: number) => boolean): boolean {
    this.#reserve(this.#cache.ordinals);
    readPostings(this.#database, { collection: this.#collection, term }, this.#postings);
    const found = this.#cache.ordinalsOf(this.#postings, undefined, this.#ordinals);
    return this.#ordinals.subarray(0, found).some(isAdmitted);
  }

  #addScores(term: string, weight: number, tenant: string | undefined): void {
    const [cache, scores, ordinals] = [this.#cache, this.#scores, this.#ordinals];
    readPostings(this.#database, { collection: this.#collection, term }, this.#postings);
    // First all of them: a score needs to know how many chunks hold the term.
    const found = cache.ordinalsOf(this.#postings, tenant, ordinals);
    const { frequencies } = this.#postings;
    const statistics = cache.textStatistics(tenant);
    const idf = inverseDocumentFrequency(statistics.chunks, found);
    const norms = this.#normsOf(averageLengthOf(statistics));
    for (let i = 0; i < found; i++) {
      const ordinal = ordinals[i] ?? 0;
      const norm = norms[cache.lengthAt(ordinal)] ?? 0;
      scores[ordinal] = (scores[ordinal] ?? 0) + weight * termGain(idf, frequencies[i] ?? 0, norm);
    }
  }

  /** By length. Made anew when the average changes: each is a division that otherwise every posting would need. */
  #normsOf(averageLength: number): Float64Array {
    const { longest } = this.#cache;
    if (this.#averageLength !== averageLength || this.#norms.length <= longest) {
      this.#norms = Float64Array.from({ length: longest + 1 }, (_, length) =>
        lengthNorm(averageLength, length),
      );
      this.#averageLength = averageLength;
    }
    return this.#norms;
  }

  #reserve(ordinals: number): void {
    if (this.#scores.length >= ordinals) return;
    const room = Math.ceil(ordinals * 1.25);
    this.#scores = new Float64Array(room);
    this.#ordinals = new Uint32Array(room);
  }
}
