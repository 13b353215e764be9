import type { SupportFeature } from './support-features.js';

export interface SupportModel {
  readonly bias: number;
  readonly weights: Readonly<Record<SupportFeature, number>>;
}

// Both fitted by `tools/answers/fit.ts` on one half of the labelled tasks (docs/answering.md); do not edit by hand.

/** Whether the source says a sentence as it stands: one number, name or negation changed makes it false. */
export const SUPPORT_MODEL: SupportModel = {
  bias: -10.672,
  weights: {
    coverage: 2.811,
    windowCoverage: 0.286,
    sentenceCoverage: 0,
    pairs: 0,
    numbers: 1.064,
    names: 2.609,
    identifiers: 0,
    polarity: 2.211,
    polarityAnywhere: 3.314,
    counting: 0.229,
  },
};

/** How much of a sentence people would call faithful to the source. */
export const FAITHFULNESS_MODEL: SupportModel = {
  bias: -1.486,
  weights: {
    coverage: 1.136,
    windowCoverage: 1.216,
    sentenceCoverage: 0.604,
    pairs: 0.462,
    numbers: 0.399,
    names: 0.587,
    identifiers: 0,
    polarity: 0,
    polarityAnywhere: 0,
    counting: 0,
  },
};
