import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';

/** Keeps candidates whose score is at least `minSimilarity`, in their order. */
export function applyThreshold(
  candidates: readonly Candidate[],
  minSimilarity: number,
): { kept: Candidate[]; removed: RemovedCandidate[] } {
  const kept = candidates.filter((candidate) => candidate.score >= minSimilarity);
  const removed = candidates
    .filter((candidate) => candidate.score < minSimilarity)
    .map(
      ({ chunk, score }): RemovedCandidate => ({
        id: chunk.id,
        step: 'threshold',
        detail: `score ${score.toFixed(3)}`,
        score,
      }),
    );
  return { kept, removed };
}

/**
 * Adaptive top-k: ends a list where probabilities fall below a share of the best one. What is
 * left out is that many times less likely an answer than the first; the first itself always stays.
 */
export function cutWhereScoresFall(
  candidates: readonly Candidate[],
  share = 0,
): { readonly before: readonly Candidate[]; readonly after: readonly RemovedCandidate[] } {
  const best = candidates[0]?.probability ?? 0;
  const isKept = ({ probability = 0 }: Candidate): boolean => probability >= share * best;
  return {
    before: candidates.filter(isKept),
    after: candidates
      .filter((candidate) => !isKept(candidate))
      .map(({ chunk, score, probability = 0 }) => ({
        id: chunk.id,
        step: 'score-fall',
        detail: `probability ${probability.toFixed(3)}, less than ${share} of the best, ${best.toFixed(3)}`,
        score,
      })),
  };
}
