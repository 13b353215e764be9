import type { SentenceFeature } from './sentence-features.js';

/**
 * Weights of the features of a sentence: conditional logit over the sentences of five passages, fitted by
 * `tools/answers/fit.ts` on the questions of one half of the XQuAD articles (docs/answering.md).
 */
export const SENTENCE_WEIGHTS: Readonly<Record<SentenceFeature, number>> = {
  coverage: 2.371,
  headedCoverage: 2.158,
  density: 2.124,
  before: 0.833,
  after: 0.313,
  passage: 3.177,
  rank: 1.893,
  answerType: 1.288,
  answerNear: 0.728,
  novelty: -0.067,
  position: -0.142,
};
