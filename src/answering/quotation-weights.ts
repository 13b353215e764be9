import type { QuotationFeature } from './quotation-features.js';

/**
 * Weights of the features of a quotation: conditional logit over all quotations of five passages, fitted by `tools/answers/fit.ts`
 * on the questions over documentation of the train side (docs/answering.md).
 */
export const QUOTATION_WEIGHTS: Readonly<Record<QuotationFeature, number>> = {
  similarity: 1.988,
  headedSimilarity: 6.499,
  sentence: 0.22,
  passage: 2.021,
  length: 1.629,
  number: 1.526,
  reason: 0.879,
  cutAfter: -0.348,
  reading: 0,
};
