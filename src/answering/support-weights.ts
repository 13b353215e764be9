import type { Departure } from './agreement-features.js';
import type { SupportFeature } from './support-features.js';

/** A logistic regression over some features. */
export interface SupportModel<Feature extends string> {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Feature, number>>>;
}

// All fitted by `tools/answers/fit.ts` (docs/research/support.md); do not edit by hand. Of a departure the share is weighed that is none.

/** Whether a source is about what a sentence says: strangers to it are below one half. */
export const TOPIC_MODEL: SupportModel<SupportFeature | Departure> = {
  bias: -3.789,
  weights: {
    coverage: 0.945,
    windowCoverage: 3.797,
    sentenceCoverage: 3.979,
    novel: 1.749,
    reordered: 6.245,
  },
};

/** Whether a sentence says it as the source does: one number, name, negation or role changed makes it false. */
export const AGREEMENT_MODEL: SupportModel<SupportFeature | Departure> = {
  bias: -27.219,
  weights: {
    names: 0.661,
    permuted: 1.787,
    slip: 0.63,
    slipSquare: 1.387,
    replaced: 0.589,
    exchanged: 0.761,
    exchangedNear: 0.533,
    opposed: 2.56,
    opposedBeside: 0.27,
    amountReplaced: 2.27,
    nameReplaced: 1.425,
    amountMissing: 1.459,
    amountElsewhere: 0.501,
    nameMissing: 1.79,
    negated: 0.499,
    negatedCopy: 2.999,
    negatedNear: 1.011,
    widened: 1.41,
    turned: 0.966,
    turnedCopy: 0.831,
    inverted: 0.386,
    invertedCopy: 0.775,
    rebound: 1.605,
    otherCause: 1.544,
  },
};

/** How much of a sentence people would call faithful to the source. */
export const FAITHFULNESS_MODEL: SupportModel<SupportFeature> = {
  bias: -1.233,
  weights: {
    coverage: 0.971,
    windowCoverage: 0.888,
    sentenceCoverage: 0.695,
    pairs: 0.615,
    numbers: 0.338,
    names: 0.511,
    identifiers: 0,
    polarity: 0,
    polarityAnywhere: 0,
    counting: 0.036,
  },
};
