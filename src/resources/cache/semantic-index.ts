import { LRUCache } from 'lru-cache';
import { extractIdentifiers } from '../../core/analysis/identifiers.js';
import { readOperators } from '../../core/analysis/query-operators.js';
import { runtime } from '../../core/runtime.js';

/** An earlier question whose results are kept under a key. */
interface EarlierQuestion {
  /** See `groupKeyOf`: only questions of one group can have the same results. */
  readonly group: string;
  readonly vector: Float32Array;
  readonly exact: ExactParts;
}

export interface NearQuestion {
  /** What its results are kept under. */
  readonly key: string;
  /** Cosine of both vectors, in [-1, 1]. */
  readonly similarity: number;
}

/** A question that is looked for, or added. */
export interface SemanticQuestion {
  readonly group: string;
  readonly text: string;
  readonly vector: Float32Array;
}

export interface SemanticIndexOptions {
  /** Cosine from which two questions are taken for the same. */
  readonly threshold: number;
  /** Questions that are known, of all groups together. */
  readonly maxEntries: number;
  /** How long a question is known, in seconds. */
  readonly ttl: number;
}

/**
 * Which earlier question means nearly the same. In the memory of this process; results stand elsewhere. Questions that name different
 * numbers, identifiers, quoted words or names, or of which one denies something, are never taken for the same: their vectors are near, and
 * their answers are not.
 */
export class SemanticIndex {
  readonly #threshold: number;
  readonly #questions: LRUCache<string, EarlierQuestion>;

  constructor({ threshold, maxEntries, ttl }: SemanticIndexOptions) {
    this.#threshold = threshold;
    this.#questions = new LRUCache({
      max: maxEntries,
      ttl: ttl * 1_000,
      perf: { now: () => runtime().elapsed() },
    });
  }

  /** The nearest of the same group that is near enough. */
  nearest({ group, text, vector }: SemanticQuestion): NearQuestion | undefined {
    const exact = exactPartsOf(text);
    let best: NearQuestion | undefined;
    for (const [key, earlier] of this.#questions.entries()) {
      if (earlier.group !== group || !mayMeanTheSame(earlier.exact, exact)) continue;
      const similarity = cosineOf(earlier.vector, vector);
      if (similarity >= this.#threshold && similarity > (best?.similarity ?? -1)) best = { key, similarity };
    }
    return best;
  }

  add(key: string, { group, text, vector }: SemanticQuestion): void {
    this.#questions.set(key, { group, vector, exact: exactPartsOf(text) });
  }

  remove(key: string): void {
    this.#questions.delete(key);
  }

  clear(): void {
    this.#questions.clear();
  }
}

const QUOTED = /"[^"]+"|`[^`]+`|\u201c[^\u201d]+\u201d/gu;
const NUMBER = /\d+(?:[.,:]\d+)*/gu;
const DENIAL =
  /\b(?:not|no|none|nor|neither|never|nobody|nothing|nowhere|without|cannot|except|unless)\b|n['\u2019]t\b/giu;

/** A word that begins with a capital letter, and no sentence. */
const NAME = /(?<=[\p{L}\p{N},;:()'\u2019"\u201c-]\s*)(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** What two questions must share to the letter to be the same, whatever their vectors say. */
interface ExactParts {
  /** Identifiers, numbers and quoted words, and whether it denies: equal texts for equal parts. */
  readonly facts: string;
  /** In lower case. */
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
}

export function exactPartsOf(text: string): ExactParts {
  const lower = text.toLowerCase();
  const facts = [...extractIdentifiers(text), ...(lower.match(QUOTED) ?? []), ...(lower.match(NUMBER) ?? [])];
  const operators = readOperators(text);
  if (operators !== undefined)
    facts.push(JSON.stringify([operators.phrases, operators.excluded, operators.beginnings]).toLowerCase());
  const isDenied = (text.match(DENIAL) ?? []).length % 2 === 1;
  return {
    facts: JSON.stringify([isDenied, [...new Set(facts)].sort()]),
    names: (text.match(NAME) ?? []).map((name) => name.toLowerCase()),
    words: new Set(lower.match(WORD) ?? []),
  };
}

/** Whether what one names stands in the other, at whatever place. */
export const mayMeanTheSame = (a: ExactParts, b: ExactParts): boolean =>
  a.facts === b.facts &&
  a.names.every((name) => b.words.has(name)) &&
  b.names.every((name) => a.words.has(name));

/** 0 for vectors of different lengths: they are of different models. */
function cosineOf(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}
