import type { RerankScoring } from '../../reranking/reranker.js';
import { type Candidate, withContribution, withoutContribution, withScore } from '../candidate.js';
import { modelNameOf } from '../model-name.js';
import {
  CALIBRATION_FEATURES,
  type FeatureContext,
  type FeatureVector,
  featuresOf,
  logOddsOf,
} from './calibration-features.js';
import type { CalibratedStage, CalibrationModel, StageCalibration } from './calibration-model.js';
import { CALIBRATION_PARAMETERS } from './calibration-parameters.js';
import { nonIncreasing } from './isotonic.js';

/** Which lanes found something: they decide what a score can be read from. */
export type Evidence = 'hybrid' | 'dense' | 'lexical';

/** How scores of one search are read. */
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
 * Gives every candidate its calibrated score: the probability that it is relevant, by logistic regression (Platt 1999) over
 * features of query-independent scale. The order stays: scores that would contradict it are pooled (`nonIncreasing`). For a
 * reranked candidate the contribution `rerank` is what the reranker added to, or took from, the probability that the lanes
 * alone would have; `calibration` closes the sum.
 */
export function calibrate(candidates: readonly Candidate[], options: CalibrateOptions): Candidate[] {
  let lowestReranked = Number.POSITIVE_INFINITY;
  const estimates = candidates.map((candidate) => {
    const { byLanes, probability } = estimateOf(candidate, options);
    if (candidate.rerankScore !== undefined) lowestReranked = Math.min(lowestReranked, probability);
    // Behind reranked candidates an own estimate that is higher would lift theirs when pooled.
    return { byLanes, probability: Math.min(lowestReranked, probability) };
  });
  const scores = nonIncreasing(estimates.map(({ probability }) => probability));
  return candidates.map((candidate, i) => {
    const score = scores[i] ?? 0;
    const found = withoutContribution(candidate, 'rerank');
    const byLanes = estimates[i]?.byLanes ?? 0;
    const explained =
      candidate.rerankScore === undefined ? found : withContribution(found, 'rerank', score - byLanes);
    return withScore(explained, score, 'calibration');
  });
}

interface Estimate {
  /** Probability by what the lanes found alone. */
  readonly byLanes: number;
  readonly probability: number;
}

function estimateOf(
  candidate: Candidate,
  { calibration: { fused, reranked }, context, scoring = 'probability' }: CalibrateOptions,
): Estimate {
  const features = featuresOf(candidate, context);
  const byLanes = sigmoid(logitOf(features, fused));
  const { rerankScore } = candidate;
  if (rerankScore === undefined || scoring === 'order') return { byLanes, probability: byLanes };
  if (scoring === 'fitted') return { byLanes, probability: sigmoid(logitOf(features, reranked)) };
  // Of two opinions whose worth is not known, the mean log-odds (a logarithmic opinion pool; Genest and Zidek 1986).
  return { byLanes, probability: sigmoid((logOddsOf(byLanes) + logOddsOf(rerankScore)) / 2) };
}

/** Scores that never rise along the list, after steps that changed the order; `calibration` closes the sums again. */
export function settleScores(candidates: readonly Candidate[]): Candidate[] {
  const scores = nonIncreasing(candidates.map((candidate) => candidate.score));
  return candidates.map((candidate, i) => withScore(candidate, scores[i] ?? 0, 'calibration'));
}

function logitOf(features: FeatureVector, { bias, weights }: CalibrationModel): number {
  return CALIBRATION_FEATURES.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], bias);
}

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
