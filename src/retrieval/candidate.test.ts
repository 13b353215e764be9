import { expect, it } from 'vitest';
import { compareCandidates } from './candidate.js';
import { candidate, idsOf } from './test-candidates.js';

it('puts decisive identifier hits first whatever age has left of their score, then scores, then ids', () => {
  const pool = [
    candidate('b', 0.9),
    candidate('a', 0.9),
    { ...candidate('lifted', 0.9), holdsIdentifier: true },
    candidate('exact', 0.1, { identifierHits: 1 }),
    candidate('best', 1),
  ];
  expect(idsOf(pool.toSorted(compareCandidates))).toEqual(['exact', 'best', 'lifted', 'a', 'b']);
});
