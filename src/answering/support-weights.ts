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
export const AGREEMENT_MODEL: SupportModel<AgreementFeature> = {
  bias: -29.609,
  weights: {
    names: 0.702,
    polarityCopy: 1.224,
    polarityAnywhereCopy: 2.057,
    permuted: 1.685,
    slip: 0.636,
    slipSquare: 1.397,
    replaced: 0.635,
    exchanged: 0.697,
    exchangedNear: 0.635,
    opposed: 2.63,
    opposedBeside: 0.261,
    amountReplaced: 2.293,
    nameReplaced: 1.414,
    amountMissing: 1.52,
    amountElsewhere: 0.562,
    nameMissing: 1.847,
    negated: 0.346,
    negatedCopy: 2.421,
    negatedNear: 0.517,
    widened: 1.481,
    turned: 0.907,
    turnedCopy: 0.841,
    inverted: 0.465,
    invertedCopy: 0.75,
    rebound: 1.657,
    otherCause: 1.578,
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
