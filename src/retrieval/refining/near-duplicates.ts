import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';
import { jaccard, wordShingles } from './word-shingles.js';

export interface NearDuplicateOptions {
  /** Jaccard similarity of word triples, in (0, 1]. */
  readonly threshold: number;
  /** Stop when so many are kept; the rest is not even looked at. */
  readonly limit: number;
}

/**
 * Keeps the best of passages that say the same in the same words: a candidate is dropped where its word triples overlap at
 * least `threshold` with a kept one. Order is kept.
 */
export function removeNearDuplicates(
  candidates: readonly Candidate[],
  { threshold, limit }: NearDuplicateOptions,
): { kept: Candidate[]; removed: RemovedCandidate[] } {
  const kept: Candidate[] = [];
  const removed: RemovedCandidate[] = [];
  const seen = new SimilarSets<string>(threshold);
  for (const candidate of candidates) {
    if (kept.length >= limit) break;
    const shingles = wordShingles(candidate.chunk.content);
    const original = seen.find(shingles);
    if (original === undefined) {
      kept.push(candidate);
      seen.add(shingles, candidate.chunk.id);
    } else {
      removed.push({ id: candidate.chunk.id, step: 'near-duplicate', detail: `of ${original}` });
    }
  }
  return { kept, removed };
}

/**
 * Finds an earlier set that is at least `threshold` similar, without comparing all pairs: such sets share an element among
 * the first floor((1 - threshold) * size) + 1 of each, in one global order (prefix filtering; Chaudhuri et al., ICDE 2006).
 */
class SimilarSets<Name> {
  readonly #threshold: number;
  readonly #byPrefix = new Map<number, { readonly shingles: Uint32Array; readonly name: Name }[]>();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  add(shingles: Uint32Array, name: Name): void {
    for (const element of this.#prefixOf(shingles)) {
      const entries = this.#byPrefix.get(element);
      if (entries === undefined) this.#byPrefix.set(element, [{ shingles, name }]);
      else entries.push({ shingles, name });
    }
  }

  find(shingles: Uint32Array): Name | undefined {
    const compared = new Set<Uint32Array>();
    for (const element of this.#prefixOf(shingles)) {
      for (const entry of this.#byPrefix.get(element) ?? []) {
        if (compared.has(entry.shingles)) continue;
        compared.add(entry.shingles);
        if (jaccard(shingles, entry.shingles) >= this.#threshold) return entry.name;
      }
    }
    return undefined;
  }

  #prefixOf(shingles: Uint32Array): Uint32Array {
    const length = Math.floor((1 - this.#threshold) * shingles.length + 1e-9) + 1;
    return shingles.subarray(0, length);
  }
}
