import type { SentenceFeature } from './sentence-features.js';

/**
 * Weights of the features of a sentence: conditional logit over the sentences of five passages, fitted by
 * `tools/answers/fit.ts` on the questions of one half of the XQuAD articles (docs/answering.md).
 */
export const SENTENCE_WEIGHTS: Readonly<Record<SentenceFeature, number>> = {
  coverage: 2.386,
  headedCoverage: 2.196,
  density: 2.163,
  before: 0.879,
  after: 0.346,
  passage: 3.457,
  rank: 2.123,
  answerType: 1.297,
  answerNear: 0.725,
  novelty: -0.082,
  position: -0.155,
};
