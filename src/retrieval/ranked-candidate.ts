import type { GraphStep } from '../relations/graph/walk.js';
import type { Candidate } from './candidate.js';
import type { Contribution, RankedCandidate } from './retriever.js';

/** What leaves retrieval: contributions of the same signal are added up, `calibration` last. */
export function rankedCandidateOf(candidate: Candidate, path?: readonly GraphStep[]): RankedCandidate {
  const {
    chunk,
    score,
    probability = 0,
    isMoved = false,
    semanticScore,
    keywordScore,
    rerankScore,
    more,
  } = candidate;
  return {
    chunk,
    score,
    probability,
    ...(more === undefined ? {} : { more }),
    ...(isMoved ? { movedBy: 'variety' as const } : {}),
    explanation: {
      ...(semanticScore === undefined ? {} : { semanticScore }),
      ...(keywordScore === undefined ? {} : { keywordScore }),
      ...(rerankScore === undefined ? {} : { rerankScore }),
      ...(path === undefined ? {} : { path }),
      contributions: summed(candidate.contributions),
    },
  };
}

function summed(contributions: readonly Contribution[]): Contribution[] {
  const values = new Map<string, number>();
  for (const { signal, value } of contributions) values.set(signal, (values.get(signal) ?? 0) + value);
  return Array.from(values, ([signal, value]) => ({ signal, value })).sort(
    (a, b) => Number(a.signal === 'calibration') - Number(b.signal === 'calibration'),
  );
}
