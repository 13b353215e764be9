import type { ScoredChunk } from '../core/chunk.js';
import { contentHash } from '../core/ids.js';
import { collectionOf, membersOf } from '../stores/collection-members.js';
import type { TextQuery, VectorCollection, VectorQuery } from '../stores/vector-store.js';

interface Kept {
  readonly topK: number;
  readonly hits: Promise<ScoredChunk[]>;
}

/**
 * The collection with the answers of its searches kept, so that many settings are tried on one search a query. Searches
 * fetch at least `depth` hits; a smaller list is the beginning of a larger one. Nothing may be written meanwhile.
 */
export function rememberSearches(collection: VectorCollection, depth: number): VectorCollection {
  const kept = new Map<string, Kept>();
  const remembered = async (
    key: string,
    topK: number,
    search: (topK: number) => Promise<ScoredChunk[]>,
  ): Promise<ScoredChunk[]> => {
    let entry = kept.get(key);
    if (entry === undefined || entry.topK < topK) {
      const fetched = Math.max(topK, depth);
      entry = { topK: fetched, hits: search(fetched) };
      kept.set(key, entry);
    }
    return (await entry.hits).slice(0, topK);
  };
  const searchText = collection.searchText?.bind(collection);
  return collectionOf({
    ...membersOf(collection),
    searchVector: (query) =>
      remembered(vectorKey(query), query.topK, (topK) => collection.searchVector({ ...query, topK })),
    searchText:
      searchText === undefined
        ? undefined
        : (query) => remembered(textKey(query), query.topK, (topK) => searchText({ ...query, topK })),
    // Every search then asks for whole chunks, which are remembered.
    rankVector: undefined,
    rankText: undefined,
  });
}

const vectorKey = ({ vector, filter, includeVectors = false }: VectorQuery): string => {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return JSON.stringify(['vector', contentHash(bytes), filter, includeVectors]);
};

const textKey = ({ terms, weights, tenant, filter, includeVectors = false }: TextQuery): string =>
  JSON.stringify(['text', terms, weights, tenant, filter, includeVectors]);
