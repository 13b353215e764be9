import { compareText } from '../../core/filter.js';
import { countTerms, PartStatistics, termScorer } from '../bm25.js';

/** Occurrences of one term: parallel lists of document ordinals and term frequencies, in ordinal order. */
interface Postings {
  readonly ordinals: number[];
  readonly frequencies: number[];
  /** Documents that still exist, by tenant; the lists may hold deleted ones until the owner compacts. */
  readonly documents: Map<string, number>;
}

/** A document: whose it is, and its terms. */
export interface TenantText {
  readonly tenant: string;
  readonly text: string;
}

/**
 * Exact BM25 over terms separated by one space.
 *
 * Documents are ordinals that only grow. A deleted one leaves every statistic at once and its postings when the owner
 * rebuilds the index.
 */
export class Bm25Index {
  readonly #postings = new Map<string, Postings>();
  readonly #lengths: number[] = [];
  readonly #tenants: string[] = [];
  readonly #statistics = new PartStatistics<string>();

  /** Adds a document. Ordinals must be given in ascending order. */
  add(ordinal: number, { tenant, text }: TenantText): void {
    const { counts, length } = countTerms(text);
    this.#lengths[ordinal] = length;
    this.#tenants[ordinal] = tenant;
    this.#statistics.add(tenant, length);
    for (const [term, frequency] of counts) {
      const postings: Postings = this.#postings.get(term) ?? {
        ordinals: [],
        frequencies: [],
        documents: new Map(),
      };
      if (postings.ordinals.length === 0) this.#postings.set(term, postings);
      postings.ordinals.push(ordinal);
      postings.frequencies.push(frequency);
      countDocument(postings, tenant, 1);
    }
  }

  /** Takes a document, given as it was added, out of the statistics. */
  remove({ tenant, text }: TenantText): void {
    const { counts, length } = countTerms(text);
    this.#statistics.remove(tenant, length);
    for (const term of counts.keys()) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      countDocument(postings, tenant, -1);
      if (postings.documents.size === 0) this.#postings.delete(term);
    }
  }

  /** Terms of admitted documents that begin so, ascending. Deleted documents must not be admitted. */
  termsBeginning(beginning: string, isAdmitted: (ordinal: number) => boolean): string[] {
    const found: string[] = [];
    for (const [term, { ordinals }] of this.#postings)
      if (term.startsWith(beginning) && ordinals.some(isAdmitted)) found.push(term);
    return found.sort(compareText);
  }

  /** Scores by ordinal of every document of the tenant, or of all, with at least one of the terms; deleted ones may be among them. */
  score(weights: ReadonlyMap<string, number>, tenant?: string): Map<number, number> {
    const scores = new Map<number, number>();
    const isWanted = (owner: string): boolean => tenant === undefined || owner === tenant;
    const statistics = this.#statistics.of(isWanted);
    for (const [term, weight] of weights) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      const { documents, ordinals, frequencies } = postings;
      let withTerm = 0;
      for (const [owner, count] of documents) if (isWanted(owner)) withTerm += count;
      const scoreOf = termScorer(statistics, withTerm);
      for (let i = 0; i < ordinals.length; i++) {
        const ordinal = ordinals[i] ?? 0;
        if (!isWanted(this.#tenants[ordinal] ?? '')) continue;
        const score = weight * scoreOf(frequencies[i] ?? 0, this.#lengths[ordinal] ?? 0);
        scores.set(ordinal, (scores.get(ordinal) ?? 0) + score);
      }
    }
    return scores;
  }
}

function countDocument({ documents }: Postings, tenant: string, change: 1 | -1): void {
  const count = (documents.get(tenant) ?? 0) + change;
  if (count === 0) documents.delete(tenant);
  else documents.set(tenant, count);
}
