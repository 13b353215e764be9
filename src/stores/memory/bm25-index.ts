/** Saturation of term frequency; LanceDB's and Lucene's default. */
const K1 = 1.2;
/** Weight of document length; LanceDB's and Lucene's default. */
const B = 0.75;

/** Occurrences of one term: parallel lists of document ordinals and term frequencies, in ordinal order. */
interface Postings {
  readonly ordinals: number[];
  readonly frequencies: number[];
  /** Documents that still exist; the lists may hold deleted ones until the owner compacts. */
  documents: number;
}

/**
 * Exact BM25 over terms separated by one space (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with
 * the inverse document frequency of Lucene, `ln(1 + (N - df + 0.5) / (df + 0.5))`, which is never negative.
 *
 * Documents are ordinals that only grow. A deleted one leaves every statistic at once and its postings when the owner
 * rebuilds the index.
 */
export class Bm25Index {
  readonly #postings = new Map<string, Postings>();
  readonly #lengths: number[] = [];
  #documents = 0;
  #totalLength = 0;

  /** Adds a document. Ordinals must be given in ascending order. */
  add(ordinal: number, text: string): void {
    const terms = splitTerms(text);
    this.#lengths[ordinal] = terms.length;
    this.#documents++;
    this.#totalLength += terms.length;
    for (const [term, frequency] of countTerms(terms)) {
      const postings = this.#postings.get(term) ?? { ordinals: [], frequencies: [], documents: 0 };
      if (postings.ordinals.length === 0) this.#postings.set(term, postings);
      postings.ordinals.push(ordinal);
      postings.frequencies.push(frequency);
      postings.documents++;
    }
  }

  /** Takes a document, given with the text it was added with, out of the statistics. */
  remove(text: string): void {
    const terms = splitTerms(text);
    this.#documents--;
    this.#totalLength -= terms.length;
    for (const term of new Set(terms)) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      postings.documents--;
      if (postings.documents === 0) this.#postings.delete(term);
    }
  }

  /** Scores by ordinal of every document with at least one of the terms; deleted ordinals may be among them. */
  score(terms: readonly string[]): Map<number, number> {
    const scores = new Map<number, number>();
    const averageLength = this.#totalLength / Math.max(1, this.#documents);
    for (const term of new Set(terms)) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      const { documents, ordinals, frequencies } = postings;
      const idf = Math.log(1 + (this.#documents - documents + 0.5) / (documents + 0.5));
      for (let i = 0; i < ordinals.length; i++) {
        const ordinal = ordinals[i] ?? 0;
        const frequency = frequencies[i] ?? 0;
        const norm = K1 * (1 - B + (B * (this.#lengths[ordinal] ?? 0)) / averageLength);
        const weight = (idf * frequency * (K1 + 1)) / (frequency + norm);
        scores.set(ordinal, (scores.get(ordinal) ?? 0) + weight);
      }
    }
    return scores;
  }
}

const splitTerms = (text: string): string[] => text.split(' ').filter((term) => term !== '');

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
