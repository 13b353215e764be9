import assert from 'node:assert/strict';
import type { ScoredChunk } from '../../core/chunk.js';
import type { ScoredId, VectorCollection } from '../../stores/vector-store.js';
import { assertClose } from './assertions.js';

const SCORE_TOLERANCE = 1e-4;

/**
 * The collection, with every search also asked for ids alone where the store can: `rankVector` and `rankText` must then say
 * what `searchVector` and `searchText` say, in every test there is.
 */
export function withRanksChecked(collection: VectorCollection): VectorCollection {
  const rankVector = collection.rankVector?.bind(collection);
  const rankText = collection.rankText?.bind(collection);
  const searchText = collection.searchText?.bind(collection);
  if (rankVector === undefined && rankText === undefined) return collection;
  return {
    spec: collection.spec,
    upsert: (records, signal) => collection.upsert(records, signal),
    get: (ids, options) => collection.get(ids, options),
    delete: (filter, signal) => collection.delete(filter, signal),
    list: (query) => collection.list(query),
    count: (filter, signal) => collection.count(filter, signal),
    searchVector: async (query) => {
      const hits = await collection.searchVector(query);
      if (rankVector !== undefined) expectSameRanks('rankVector', await rankVector(query), hits);
      return hits;
    },
    ...(searchText === undefined
      ? {}
      : {
          searchText: async (query) => {
            const hits = await searchText(query);
            if (rankText !== undefined) expectSameRanks('rankText', await rankText(query), hits);
            return hits;
          },
        }),
    ...(rankVector === undefined ? {} : { rankVector }),
    ...(rankText === undefined ? {} : { rankText }),
    optimize: (signal) => collection.optimize(signal),
    stats: () => collection.stats(),
  };
}

function expectSameRanks(subject: string, ranks: readonly ScoredId[], hits: readonly ScoredChunk[]): void {
  assert.deepEqual(
    ranks.map(({ id }) => id),
    hits.map(({ chunk }) => chunk.id),
    subject,
  );
  for (const [i, { id, score }] of ranks.entries())
    assertClose(score, hits[i]?.score ?? Number.NaN, SCORE_TOLERANCE, `${subject} of ${id}`);
}
