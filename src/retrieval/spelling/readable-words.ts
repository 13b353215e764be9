import { indexedTextOfStored } from '../../analysis/indexed-text.js';
import { EVERYTHING } from '../../core/filter.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import type { ReadableWords } from './correct-query.js';

/** Passages that are read for the words near a mistyped one. */
const SAMPLE = 24;
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
  const idsWith = async (terms: readonly string[], topK: number): Promise<string[]> => {
    const hits = await find({ terms, topK: Math.min(topK, maxTopK), filter: EVERYTHING, ...abort });
    return hits.map((hit) => ('chunk' in hit ? hit.chunk.id : hit.id));
  };
  return {
    holds: async (term) => {
      if (held.has(term)) return true;
      const isHeld = (await idsWith([term], 1)).length > 0;
      if (isHeld) held.add(term);
      return isHeld;
    },
    textsWith: async (terms) => {
      if (terms.length === 0) return [];
      const chunks = await collection.get(await idsWith(terms, SAMPLE), abort);
      return chunks.map(indexedTextOfStored);
    },
    count: async (term) => (await idsWith([term], MOST_COUNTED)).length,
  };
}
