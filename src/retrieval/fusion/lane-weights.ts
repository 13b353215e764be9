import { sigmoid } from '../../core/logistic.js';
import { modelNameOf } from '../model-name.js';
import type { LaneWeights } from '../retriever.js';
import type { LearnedLogOdds } from './fusion-model.js';
import { FUSION_PARAMETERS } from './fusion-parameters.js';

/** What tools/fusion learned for an embedding model: a weak dense lane must not count as much as a strong one. */
export const logOddsFor = (modelKey: string): LearnedLogOdds =>
  FUSION_PARAMETERS.models[modelNameOf(modelKey)] ?? FUSION_PARAMETERS.unknownModel;

/** The weights of `convex-combination` and `reciprocal-rank` for an embedding model. */
export const laneWeightsFor = (modelKey: string): LaneWeights => weightsAt(logOddsFor(modelKey).fixed);

/** Weights that sum to 1, from the logarithm of the odds of the dense lane. */
export function weightsAt(logOdds: number): LaneWeights {
  const dense = sigmoid(logOdds);
  return { dense, lexical: 1 - dense };
}
