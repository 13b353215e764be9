import type { ConfidenceFeature } from './confidence-features.js';

/**
 * Logistic regression, fitted by `tools/answers/fit.ts` on the questions of one half of the XQuAD articles, each with and
 * without the paragraph that answers it (docs/answering.md).
 */
export const CONFIDENCE_MODEL: {
  readonly bias: number;
  readonly weights: Readonly<Record<ConfidenceFeature, number>>;
} = {
  bias: -7.601,
  weights: {
    best: 1.165,
    margin: 1.309,
    density: 3.659,
    passageCoverage: 2.478,
    keyword: 3.795,
    semantic: 3.386,
  },
};

/**
 * Below it an answer is withheld by default. XQuAD, where questions repeat the words of their paragraph, would bear more;
 * chosen on questions over two folders of real documents: higher, it withholds more right answers than it spares wrong ones
 * (docs/answering.md has the trade-off).
 */
export const ABSTENTION_THRESHOLD = 0.07;
