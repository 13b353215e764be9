import type { CalibrationFeature, FeatureVector } from '../../src/retrieval/calibration-features.js';
import type { CalibrationModel } from '../../src/retrieval/calibration-model.js';

export interface Sample {
  readonly features: FeatureVector;
  readonly isRelevant: boolean;
  readonly weight: number;
}

const STEPS = 4_000;
const LEARNING_RATE = 0.5;
/** Keeps a feature that never varies at zero; too small to bend the others. */
const RIDGE = 1e-4;

/** Weighted maximum likelihood by gradient descent with momentum; deterministic. */
export function fitLogistic(
  samples: readonly Sample[],
  features: readonly CalibrationFeature[],
): CalibrationModel {
  const width = features.length + 1;
  const rows = samples.map(({ features: values }) => [1, ...features.map((name) => values[name])]);
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Float64Array(width);
  const velocity = new Float64Array(width);
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(width);
    rows.forEach((row, i) => {
      const sample = samples[i];
      if (sample === undefined) return;
      const logit = row.reduce((sum, value, j) => sum + value * (weights[j] ?? 0), 0);
      const error = (1 / (1 + Math.exp(-logit)) - Number(sample.isRelevant)) * sample.weight;
      row.forEach((value, j) => {
        gradient[j] = (gradient[j] ?? 0) + error * value;
      });
    });
    for (let j = 0; j < width; j++) {
      const slope = (gradient[j] ?? 0) / total + (j === 0 ? 0 : RIDGE * (weights[j] ?? 0));
      velocity[j] = 0.95 * (velocity[j] ?? 0) - LEARNING_RATE * slope;
      weights[j] = (weights[j] ?? 0) + (velocity[j] ?? 0);
    }
  }
  const round = (value: number | undefined): number => Number((value ?? 0).toFixed(3));
  return {
    bias: round(weights[0]),
    weights: Object.fromEntries(features.map((name, j) => [name, round(weights[j + 1])])),
  };
}
