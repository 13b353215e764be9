import { logOddsOf, sigmoid } from '../../core/logistic.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import type { Candidate } from '../candidate.js';
import { modelNameOf } from '../model-name.js';
import {
  CALIBRATION_FEATURES,
  type FeatureContext,
  type FeatureVector,
  featuresOf,
} from './calibration-features.js';
import type { CalibratedStage, CalibrationModel, StageCalibration } from './calibration-model.js';
import { CALIBRATION_PARAMETERS } from './calibration-parameters.js';

/** Which lanes found something: they decide what a score can be read from. */
export type Evidence = 'hybrid' | 'dense' | 'lexical';

/** How probabilities of one search are read. */
export type ScoreCalibration = Readonly<Record<CalibratedStage, CalibrationModel>>;

/** The parameters for an embedding model, or those for any model. */
export function calibrationFor(modelKey: string, evidence: Evidence): ScoreCalibration {
  return {
    fused: modelOf(CALIBRATION_PARAMETERS.fused, modelKey, evidence),
    reranked: modelOf(CALIBRATION_PARAMETERS.reranked, modelKey, evidence),
  };
}

function modelOf(
  { models, unknownModel, lexical }: StageCalibration,
  modelKey: string,
  evidence: Evidence,
): CalibrationModel {
  return evidence === 'lexical' ? lexical : (models[modelNameOf(modelKey)] ?? unknownModel)[evidence];
}

export interface CalibrateOptions {
  readonly calibration: ScoreCalibration;
  readonly context: FeatureContext;
  /** Of the reranker that gave `rerankScore`s. @default 'probability' */
  readonly scoring?: RerankScoring | undefined;
}

/**
 * Gives every candidate the probability that it is relevant, by logistic regression (Platt 1999) over features of
 * query-independent scale. It looks at the rivals of a candidate too, and never contradicts the order: probabilities that
 * would are pooled (`nonIncreasing`).
 */
export function calibrate(candidates: readonly Candidate[], options: CalibrateOptions): Candidate[] {
  let lowestReranked = Number.POSITIVE_INFINITY;
  const estimates = candidates.map((candidate) => {
    const probability = estimateOf(candidate, options);
    if (candidate.rerankScore !== undefined) lowestReranked = Math.min(lowestReranked, probability);
    // Behind reranked candidates an own estimate that is higher would lift theirs when pooled.
    return Math.min(lowestReranked, probability);
  });
  const probabilities = nonIncreasing(estimates);
  return candidates.map((candidate, i) => ({ ...candidate, probability: probabilities[i] ?? 0 }));
}

/**
 * The non-increasing sequence nearest to `values` in least squares (pool adjacent violators; Barlow et al. 1972): where a
 * later value is larger than an earlier one, both become their mean. Linear time.
 */
export function nonIncreasing(values: ArrayLike<number>): Float64Array {
  const means: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < values.length; i++) {
    let mean = values[i] ?? 0;
    let size = 1;
    for (let last = means.at(-1); last !== undefined && last < mean; last = means.at(-1)) {
      const lastSize = sizes.pop() ?? 1;
      means.pop();
      mean = (mean * size + last * lastSize) / (size + lastSize);
      size += lastSize;
    }
    means.push(mean);
    sizes.push(size);
  }
  const result = new Float64Array(values.length);
  let position = 0;
  means.forEach((mean, block) => {
    const end = position + (sizes[block] ?? 0);
    result.fill(mean, position, end);
    position = end;
  });
  return result;
}

function estimateOf(
  candidate: Candidate,
  { calibration: { fused, reranked }, context, scoring = 'probability' }: CalibrateOptions,
): number {
  const features = featuresOf(candidate, context);
  const byLanes = sigmoid(logitOf(features, fused));
  const { rerankScore } = candidate;
  if (rerankScore === undefined || scoring === 'order') return byLanes;
  if (scoring === 'fitted') return sigmoid(logitOf(features, reranked));
  // Of two opinions whose worth is not known, the mean log-odds (a logarithmic opinion pool; Genest and Zidek 1986).
  return sigmoid((logOddsOf(byLanes) + logOddsOf(rerankScore)) / 2);
}

function logitOf(features: FeatureVector, { bias, weights }: CalibrationModel): number {
  return CALIBRATION_FEATURES.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], bias);
}
