import type { SupportFeature } from './support-features.js';

/**
 * Logistic regression over `SUPPORT_FEATURES`, fitted by `tools/answers/fit.ts` on one half of the labelled tasks
 * (docs/answering.md).
 */
export const SUPPORT_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<SupportFeature, number>>;
} = {
  bias: -11,
  weights: {
    coverage: 3,
    windowCoverage: 3,
    sentenceCoverage: 1,
    pairs: 1,
    numbers: 3,
    names: 1.5,
    identifiers: 1,
    polarity: 1.5,
  },
};
