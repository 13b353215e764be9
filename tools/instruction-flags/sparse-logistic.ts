import { sigmoid } from '../../src/core/logistic.js';
import type { Example, Passage } from './examples.js';

export interface Fitted {
  readonly weights: Float64Array;
  readonly bias: number;
}

const STEPS = 100;
const RATE = 0.15;
const RIDGE = 2;

export function logOdds({ weights, bias }: Fitted, { indices, values }: Example): number {
  let sum = bias;
  indices.forEach((index, i) => {
    sum += (weights[index] ?? 0) * (values[i] ?? 0);
  });
  return sum;
}

/** The most suspicious unit decides. */
export const suspicion = (model: Fitted, { units }: Passage): number =>
  units.reduce((most, unit) => Math.max(most, logOdds(model, unit)), Number.NEGATIVE_INFINITY);

/** Penalised maximum likelihood by Adam over all examples at once; deterministic. */
export function fitSparse(examples: readonly Example[], width: number): Fitted {
  const weights = new Float64Array(width + 1);
  const mean = new Float64Array(width + 1);
  const square = new Float64Array(width + 1);
  for (let step = 1; step <= STEPS; step++) {
    const slope = slopeOf(examples, weights, width);
    const rate = RATE * (1 - step / (STEPS + 1));
    for (let i = 0; i <= width; i++) {
      const down = (slope[i] ?? 0) + (i < width ? RIDGE * (weights[i] ?? 0) : 0);
      if (down === 0) continue;
      const first = 0.9 * (mean[i] ?? 0) + 0.1 * down;
      const second = 0.99 * (square[i] ?? 0) + 0.01 * down * down;
      mean[i] = first;
      square[i] = second;
      weights[i] =
        (weights[i] ?? 0) -
        (rate * first) / (1 - 0.9 ** step) / (Math.sqrt(second / (1 - 0.99 ** step)) + 1e-3);
    }
  }
  return { weights: weights.subarray(0, width), bias: weights[width] ?? 0 };
}

function slopeOf(examples: readonly Example[], weights: Float64Array, width: number): Float64Array {
  const slope = new Float64Array(width + 1);
  const model = { weights, bias: weights[width] ?? 0 };
  for (const example of examples) {
    const error = sigmoid(logOdds(model, example)) - (example.isOrder ? 1 : 0);
    for (let i = 0; i < example.indices.length; i++) {
      const index = example.indices[i] ?? 0;
      slope[index] = (slope[index] ?? 0) + error * (example.values[i] ?? 0);
    }
    slope[width] = (slope[width] ?? 0) + error;
  }
  return slope;
}
