import type { ConfidenceFeature } from './confidence-features.js';

/**
 * Logistic regression, fitted by `tools/answers/fit.ts` on the questions of one half of the XQuAD articles, each with and
 * without the paragraph that answers it (docs/answering.md).
 */
export const CONFIDENCE_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<ConfidenceFeature, number>>;
} = {
  bias: -4,
  weights: {
    best: 3,
    margin: 2,
    coverage: 1,
    headedCoverage: 1,
    density: 1,
    answerType: 0.5,
    passageCoverage: 2,
    agreement: 0.5,
    sureness: 0.5,
    terms: 0,
  },
};

/** Below it an answer is withheld by default: where the calibration half loses as many right answers as it avoids wrong ones. */
export const ABSTENTION_THRESHOLD = 0.3;
