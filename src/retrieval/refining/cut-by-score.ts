import type { Notice } from '../../core/notice.js';
import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';

/** Keeps candidates whose score is at least `minSimilarity`, in their order. */
export function applyThreshold(
  candidates: readonly Candidate[],
  minSimilarity: number,
): { kept: Candidate[]; removed: RemovedCandidate[]; notices: Notice[] } {
  const kept = candidates.filter((candidate) => candidate.score >= minSimilarity);
  const removed = candidates
    .filter((candidate) => candidate.score < minSimilarity)
    .map(
      ({ chunk, score }): RemovedCandidate => ({
        id: chunk.id,
        step: 'threshold',
        detail: `score ${score.toFixed(3)}`,
      }),
    );
  return { kept, removed, notices: kept.length === 0 ? emptiedNotice(candidates, minSimilarity) : [] };
}

function emptiedNotice(candidates: readonly Candidate[], minSimilarity: number): Notice[] {
  const [best] = candidates;
  if (best === undefined) return [];
  const text =
    `Passages were found, but none is relevant enough: the best has ${best.score.toFixed(2)}, and the least is ${minSimilarity}. ` +
    'Lower it (minSimilarity, --min-similarity, in requests to the service minScore) to see them.';
  return [{ kind: 'below-threshold', text }];
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
      .map(({ chunk, probability = 0 }) => ({
        id: chunk.id,
        step: 'score-fall',
        detail: `probability ${probability.toFixed(3)}, less than ${share} of the best, ${best.toFixed(3)}`,
      })),
  };
}
