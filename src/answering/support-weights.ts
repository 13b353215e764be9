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
    coverage: 0.949,
    windowCoverage: 3.799,
    sentenceCoverage: 3.974,
    novel: 1.756,
    reordered: 6.244,
  },
};

/** Whether a sentence says it as the source does: one number, name, negation or role changed makes it false. */
export const AGREEMENT_MODEL: SupportModel<SupportFeature | Departure> = {
  bias: -24.354,
  weights: {
    names: 0.62,
    polarity: 1.51,
    permuted: 1.53,
    slip: 1.557,
    slipSquare: 0.707,
    slipReplaced: 0.097,
    replaced: 0.424,
    exchanged: 0.437,
    exchangedNear: 0.705,
    opposed: 1.429,
    amountReplaced: 1.658,
    nameReplaced: 1.468,
    amountMissing: 1.627,
    amountElsewhere: 0.509,
    nameMissing: 1.942,
    negated: 2.968,
    negatedNear: 0.751,
    widened: 0.722,
    turned: 0.656,
    turnedCopy: 0.645,
    inverted: 0.501,
    invertedCopy: 0.318,
    rebound: 1.75,
    otherCause: 1.599,
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
