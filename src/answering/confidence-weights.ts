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
 * Below it a passage is not quoted as the answer by default. XQuAD, where questions repeat the words of their paragraph, would
 * bear more (docs/answering.md has the trade-off).
 */
export const QUOTATION_THRESHOLD = 0.12;

/** Below it a language model is not asked: it sees all passages, and can say itself that they do not answer. */
export const CHAT_THRESHOLD = 0.07;

/** Below it the passages are about something else. */
export const NEAR_THRESHOLD = 0.04;
