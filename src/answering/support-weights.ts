import type { AgreementFeature } from './agreement-features.js';
import type { SupportFeature } from './support-features.js';

/** A logistic regression over some features. */
export interface SupportModel<Feature extends string> {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Feature, number>>>;
}

// All fitted by `tools/answers/fit.ts` (docs/research/support.md); do not edit by hand. Of a departure the share is weighed that is none.

/** Whether a source says a sentence: about the same, and no number, name, negation or role is another. */
export const SUPPORT_MODEL: SupportModel<AgreementFeature> = {
  bias: -25.875,
  weights: {
    coverage: -2.691,
    windowCoverage: -0.946,
    sentenceCoverage: 0.509,
    polarity: -0.519,
    polarityAnywhere: -0.33,
    polarityCopy: 1.331,
    polarityAnywhereCopy: 1.37,
    novel: 2.656,
    reordered: 1.068,
    permuted: 1.367,
    slip: 1.385,
    slipSquare: 0.726,
    replaced: 0,
    exchanged: 0.128,
    exchangedNear: 0.48,
    opposed: 2.924,
    opposedBeside: 0.307,
    amountReplaced: 2.352,
    nameReplaced: 1.819,
    amountMissing: 1.459,
    amountElsewhere: 0,
    nameMissing: 1.731,
    negated: 0.016,
    negatedCopy: 2.551,
    negatedNear: 0.742,
    widened: 1.025,
    turned: 0.86,
    turnedCopy: 0.695,
    inverted: 0,
    invertedCopy: 0.001,
    rebound: 1.167,
    otherCause: 0.727,
    meaning: 3.487,
  },
};

/** The same for texts that the built-in model does not read. */
export const WORDS_MODEL: SupportModel<AgreementFeature> = {
  bias: -25.429,
  weights: {
    coverage: -2.535,
    windowCoverage: -0.771,
    sentenceCoverage: 1.622,
    polarity: -0.616,
    polarityAnywhere: -0.375,
    polarityCopy: 1.358,
    polarityAnywhereCopy: 1.299,
    novel: 3.004,
    reordered: 1.842,
    permuted: 1.507,
    slip: 1.417,
    slipSquare: 0.781,
    replaced: 0,
    exchanged: 0.143,
    exchangedNear: 0.274,
    opposed: 2.932,
    opposedBeside: 0.245,
    amountReplaced: 2.389,
    nameReplaced: 1.746,
    amountMissing: 1.472,
    amountElsewhere: 0,
    nameMissing: 1.83,
    negated: 0,
    negatedCopy: 2.557,
    negatedNear: 0.841,
    widened: 0.995,
    turned: 0.919,
    turnedCopy: 0.837,
    inverted: 0,
    invertedCopy: 0,
    rebound: 1.175,
    otherCause: 0.802,
  },
};

/** How much of a sentence people would call faithful to the source. */
export const FAITHFULNESS_MODEL: SupportModel<SupportFeature> = {
  bias: -1.043,
  weights: {
    coverage: 0.91,
    windowCoverage: 0.86,
    sentenceCoverage: 0.681,
    pairs: 0.641,
    numbers: 0.18,
    names: 0.567,
    identifiers: 0,
    polarity: 0,
    polarityAnywhere: 0,
    counting: 0.001,
  },
};
