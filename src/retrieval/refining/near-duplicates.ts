import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';
import { isCollapsible } from './collapse.js';
import { jaccard, wordSet, wordShingles } from './word-shingles.js';

export interface NearDuplicateOptions {
  /** Jaccard similarity of word triples, in (0, 1]. */
  readonly threshold: number;
  /** So many are kept; what follows is only counted. */
  readonly limit: number;
}

export interface DistinctCandidates {
  /** Each with how many were left out for it. */
  readonly kept: readonly Candidate[];
  readonly removed: readonly RemovedCandidate[];
  /** Some are near copies, so that more of them may follow. */
  readonly areCopied: boolean;
}

/** In a passage of no more words one that differs is in three triples, and most of them are another's. */
const MOST_WORDS_OF_SHORT = 40;
/** Jaccard similarity of the words of short passages, without versions and dates, from which they are near copies. */
const SHORT_THRESHOLD = 0.8;
/** Of two that differ in a word each may be wanted; more are releases of one thing, or a form that is filled in. */
const LEAST_COPIES = 2;

/** A candidate that is kept, and what was left out for it. */
interface Original {
  readonly candidate: Candidate;
  /** Of a short one. */
  readonly words: Uint32Array | undefined;
  readonly repeated: Candidate[];
  /** Short ones, which count when there are enough of them. */
  readonly alike: Original[];
}

/**
 * Keeps the best of passages that say the same in the same words: a candidate is dropped where its word triples overlap at least
 * `threshold` with a kept one. Short passages that differ in a word or two are dropped where several do, but none that holds an
 * identifier of the query. Order is kept.
 */
export function removeNearDuplicates(
  candidates: readonly Candidate[],
  { threshold, limit }: NearDuplicateOptions,
): DistinctCandidates {
  const originals: Original[] = [];
  const seen = new SimilarSets<Original>(threshold);
  for (const candidate of candidates) {
    const shingles = wordShingles(candidate.chunk.content);
    const repeats = seen.find(shingles);
    if (repeats !== undefined) {
      repeats.repeated.push(candidate);
      continue;
    }
    const words = shortWords(candidate);
    const like = words === undefined ? undefined : mostAlike(words, originals);
    // One of a pair stays, and stands for no others that are like it.
    const original: Original = {
      candidate,
      words: like === undefined ? words : undefined,
      repeated: [],
      alike: [],
    };
    like?.alike.push(original);
    originals.push(original);
    seen.add(shingles, original);
  }
  const dropped = new Set(originals.flatMap(({ alike }) => (alike.length < LEAST_COPIES ? [] : alike)));
  const kept = originals.filter((original) => !dropped.has(original)).slice(0, limit);
  const leftOut = ({ repeated, alike }: Original): readonly Candidate[] => [
    ...repeated,
    ...(alike.length < LEAST_COPIES ? [] : alike.flatMap((each) => [each.candidate, ...each.repeated])),
  ];
  return {
    kept: kept.map((original) => withAlike(original.candidate, leftOut(original).length)),
    removed: kept.flatMap((original) =>
      leftOut(original).map(({ chunk }) => ({
        id: chunk.id,
        step: 'near-duplicate' as const,
        detail: `of ${original.candidate.chunk.id}`,
      })),
    ),
    areCopied: originals.some(({ repeated, alike }) => repeated.length + alike.length > 0),
  };
}

const withAlike = (candidate: Candidate, alike: number): Candidate =>
  alike === 0 ? candidate : { ...candidate, more: { passages: 0, copies: 0, ...candidate.more, alike } };

/** Undefined for a passage that is long, holds what the query names, or is an item of a backlog, which stands for itself. */
function shortWords({ chunk, identifierHits }: Candidate): Uint32Array | undefined {
  const { content } = chunk;
  if (identifierHits > 0 || content.length > MOST_WORDS_OF_SHORT * MOST_CHARACTERS) return undefined;
  if (isCollapsible(chunk, 'items')) return undefined;
  const words = wordSet(content.replace(VERSIONS, ' '));
  return words.length < LEAST_WORDS || words.length > MOST_WORDS_OF_SHORT ? undefined : words;
}

/** Fewer words are a heading or a label, which many things have. */
const LEAST_WORDS = 5;

const MOST_CHARACTERS = 12;
const VERSIONS = /\bv?\d+(?:\.\d+){1,3}(?:-[\w.]+)?\b|\b\d{4}-\d\d-\d\d\b/gi;

function mostAlike(words: Uint32Array, originals: readonly Original[]): Original | undefined {
  return originals.find(
    (original) => original.words !== undefined && jaccard(words, original.words) >= SHORT_THRESHOLD,
  );
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
