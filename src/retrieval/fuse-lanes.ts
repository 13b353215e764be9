import type { FoundCandidate } from './candidate.js';
import { fuse } from './fusion/fuse.js';
import { convexCombination, type FusionLane, reciprocalRank } from './fusion/lane-scores.js';
import { laneWeightsFor } from './fusion/lane-weights.js';
import { promoteIdentifierHits } from './identifier-hits.js';
import type { FusionSettings } from './retriever.js';
import type { LaneOutcomes } from './run-lanes.js';

/** One ordered list out of what the lanes found: fused scores, then the place of exact identifier hits. */
export function fuseLanes(
  { dense, lexical, identifierHits }: LaneOutcomes,
  { method, rankConstant, weights: configured, modelKey }: FusionSettings & { readonly modelKey: string },
): FoundCandidate[] {
  const weights = configured ?? laneWeightsFor(modelKey);
  const lanes: FusionLane[] = [
    { signal: 'dense', weight: weights.dense, hits: dense.hits },
    { signal: 'lexical', weight: weights.lexical, hits: lexical.hits },
  ];
  const scoring = method === 'convex-combination' ? convexCombination : reciprocalRank(rankConstant);
  return promoteIdentifierHits(fuse(lanes, scoring), identifierHits);
}
