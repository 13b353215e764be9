import { DegradationLevel } from '../../core/degradation.js';
import type { PartName } from './level.js';

/** What is lost at a level, as it was measured before. */
export interface ExpectedLoss {
  /** `hit@5`: share of questions whose answer is in one of the first five passages. */
  readonly measure: 'hit@5';
  /** Of the full search. */
  readonly full: number;
  /** What is expected to be missing of it, in [0, `full`]. */
  readonly loss: number;
  /** On which questions. */
  readonly data: string;
}

/** Why a response is less than it could be, and how much less it is expected to be worth. */
export interface DegradationReport {
  /** Parts that failed or were left alone. */
  readonly parts: readonly PartName[];
  readonly expectedLoss: ExpectedLoss;
}

/** A text that the configuration gives for times in which nothing can be searched. It was not found in any document. */
export interface StaticResponse {
  readonly kind: 'static';
  readonly text: string;
}

const FULL = 0.736;

/** By `ragstone eval` (docs/degradation.md has the commands); of level 3 what is left without the reranker too. */
const LEFT: Readonly<Record<DegradationLevel, number>> = {
  [DegradationLevel.FULL_RAG]: FULL,
  [DegradationLevel.NO_RERANKING]: 0.736,
  // What was found before, of the index as it is now.
  [DegradationLevel.CACHED_ONLY]: FULL,
  [DegradationLevel.KEYWORD_ONLY]: 0.655,
  [DegradationLevel.STATIC_ONLY]: 0,
  [DegradationLevel.DISABLED]: 0,
};

export const expectedLossAt = (level: DegradationLevel): ExpectedLoss => ({
  measure: 'hit@5',
  full: FULL,
  loss: Math.round((FULL - LEFT[level]) * 1_000) / 1_000,
  data: '55 questions on the ISE engineering playbook, built-in models',
});

/** How much of the full answer a response could give, as responses hold it. */
export interface ToldDegradation {
  readonly degradationLevel: DegradationLevel;
  /** Absent at level 0, where nothing is missing. */
  readonly degradation?: DegradationReport;
  /** What `rag.degradation.static` says to the question, at level 4; absent elsewhere. */
  readonly staticResponses?: readonly StaticResponse[];
}

/** What a search knows of it. */
export interface FoundDegradation extends Pick<ToldDegradation, 'degradationLevel' | 'staticResponses'> {
  /** Parts that failed meanwhile or were left alone. @default none */
  readonly outages?: readonly PartName[];
}

export const toldDegradation = ({
  degradationLevel: level,
  outages: parts = [],
  staticResponses,
}: FoundDegradation): ToldDegradation => ({
  degradationLevel: level,
  ...(level === DegradationLevel.FULL_RAG
    ? {}
    : { degradation: { parts, expectedLoss: expectedLossAt(level) } }),
  ...(staticResponses === undefined ? {} : { staticResponses }),
});
