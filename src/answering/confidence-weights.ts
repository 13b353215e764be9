import type { ConfidenceFeature } from './confidence-features.js';

/**
 * Logistic regression, fitted by `tools/answers/fit.ts` on the questions over documentation of the train side, by whether the best
 * quotation answers, and on those of one half of the XQuAD articles, each with and without its paragraph (docs/answering.md).
 */
export const CONFIDENCE_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<ConfidenceFeature, number>>;
} = {
  bias: -5.835,
  weights: {
    best: 0.655,
    margin: 0.405,
    density: 1.22,
    passageCoverage: 2.096,
    keyword: 1.655,
    semantic: 0.777,
    share: 2.927,
    reading: 2.439,
  },
};

/**
 * Below it a passage is not quoted as the answer by default: the nearest places are shown, and that it is not sure is said. Of the train
 * side's questions without an answer it withholds .78, of the others .20; with the fit left out a set at a time, .78 and .20
 * (docs/research/tried.md).
 */
export const QUOTATION_THRESHOLD = 0.2;

/** Below it a quoted answer is called unsure: of the test side's quotations with less .49 are right, of those with more .81. */
export const UNSURE_BELOW = 0.45;

/** Below it a language model is not asked: it sees all passages, and can say itself that they do not answer. */
export const CHAT_THRESHOLD = 0.08;

/** Below it the passages are about something else. */
export const NEAR_THRESHOLD = 0.04;
