import type { ConfidenceFeature } from './confidence-features.js';

/**
 * Logistic regression, fitted by `tools/answers/fit.ts` on the questions over documentation of the train side, by whether the best
 * quotation answers, and on those of one half of the XQuAD articles, each with and without its paragraph (docs/answering.md).
 */
export const CONFIDENCE_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<ConfidenceFeature, number>>;
} = {
  bias: -6.343,
  weights: {
    best: 0.9,
    margin: 0.965,
    density: 2.202,
    passageCoverage: 1.979,
    keyword: 3.217,
    semantic: 2.636,
    share: 1.151,
    reading: 0,
  },
};

/**
 * Below it a passage is not quoted as the answer by default: the nearest places are shown, and that it is not sure is said. Chosen on
 * the train side, where it withholds .84 of the questions without an answer and .27 of the others. At .3 a quotation is right more
 * often (.69 for .63), but .42 of the questions with an answer get none (docs/research/tried.md).
 */
export const QUOTATION_THRESHOLD = 0.18;

/**
 * Below it a quoted answer is called unsure: on the train side .34 of the quotations from the threshold above up to here are right, and
 * .73 of those with more (docs/research/tried.md).
 */
export const UNSURE_BELOW = 0.35;

/** Below it a language model is not asked: it sees all passages, and can say itself that they do not answer. */
export const CHAT_THRESHOLD = 0.08;

/** Below it the passages are about something else. */
export const NEAR_THRESHOLD = 0.04;
