import type { SentenceFeature } from './sentence-features.js';

/**
 * Weights of the features of a sentence: conditional logit over the sentences of five passages, fitted by
 * `tools/answers/fit.ts` on the questions of one half of the XQuAD articles (docs/answering.md).
 */
export const SENTENCE_WEIGHTS: Readonly<Record<SentenceFeature, number>> = {
  coverage: 3.24,
  headedCoverage: 2.37,
  density: 2.14,
  before: 0.66,
  after: 0.26,
  passage: 3.06,
  rank: 1.38,
  answerType: 1.65,
  answerNear: 0.74,
  novelty: -0.94,
  position: -0.36,
};
