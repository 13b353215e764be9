import { type Candidate, compareCandidates, withContribution } from './candidate.js';
import type { IdentifierHit } from './lanes/identifier-lane.js';

/**
 * Puts exact identifier hits first: each hit adds 1 to a fused score of at most 1, so none is outranked by a paraphrase.
 * Chunks that only the identifier lane found join the candidates.
 */
export function promoteIdentifierHits(
  candidates: readonly Candidate[],
  hits: readonly IdentifierHit[],
): Candidate[] {
  if (hits.length === 0) return [...candidates];
  const pool = new Map(candidates.map((candidate) => [candidate.chunk.id, candidate]));
  for (const { chunk, score, identifierHits } of hits) {
    const known = pool.get(chunk.id) ?? {
      ...NOTHING_ELSE,
      chunk,
      ...(score === 0 ? {} : { keywordScore: score }),
    };
    pool.set(chunk.id, { ...withContribution(known, 'identifier', identifierHits), identifierHits });
  }
  return [...pool.values()].sort(compareCandidates);
}

const NOTHING_ELSE = { identifierHits: 0, contributions: [], score: 0 };
