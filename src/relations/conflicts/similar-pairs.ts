import { countCommon } from '../../core/count-common.js';

/** Two sets of terms by their places in what was given, the first place the smaller one. */
export interface SimilarPair {
  readonly a: number;
  readonly b: number;
  /** Share of common terms (Dice), 0 to 1. */
  readonly overlap: number;
}

/**
 * Sets that are looked at for one term, or one pair of frequent terms. It bounds the work by the number of sets times a constant, so that
 * it grows with the collection and not with its square.
 */
const MOST_OF_KEY = 100;
/** Frequent terms of one set that are paired. */
const MOST_FREQUENT = 8;

/**
 * Finds pairs of sets with an overlap of at least `least`, each set against those before it. Prefix filtering (Chaudhuri, Ganti and Kaushik,
 * ICDE 2006; Bayardo, Ma and Srikant, WWW 2007; Xiao et al., TODS 2011): sorted by rarity, two sets that are so similar must share one of their
 * first terms, so only sets with a common term there are compared. Terms that very many sets have are taken in pairs. Exact but for `isCut`.
 */
export class SimilarPairs {
  readonly #sets: readonly Uint32Array[];
  readonly #least: number;
  readonly #share: number;
  readonly #frequency: ReadonlyMap<number, number>;
  readonly #byKey = new Map<number, number[]>();
  readonly #seen: Int32Array;
  #isCut = false;
  #next = 0;

  constructor(sets: readonly Uint32Array[], least: number) {
    this.#sets = sets;
    this.#least = least;
    this.#share = least / (2 - least);
    this.#frequency = frequencies(sets);
    this.#seen = new Int32Array(sets.length).fill(-1);
  }

  /** Something was not compared, because very many sets share its terms. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Pairs of the next set with those before it; undefined where there is none left. */
  next(): SimilarPair[] | undefined {
    const b = this.#next++;
    const terms = this.#sets[b];
    if (terms === undefined) return undefined;
    const pairs: SimilarPair[] = [];
    for (const key of keysOf(terms, { frequency: this.#frequency, share: this.#share })) {
      const others = this.#byKey.get(key) ?? [];
      if (others.length === 0) this.#byKey.set(key, others);
      for (const a of others) {
        if (this.#seen[a] === b) continue;
        this.#seen[a] = b;
        const overlap = this.#overlap(a, terms);
        if (overlap >= this.#least) pairs.push({ a, b, overlap });
      }
      if (others.length < MOST_OF_KEY) others.push(b);
      else this.#isCut = true;
    }
    return pairs;
  }

  #overlap(a: number, terms: Uint32Array): number {
    const other = this.#sets[a];
    const share = this.#share;
    if (other === undefined || other.length < share * terms.length || terms.length < share * other.length)
      return 0;
    return overlapOf(other, terms);
  }
}

function frequencies(sets: readonly Uint32Array[]): Map<number, number> {
  const frequency = new Map<number, number>();
  for (const terms of sets) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  return frequency;
}

/** Keys of which two sets that are similar enough share one. */
function keysOf(
  terms: Uint32Array,
  { frequency, share }: { readonly frequency: ReadonlyMap<number, number>; readonly share: number },
): number[] {
  const timesOf = (term: number): number => frequency.get(term) ?? 0;
  const sorted = [...terms].sort((a, b) => timesOf(a) - timesOf(b) || a - b);
  const prefix = sorted.slice(0, sorted.length - Math.ceil(share * sorted.length) + 1);
  const rare = prefix.filter((term) => timesOf(term) <= MOST_OF_KEY);
  const frequent = sorted.filter((term) => timesOf(term) > MOST_OF_KEY).slice(0, MOST_FREQUENT);
  const pairs = frequent.flatMap((first, at) =>
    frequent.slice(at + 1).map((second) => pairKey(first, second)),
  );
  return [...rare, ...pairs];
}

/** Above all terms, which have 32 bits; two pairs with one key by chance cost a comparison. */
const pairKey = (first: number, second: number): number =>
  0x1_0000_0000 + ((Math.imul(Math.min(first, second), 0x9e3779b1) ^ Math.max(first, second)) >>> 0);

/** Share of common elements of two ascending sets (Dice). */
export function overlapOf(a: Uint32Array, b: Uint32Array): number {
  return a.length + b.length === 0 ? 0 : (2 * countCommon(a, b)) / (a.length + b.length);
}
