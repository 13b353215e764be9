import { sigmoid } from '../../src/core/logistic.js';

/** One case of a fit: features, the probability that it should get, and its weight. */
export interface Case {
  readonly x: readonly number[];
  readonly y: number;
  readonly weight: number;
}

const STEPS = 4_000;
const RATE = 0.3;
const MOMENTUM = 0.95;

/**
 * Weighted maximum likelihood of a logistic regression by gradient descent with momentum; deterministic. The first weight is
 * the bias. `ridge` pulls the others to zero; those of features that `isNonNegative` stay above it.
 */
export function fitLogistic(
  cases: readonly Case[],
  { ridge = 5e-4, isNonNegative = (_feature: number): boolean => false } = {},
): number[] {
  const width = (cases[0]?.x.length ?? 0) + 1;
  const total = cases.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Array<number>(width).fill(0);
  const speed = new Array<number>(width).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const slope = new Array<number>(width).fill(0);
    for (const { x, y, weight } of cases) {
      const logit = x.reduce((sum, value, j) => sum + value * (weights[j + 1] ?? 0), weights[0] ?? 0);
      const error = (sigmoid(logit) - y) * weight;
      slope[0] = (slope[0] ?? 0) + error;
      x.forEach((value, j) => {
        slope[j + 1] = (slope[j + 1] ?? 0) + error * value;
      });
    }
    for (let j = 0; j < width; j++) {
      const down = (slope[j] ?? 0) / total + (j === 0 ? 0 : ridge * (weights[j] ?? 0));
      speed[j] = MOMENTUM * (speed[j] ?? 0) - RATE * down;
      weights[j] = (weights[j] ?? 0) + (speed[j] ?? 0);
      if (j > 0 && (weights[j] ?? 0) < 0 && isNonNegative(j - 1)) {
        weights[j] = 0;
        speed[j] = 0;
      }
    }
  }
  return weights;
}

/** Sentences of one question of which some answer. */
export interface Choice {
  readonly options: readonly (readonly number[])[];
  readonly isRight: readonly boolean[];
}

/** Conditional logit: the probability of the right options among all of a choice is made as large as possible. */
export function fitConditional(choices: readonly Choice[], ridge = 2e-3): number[] {
  const width = choices[0]?.options[0]?.length ?? 0;
  const weights = new Array<number>(width).fill(0);
  const speed = new Array<number>(width).fill(0);
  for (let step = 0; step < 800; step++) {
    const slope = new Array<number>(width).fill(0);
    for (const { options, isRight } of choices) {
      const logits = options.map((x) => x.reduce((sum, value, j) => sum + value * (weights[j] ?? 0), 0));
      const most = Math.max(...logits);
      const odds = logits.map((logit) => Math.exp(logit - most));
      const total = odds.reduce((sum, value) => sum + value, 0);
      const right = isRight.filter(Boolean).length;
      options.forEach((x, i) => {
        const gain = (isRight[i] === true ? 1 / right : 0) - (odds[i] ?? 0) / total;
        x.forEach((value, j) => {
          slope[j] = (slope[j] ?? 0) + gain * value;
        });
      });
    }
    for (let j = 0; j < width; j++) {
      speed[j] = 0.9 * (speed[j] ?? 0) + 0.5 * ((slope[j] ?? 0) / choices.length - ridge * (weights[j] ?? 0));
      weights[j] = (weights[j] ?? 0) + (speed[j] ?? 0);
    }
  }
  return weights;
}
