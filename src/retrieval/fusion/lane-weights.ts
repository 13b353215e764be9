import { sigmoid } from '../../core/logistic.js';
import type { Hit } from '../candidate.js';
import { modelNameOf } from '../model-name.js';
import type { LaneWeights } from '../retriever.js';
import type { LearnedLogOdds } from './fusion-model.js';
import { FUSION_PARAMETERS } from './fusion-parameters.js';

/** What tools/fusion learned for an embedding model: a weak dense lane must not count as much as a strong one. */
const logOddsFor = (modelKey: string): LearnedLogOdds =>
  FUSION_PARAMETERS.models[modelNameOf(modelKey)] ?? FUSION_PARAMETERS.unknownModel;

/** The weights of `convex-combination` and `reciprocal-rank` for an embedding model. */
export const laneWeightsFor = (modelKey: string): LaneWeights => weightsAt(logOddsFor(modelKey).fixed);

/** Weights that sum to 1, from the logarithm of the odds of the dense lane. */
function weightsAt(logOdds: number): LaneWeights {
  const dense = sigmoid(logOdds);
  return { dense, lexical: 1 - dense };
}

/** The rank whose score says how a lane's scores fall. */
const RANK = 10;

/** A lane with fewer hits does not tell how its scores fall. */
const MIN_HITS = 2 * RANK;

/** Keeps the logarithm finite where all hits but the first are alike. */
const SMALLEST_HEIGHT = 1e-3;

/** The learned log-odds of the dense lane for an embedding model, where weights follow the query. */
export const denseLogOddsFor = (modelKey: string): number => logOddsFor(modelKey).adaptive;

/** What `adaptiveWeights` gives a query whose lanes' scores fall alike. */
export const usualWeightsFor = (modelKey: string): LaneWeights => weightsAt(denseLogOddsFor(modelKey));

/**
 * Lane weights for one query: a logistic function of the model's learned log-odds and of the heights at which the tenth hits
 * of the lanes stand between their last and their first. Min-max normalisation stretches each lane to [0, 1], so a first hit
 * far ahead of the others presses these together, and the other lane decides among them; the ratio of the heights makes that
 * up. It is as if each lane were divided by its tenth score, yet fused scores stay in [0, 1].
 *
 * Agreement of the lanes, gaps, number and rarity of the words, identifiers and raw cosines predicted the train collections
 * better still and unseen ones worse; docs/research/fusion.md has the figures.
 */
export function adaptiveWeights(
  { dense, lexical }: { readonly dense: readonly Hit[]; readonly lexical: readonly Hit[] },
  denseLogOdds: number,
): LaneWeights {
  if (dense.length < MIN_HITS || lexical.length < MIN_HITS) return weightsAt(denseLogOdds);
  return weightsAt(denseLogOdds + Math.log(heightOf(lexical) / heightOf(dense)));
}

function heightOf(hits: readonly Hit[]): number {
  const first = hits[0]?.score ?? 0;
  const tenth = hits[RANK - 1]?.score ?? 0;
  const last = hits.at(-1)?.score ?? 0;
  return SMALLEST_HEIGHT + (first === last ? 0 : (tenth - last) / (first - last));
}
