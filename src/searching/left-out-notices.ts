import type { Notice } from '../core/notice.js';
import type { RemovedCandidate, RetrievalRequest } from '../retrieval/retriever.js';

interface LeftOutOptions {
  /** How many more passages the response would have shown. */
  readonly room: number;
  readonly request: Pick<RetrievalRequest, 'minSimilarity' | 'scoreFall'>;
  /** The query states the threshold; else the configuration does. */
  readonly isStated: boolean;
}

/** How many passages a threshold of scores took from a response, what the best of them scores, and where the threshold is set. */
export function leftOutNotices(
  removed: readonly RemovedCandidate[],
  { room, request: { minSimilarity, scoreFall }, isStated }: LeftOutOptions,
): Notice[] {
  const below = scoresOf(removed, 'threshold');
  const fallen = scoresOf(removed, 'score-fall').slice(0, Math.max(0, room));
  const texts = [
    ...leftOut(fallen, {
      why: `less likely than ${scoreFall} of the best one`,
      remedyFor: () => 'a lower rag.retrieval.adaptiveTopK.ratio leaves out less',
    }),
    ...leftOut(below.slice(0, Math.max(0, room - fallen.length)), {
      why: `below the threshold of ${minSimilarity}`,
      remedyFor: (best) =>
        `lower the threshold to ${best} to see more (${isStated ? STATED : 'rag.retrieval.minSimilarity'})`,
    }),
  ];
  return texts.map((text) => ({ kind: 'below-threshold', text }));
}

const STATED = 'minSimilarity, --min-similarity, in requests to the service minScore';

const scoresOf = (removed: readonly RemovedCandidate[], step: RemovedCandidate['step']): number[] =>
  removed
    .filter((candidate) => candidate.step === step)
    .map(({ score = 0 }) => score)
    .sort((a, b) => b - a);

function leftOut(
  scores: readonly number[],
  { why, remedyFor }: { readonly why: string; readonly remedyFor: (best: number) => string },
): string[] {
  const [best] = scores;
  if (best === undefined) return [];
  const passages = scores.length === 1 ? '1 passage is' : `${scores.length} passages are`;
  const which = scores.length === 1 ? 'it' : 'the best of them';
  return [`${passages} left out, ${why}; ${which} scores ${atMost(best)}: ${remedyFor(atMost(best))}.`];
}

/** Two figures, rounded down: a threshold of so much shows the passage. */
const atMost = (score: number): number => Math.floor(score * 100) / 100;
