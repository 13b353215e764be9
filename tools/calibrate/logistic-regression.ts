import { sigmoid } from '../../src/core/logistic.js';
import { inverseOf } from '../../src/embedding/static/positive-definite.js';
import type {
  CalibrationFeature,
  FeatureVector,
} from '../../src/retrieval/calibration/calibration-features.js';
import type { CalibrationModel } from '../../src/retrieval/calibration/calibration-model.js';

export interface Sample {
  readonly features: FeatureVector;
  readonly isRelevant: boolean;
  readonly weight: number;
}

/** Newton's method doubles the correct digits of each step. */
const STEPS = 25;
/** Keeps a feature that never varies at zero; too small to bend the others. */
const RIDGE = 1e-4;

/** Weighted maximum likelihood by Newton's method (iteratively reweighted least squares); deterministic. */
export function fitLogistic(
  samples: readonly Sample[],
  features: readonly CalibrationFeature[],
): CalibrationModel {
  const rows = samples.map(({ features: values }) =>
    Float64Array.from([1, ...features.map((name) => values[name])]),
  );
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Float64Array(features.length + 1);
  for (let step = 0; step < STEPS; step++) {
    const { gradient, hessian } = derivativesOf(rows, samples, weights);
    for (let j = 1; j < weights.length; j++) {
      gradient[j] = (gradient[j] ?? 0) + total * RIDGE * (weights[j] ?? 0);
      const diagonal = j * (weights.length + 1);
      hessian[diagonal] = (hessian[diagonal] ?? 0) + total * RIDGE;
    }
    const inverse = inverseOf(hessian, weights.length);
    for (let j = 0; j < weights.length; j++)
      weights[j] = (weights[j] ?? 0) - dot(inverse.subarray(j * weights.length), gradient);
  }
  const round = (value: number | undefined): number => Number((value ?? 0).toFixed(3));
  return {
    bias: round(weights[0]),
    weights: Object.fromEntries(features.map((name, j) => [name, round(weights[j + 1])])),
  };
}

/** Gradient and matrix of second derivatives of the negative log-likelihood. */
function derivativesOf(
  rows: readonly Float64Array[],
  samples: readonly Sample[],
  weights: Float64Array,
): { readonly gradient: Float64Array; readonly hessian: Float64Array } {
  const width = weights.length;
  const gradient = new Float64Array(width);
  const hessian = new Float64Array(width * width);
  samples.forEach(({ isRelevant, weight }, i) => {
    const row = rows[i] ?? new Float64Array(width);
    const probability = sigmoid(dot(row, weights));
    const error = (probability - Number(isRelevant)) * weight;
    const curvature = probability * (1 - probability) * weight;
    for (let j = 0; j < width; j++) {
      gradient[j] = (gradient[j] ?? 0) + error * (row[j] ?? 0);
      for (let k = 0; k < width; k++)
        hessian[j * width + k] = (hessian[j * width + k] ?? 0) + curvature * (row[j] ?? 0) * (row[k] ?? 0);
    }
  });
  return { gradient, hessian };
}

/** Over the length of `b`. */
function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
