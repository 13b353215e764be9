import type { QuotationFeature } from './quotation-features.js';

/**
 * Weights of the features of a quotation: conditional logit over all quotations of five passages, fitted by `tools/answers/fit.ts`
 * on the questions over documentation of the train side (docs/answering.md).
 */
export const QUOTATION_WEIGHTS: Readonly<Record<QuotationFeature, number>> = {
  similarity: 1.641,
  headedSimilarity: 2.029,
  sentence: 0.185,
  passage: 1.438,
  length: 0.957,
  number: 1.351,
  reason: 0.66,
  cutAfter: -0.273,
  reading: 7.749,
};
