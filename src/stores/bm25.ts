/** Saturation of term frequency; LanceDB's and Lucene's default. */
export const K1 = 1.2;
/** Weight of document length; LanceDB's and Lucene's default. */
export const B = 0.75;

/** What BM25 knows of a collection: live chunks only. */
export interface TextStatistics {
  readonly chunks: number;
  /** Terms of all chunks together, repeated ones counted each time. */
  readonly length: number;
}

/** Statistics of parts of a collection, each by its key. */
export class PartStatistics<Key> {
  readonly #parts = new Map<Key, TextStatistics>();

  add(key: Key, length: number): void {
    this.#change(key, { chunks: 1, length });
  }

  remove(key: Key, length: number): void {
    this.#change(key, { chunks: -1, length: -length });
  }

  clear(): void {
    this.#parts.clear();
  }

  /** Of the parts that are wanted, together. */
  of(isWanted: (key: Key) => boolean): TextStatistics {
    let [chunks, length] = [0, 0];
    for (const [key, part] of this.#parts)
      if (isWanted(key)) {
        chunks += part.chunks;
        length += part.length;
      }
    return { chunks, length };
  }

  #change(key: Key, { chunks, length }: TextStatistics): void {
    const before = this.#parts.get(key) ?? { chunks: 0, length: 0 };
    const after = { chunks: before.chunks + chunks, length: before.length + length };
    if (after.chunks === 0) this.#parts.delete(key);
    else this.#parts.set(key, after);
  }
}

/** How much a term says that occurs in so many of the chunks: Lucene's `ln(1 + (N - df + 0.5) / (df + 0.5))`, never negative. */
export const inverseDocumentFrequency = (chunks: number, chunksWithTerm: number): number =>
  Math.log(1 + (chunks - chunksWithTerm + 0.5) / (chunksWithTerm + 0.5));

/** What the length of a chunk does to the weight of its terms. */
export const lengthNorm = (averageLength: number, chunkLength: number): number =>
  K1 * (1 - B + (B * chunkLength) / averageLength);

/** Terms of a usual chunk. */
export const averageLengthOf = ({ chunks, length }: TextStatistics): number => length / Math.max(1, chunks);

/** What a term of this rarity adds to the score of a chunk that holds it so often. */
export const termGain = (idf: number, frequency: number, norm: number): number =>
  (idf * frequency * (K1 + 1)) / (frequency + norm);

/**
 * What one term adds to the score of a chunk, by how often it occurs in it and how many terms the chunk has: BM25 (Robertson
 * & Zaragoza, "The Probabilistic Relevance Framework", 2009).
 */
export function termScorer(
  statistics: TextStatistics,
  chunksWithTerm: number,
): (frequency: number, chunkLength: number) => number {
  const averageLength = averageLengthOf(statistics);
  const idf = inverseDocumentFrequency(statistics.chunks, chunksWithTerm);
  return (frequency, chunkLength) => termGain(idf, frequency, lengthNorm(averageLength, chunkLength));
}

/** How often each term occurs in a text of terms separated by one space, and how many terms it has. */
export function countTerms(searchText: string): {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
} {
  const counts = new Map<string, number>();
  let length = 0;
  for (const term of searchText.split(' ')) {
    if (term === '') continue;
    length++;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return { counts, length };
}
