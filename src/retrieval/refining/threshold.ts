import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';

/** Keeps candidates whose score is at least `minSimilarity`, in their order. */
export function applyThreshold(
  candidates: readonly Candidate[],
  minSimilarity: number,
): { kept: Candidate[]; removed: RemovedCandidate[]; notices: string[] } {
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

function emptiedNotice(candidates: readonly Candidate[], minSimilarity: number): string[] {
  const [best] = candidates;
  if (best === undefined) return [];
  return [
    `Passages were found, but none reaches minSimilarity ${minSimilarity} (the best has ${best.score.toFixed(2)}). ` +
      'Lower minSimilarity to see them.',
  ];
}
