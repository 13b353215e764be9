import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { EVERYTHING } from '../../core/filter.js';
import type { VectorCollection } from '../../stores/vector-store.js';

/** The words of the passages that the asker may read, and of no others. */
export interface ReadableWords {
  /** Those of the terms that some passage holds. */
  held(terms: readonly string[]): Promise<ReadonlySet<string>>;
  /** A few passages that hold one of the terms; those with rare ones first. */
  textsWith(terms: readonly string[]): Promise<readonly string[]>;
  /** In how many passages the term is, up to some hundred. */
  count(term: string): Promise<number>;
}

/** Passages that are read for the words near a mistyped one. */
const SAMPLE = 24;
/** Passages that are read to see which words of a query are held. */
const SHARED_SAMPLE = 8;
/** Passages up to which a word is counted: beyond, one is as frequent as another. */
const MOST_COUNTED = 200;

export interface ReadableWordsOptions {
  /** Already narrowed to the scope of the asker (`scopeCollection`). */
  readonly collection: VectorCollection;
  /** Terms that are known to be held; those that are found to be are added. */
  readonly held: Set<string>;
  readonly maxTopK: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The words of a scoped collection, by its own search for words: every store has the same, nothing is kept beside it, and no
 * word comes from a passage that the scope may not read. Undefined where the store cannot search for words.
 */
export function readableWords({
  collection,
  held,
  maxTopK,
  signal,
}: ReadableWordsOptions): ReadableWords | undefined {
  const find = collection.rankText ?? collection.searchText;
  if (find === undefined) return undefined;
  const abort = signal === undefined ? {} : { signal };
  const search = (terms: readonly string[], topK: number) =>
    find({ terms, topK: Math.min(topK, maxTopK), filter: EVERYTHING, ...abort });
  const textsWith = async (terms: readonly string[], topK: number): Promise<string[]> => {
    const hits = terms.length === 0 ? [] : await search(terms, topK);
    const ids = hits.flatMap((hit) => ('chunk' in hit ? [] : hit.id));
    const read = ids.length === 0 ? [] : await collection.get(ids, abort);
    const chunks = [...hits.flatMap((hit) => ('chunk' in hit ? hit.chunk : [])), ...read];
    return chunks.map(indexedTextOfStored);
  };
  return {
    held: async (terms) => {
      const isOpen = (term: string): boolean => !held.has(term);
      const open = terms.filter(isOpen);
      // Passages that hold most of them answer for many at once.
      if (open.length > 1)
        for (const text of await textsWith(open, SHARED_SAMPLE))
          for (const term of analyzeText(text)) if (open.includes(term)) held.add(term);
      const alone = async (term: string): Promise<void> => {
        if ((await search([term], 1)).length > 0) held.add(term);
      };
      await Promise.all(open.filter(isOpen).map(alone));
      return held;
    },
    textsWith: (terms) => textsWith(terms, SAMPLE),
    count: async (term) => (await search([term], MOST_COUNTED)).length,
  };
}
