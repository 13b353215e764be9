// Fitted by the method of tools/scores/fit.ts, which writes this file anew; change the tool, not this file. The weight of the reading was fitted on
// cosines of whole passages and is translated to that of the best part (docs/research/reader.md).
import type { MatchFeature } from './match-features.js';

export interface MatchModel {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<MatchFeature, number>>>;
}

/** Logistic regressions: with vectors, of words alone, and of words and what the reader says. */
export const MATCH_PARAMETERS: Readonly<Record<'all' | 'words' | 'read', MatchModel>> = {
  all: {
    bias: -4.966,
    weights: {
      nearness: 9.789,
      bm25OfFew: 2.165,
      bm25OfMany: 6.598,
      coverageOfFew: 2.872,
      coverageOfMany: 1.009,
      windowOfFew: 0.066,
      windowOfMany: 7.312,
      length: 2.067,
    },
  },
  words: {
    bias: -5.696,
    weights: {
      bm25OfFew: 5.634,
      bm25OfMany: 14.611,
      coverageOfFew: 0.0,
      coverageOfMany: 0.0,
      windowOfFew: 1.691,
      windowOfMany: 3.003,
      length: 2.897,
    },
  },
  read: {
    bias: -5.151,
    weights: {
      bm25OfFew: 0,
      bm25OfMany: 0.692,
      coverageOfFew: 0.777,
      coverageOfMany: 6.688,
      windowOfFew: 5.391,
      windowOfMany: 0,
      length: 1.099,
      reading: 7.289,
    },
  },
};
