import type { SentenceFeature } from './sentence-features.js';

/**
 * Weights of the features of a sentence: conditional logit over the sentences of five passages, fitted by
 * `tools/answers/fit.ts` on the questions of one half of the XQuAD articles (docs/answering.md).
 */
export const SENTENCE_WEIGHTS: Readonly<Record<SentenceFeature, number>> = {
  coverage: 2.401,
  headedCoverage: 2.19,
  density: 2.099,
  before: 0.863,
  after: 0.359,
  passage: 3.19,
  rank: 1.914,
  answerType: 1.291,
  answerNear: 0.715,
  novelty: -0.093,
  position: -0.134,
};
