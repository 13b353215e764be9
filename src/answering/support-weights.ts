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
  bias: -3.788,
  weights: {
    coverage: 0.946,
    windowCoverage: 3.793,
    sentenceCoverage: 3.976,
    novel: 1.757,
    reordered: 6.242,
  },
};

/** Whether a sentence says it as the source does: one number, name, negation or role changed makes it false. */
export const AGREEMENT_MODEL: SupportModel<SupportFeature | Departure> = {
  bias: -25.854,
  weights: {
    names: 0.645,
    permuted: 1.443,
    slip: 1.547,
    slipSquare: 0.466,
    replaced: 0.652,
    exchanged: 0.46,
    exchangedNear: 0.796,
    opposed: 2.533,
    opposedBeside: 0.183,
    amountReplaced: 2.275,
    nameReplaced: 1.405,
    amountMissing: 1.52,
    amountElsewhere: 0.513,
    nameMissing: 1.912,
    negated: 0.568,
    negatedCopy: 3.001,
    negatedNear: 0.947,
    widened: 1.436,
    turned: 0.768,
    turnedCopy: 0.68,
    inverted: 0.397,
    invertedCopy: 0.421,
    rebound: 1.455,
    otherCause: 1.498,
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
