import { compareCandidates, type FoundCandidate, withContribution } from './candidate.js';
import { convexCombination, type FusionLane, fuse, reciprocalRank } from './fusion/fuse.js';
import { adaptiveWeights, denseLogOddsFor, laneWeightsFor } from './fusion/lane-weights.js';
import type { IdentifierHit } from './lanes/identifier-lane.js';
import type { FusionSettings, LaneWeights } from './retriever.js';
import type { LaneOutcomes } from './run-lanes.js';

export interface FuseOptions extends FusionSettings {
  readonly modelKey: string;
  /** What was found for expansions of the query, with shares of the fused score; the lanes of the query share the rest. */
  readonly expansions?: readonly FusionLane[];
  /** The embedding model reads no word of some script of the query: what holds such words is found by words alone. @default false */
  readonly isPartlyUnread?: boolean;
}

/** One ordered list out of what the lanes found: fused scores, then the place of exact identifier hits. */
export function fuseLanes(outcomes: LaneOutcomes, options: FuseOptions): FoundCandidate[] {
  const { method, rankConstant, expansions = [], isPartlyUnread = false } = options;
  const weights = laneWeightsOf(outcomes, options);
  const own: FusionLane[] = [
    { signal: 'dense', weight: weights.dense, hits: outcomes.dense.hits },
    {
      signal: 'lexical',
      weight: weights.lexical,
      hits: outcomes.lexical.hits,
      countsFromZero: isPartlyUnread,
    },
  ];
  const lanes = expansions.length === 0 ? own : [...withShare(own, 1 - totalOf(expansions)), ...expansions];
  const scoring = method === 'reciprocal-rank' ? reciprocalRank(rankConstant) : convexCombination;
  return promoteIdentifierHits(fuse(lanes, scoring), outcomes.identifierHits);
}

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

const totalOf = (lanes: readonly FusionLane[]): number => lanes.reduce((sum, { weight }) => sum + weight, 0);

/** Weights scaled so that the lanes that found something have this share together. */
function withShare(lanes: readonly FusionLane[], share: number): FusionLane[] {
  const total = totalOf(lanes.filter(({ hits }) => hits.length > 0));
  return lanes.map((lane) => ({
    ...lane,
    weight: total === 0 ? lane.weight : (lane.weight / total) * share,
  }));
}

/** The shares of the lanes in the fused scores of this query; a configured one always holds. */
export function laneWeightsOf(
  { dense, lexical }: Pick<LaneOutcomes, 'dense' | 'lexical'>,
  { method, weights, modelKey }: FuseOptions,
): LaneWeights {
  if (weights !== undefined) return weights;
  if (method !== 'adaptive') return laneWeightsFor(modelKey);
  return adaptiveWeights({ dense: dense.hits, lexical: lexical.hits }, denseLogOddsFor(modelKey));
}
