import type { ConfidenceFeature } from './confidence-features.js';

/**
 * Logistic regression, fitted by `tools/answers/fit.ts` on the questions of one half of the XQuAD articles, each with and
 * without the paragraph that answers it (docs/answering.md).
 */
export const CONFIDENCE_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<ConfidenceFeature, number>>;
} = {
  bias: -7.535,
  weights: {
    best: 0.657,
    margin: 1.838,
    coverage: 1.965,
    headedCoverage: -0.411,
    density: 2.555,
    answerType: 0.03,
    passageCoverage: 2.208,
    agreement: -0.259,
    sureness: 0.223,
    terms: -0.902,
    keyword: 4.615,
    keywordMargin: 1.481,
    semantic: 3.531,
  },
};

/**
 * Below it an answer is withheld by default. XQuAD, where questions repeat the words of their paragraph, would bear more;
 * chosen on the questions over the ISE playbook, none of whose unanswerable ones reaches it (docs/answering.md).
 */
export const ABSTENTION_THRESHOLD = 0.1;
