import assert from 'node:assert/strict';
import type { ScoredChunk } from '../../core/chunk.js';
import { collectionOf, membersOf } from '../../stores/collection-members.js';
import type { ScoredId, VectorCollection } from '../../stores/vector-store.js';
import { assertClose } from '../assertions.js';

const SCORE_TOLERANCE = 1e-4;

/**
 * The collection, with every search also asked for ids alone where the store can: `rankVector` and `rankText` must then say
 * what `searchVector` and `searchText` say, in every test there is.
 */
export function withRanksChecked(collection: VectorCollection): VectorCollection {
  const members = membersOf(collection);
  const { searchText, rankVector, rankText } = members;
  if (rankVector === undefined && rankText === undefined) return collection;
  return collectionOf({
    ...members,
    searchVector: async (query) => {
      const hits = await members.searchVector(query);
      if (rankVector !== undefined) expectSameRanks('rankVector', await rankVector(query), hits);
      return hits;
    },
    searchText:
      searchText === undefined
        ? undefined
        : async (query) => {
            const hits = await searchText(query);
            if (rankText !== undefined) expectSameRanks('rankText', await rankText(query), hits);
            return hits;
          },
  });
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
