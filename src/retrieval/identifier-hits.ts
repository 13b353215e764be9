import { compareCandidates, type FoundCandidate, withContribution } from './candidate.js';
import type { IdentifierHit } from './lanes/identifier-lane.js';

/**
 * Gives exact identifier hits their place. A decisive hit adds 1 to a fused score of at most 1 and comes before everything
 * else. Any other hit is lifted to the best candidate that lacks the identifier and shares no more words with the query:
 * that one stands higher by its meaning alone, and a paraphrase may not outrank the thing itself. Chunks that only the
 * identifier lane found join the candidates.
 */
export function promoteIdentifierHits(
  candidates: readonly FoundCandidate[],
  hits: readonly IdentifierHit[],
): FoundCandidate[] {
  if (hits.length === 0) return [...candidates];
  const pool = new Map(candidates.map((candidate) => [candidate.chunk.id, candidate]));
  const holders = new Set(hits.map(({ chunk }) => chunk.id));
  const others = candidates.filter(({ chunk }) => !holders.has(chunk.id));
  for (const { chunk, score, decisiveHits } of hits) {
    const known = pool.get(chunk.id) ?? joined(chunk, score);
    const value = decisiveHits > 0 ? decisiveHits : liftOver(others, known);
    pool.set(chunk.id, {
      ...withContribution(known, 'identifier', value),
      identifierHits: decisiveHits,
      holdsIdentifier: true,
    });
  }
  return [...pool.values()].sort(compareCandidates);
}

const joined = (chunk: FoundCandidate['chunk'], keywordScore: number): FoundCandidate => ({
  chunk,
  ...(keywordScore === 0 ? {} : { keywordScore }),
  identifierHits: 0,
  holdsIdentifier: false,
  contributions: [],
  score: 0,
});

/** What the holder lacks to stand level with the best of those that match no more words; `compareCandidates` prefers it. */
function liftOver(others: readonly FoundCandidate[], holder: FoundCandidate): number {
  const words = holder.keywordScore ?? 0;
  let best = holder.score;
  for (const { keywordScore = 0, score } of others) if (keywordScore <= words && score > best) best = score;
  return best - holder.score;
}
