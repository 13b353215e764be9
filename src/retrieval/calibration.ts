import { CALIBRATION_FEATURES, type FeatureContext, featuresOf } from './calibration-features.js';
import type { CalibrationModel } from './calibration-model.js';
import { CALIBRATION_PARAMETERS } from './calibration-parameters.js';
import { type Candidate, withScore } from './candidate.js';
import { nonIncreasing } from './isotonic.js';
import { modelNameOf } from './model-name.js';

/** Which lanes found something: they decide what a score can be read from. */
export type Evidence = 'hybrid' | 'dense' | 'lexical';

/** The parameters for an embedding model, or those for any model. */
export function calibrationModelFor(modelKey: string, evidence: Evidence): CalibrationModel {
  if (evidence === 'lexical') return CALIBRATION_PARAMETERS.lexical;
  const ofModel = CALIBRATION_PARAMETERS.models[modelNameOf(modelKey)] ?? CALIBRATION_PARAMETERS.unknownModel;
  return ofModel[evidence];
}

/**
 * Gives every candidate its calibrated score: the probability that it is relevant, by logistic regression (Platt 1999) over
 * features of query-independent scale; for a reranked one the reranker's score. The order stays: scores that would
 * contradict it are pooled (`nonIncreasing`). The contribution `calibration` closes the sum.
 */
export function calibrate(
  candidates: readonly Candidate[],
  model: CalibrationModel,
  context: FeatureContext,
): Candidate[] {
  let lowestReranked = Number.POSITIVE_INFINITY;
  const probabilities = candidates.map((candidate) => {
    if (candidate.rerankScore !== undefined) {
      lowestReranked = Math.min(lowestReranked, candidate.rerankScore);
      return candidate.rerankScore;
    }
    // Behind reranked candidates an own estimate that is higher would lift theirs when pooled.
    return Math.min(lowestReranked, probabilityOf(candidate, model, context));
  });
  const scores = nonIncreasing(probabilities);
  return candidates.map((candidate, i) => withScore(candidate, scores[i] ?? 0, 'calibration'));
}

/** Scores that never rise along the list, after steps that changed the order; `calibration` closes the sums again. */
export function settleScores(candidates: readonly Candidate[]): Candidate[] {
  const scores = nonIncreasing(candidates.map((candidate) => candidate.score));
  return candidates.map((candidate, i) => withScore(candidate, scores[i] ?? 0, 'calibration'));
}

function probabilityOf(candidate: Candidate, model: CalibrationModel, context: FeatureContext): number {
  const features = featuresOf(candidate, context);
  let logit = model.bias;
  for (const name of CALIBRATION_FEATURES) logit += (model.weights[name] ?? 0) * features[name];
  return 1 / (1 + Math.exp(-logit));
}
