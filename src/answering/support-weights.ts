import type { SupportFeature } from './support-features.js';

export interface SupportModel {
  readonly bias: number;
  readonly weights: Readonly<Record<SupportFeature, number>>;
}

// Both fitted by `tools/answers/fit.ts` on one half of the labelled tasks (docs/answering.md); do not edit by hand.

/** Whether the source says a sentence as it stands: one number, name or negation changed makes it false. */
export const SUPPORT_MODEL: SupportModel = {
  bias: -11.241,
  weights: {
    coverage: 2.831,
    windowCoverage: 0.298,
    sentenceCoverage: 0,
    pairs: 0,
    numbers: 1.712,
    names: 2.636,
    identifiers: 0,
    polarity: 2.217,
    polarityAnywhere: 3.358,
    counting: 0.076,
  },
};

/** How much of a sentence people would call faithful to the source. */
export const FAITHFULNESS_MODEL: SupportModel = {
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
