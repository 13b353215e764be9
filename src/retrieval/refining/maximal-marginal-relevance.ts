import type { Candidate } from '../candidate.js';

export interface MmrOptions {
  /** 1: relevance alone; towards 0: novelty alone. */
  readonly lambda: number;
  /** How many to select. */
  readonly limit: number;
}

/**
 * Selects candidates one by one: each time the one with the largest lambda * score - (1 - lambda) * (cosine to the nearest
 * selected one), ties by the given order. (Carbonell and Goldstein, SIGIR 1998.) Exact identifier hits keep their place
 * before all others. A candidate without a vector is like no other.
 */
export function maximalMarginalRelevance(
  candidates: readonly Candidate[],
  { lambda, limit }: MmrOptions,
): Candidate[] {
  const selected: Candidate[] = [];
  const left = [...candidates];
  const nearest = new Float64Array(left.length);
  while (selected.length < limit && left.length > 0) {
    const position = bestPosition(left, nearest, lambda);
    const [best] = left.splice(position, 1);
    if (best === undefined) break;
    nearest.copyWithin(position, position + 1);
    selected.push(best);
    left.forEach((candidate, i) => {
      nearest[i] = Math.max(nearest[i] ?? 0, cosine(candidate, best));
    });
  }
  return selected;
}

function bestPosition(left: readonly Candidate[], nearest: Float64Array, lambda: number): number {
  let best = 0;
  let bestValue = Number.NEGATIVE_INFINITY;
  let bestHits = 0;
  left.forEach(({ score, identifierHits }, i) => {
    const value = lambda * score - (1 - lambda) * (nearest[i] ?? 0);
    if (identifierHits < bestHits || (identifierHits === bestHits && value <= bestValue)) return;
    best = i;
    bestValue = value;
    bestHits = identifierHits;
  });
  return best;
}

/** Vectors have unit length, so the dot product is the cosine. */
function cosine({ chunk: { vector: a } }: Candidate, { chunk: { vector: b } }: Candidate): number {
  if (a === undefined || b === undefined) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
