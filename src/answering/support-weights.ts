import type { AgreementFeature } from './agreement-features.js';
import type { SupportFeature } from './support-features.js';

/** A logistic regression over some features. */
export interface SupportModel<Feature extends string> {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Feature, number>>>;
}

// All fitted by `tools/answers/fit.ts` (docs/research/support.md); do not edit by hand. Of a departure the share is weighed that is none.

/** Whether a source is about what a sentence says: strangers to it are below one half. */
export const TOPIC_MODEL: SupportModel<AgreementFeature> = {
  bias: -3.466,
  weights: {
    coverage: 1.268,
    windowCoverage: 4.168,
    sentenceCoverage: 4.321,
    novel: 1.861,
    reordered: 5.622,
  },
};

/** Whether a sentence says it as the source does: one number, name, negation or role changed makes it false. */
export const AGREEMENT_MODEL: SupportModel<AgreementFeature> = {
  bias: -26.706,
  weights: {
    names: 0.324,
    polarityCopy: 0.803,
    polarityAnywhereCopy: 1.341,
    permuted: 1.972,
    slip: 1.183,
    slipSquare: 1.007,
    replaced: 0.677,
    exchanged: 0.38,
    exchangedNear: 0.291,
    opposed: 2.858,
    opposedBeside: 0.416,
    amountReplaced: 2.11,
    nameReplaced: 1.385,
    amountMissing: 1.071,
    amountElsewhere: 0.451,
    nameMissing: 1.835,
    negated: 0.425,
    negatedCopy: 2.158,
    negatedNear: 0.599,
    widened: 1.626,
    turned: 0.682,
    turnedCopy: 0.816,
    inverted: 0,
    invertedCopy: 1.069,
    rebound: 1.751,
    otherCause: 0.81,
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
