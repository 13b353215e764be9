import { bestWindow, matchPassage } from '../../core/analysis/passage-matches.js';
import type { QueryProfile } from '../../core/analysis/query-profile.js';
import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import type { Candidate } from '../candidate.js';

/**
 * What tells how well a passage matches, each of the query and this passage alone; more of any is a better match. A long query
 * shares some words with any passage and all of them with none, so what is shared is weighed by the length of the query.
 */
export const MATCH_FEATURES = [
  'reading',
  'nearness',
  'bm25OfFew',
  'bm25OfMany',
  'coverageOfFew',
  'coverageOfMany',
  'windowOfFew',
  'windowOfMany',
  'length',
] as const;

export type MatchFeature = (typeof MATCH_FEATURES)[number];

/** What is read of a passage. */
export type MatchedPassage = Pick<Candidate, 'semanticScore' | 'reading'> & {
  readonly chunk: Pick<Candidate['chunk'], 'content' | 'metadata'>;
};

/** A query, and what the scope's passages are to it. */
export interface MatchContext {
  readonly query: QueryProfile;
  /** The query with synonyms in place of its words: a passage matches as it matches the best of them. */
  readonly inOtherWords?: readonly QueryProfile[];
  /** Cosine of the 100th nearest passage, or of the last where there are fewer; absent where nothing was embedded. */
  readonly background?: number | undefined;
}

// Robertson and Zaragoza 2009, as the lexical lane has them; the length is that of a usual passage, in words.
const K1 = 1.2;
const B = 0.75;
const USUAL_LENGTH = 120;

/** Words of a short query and of a long one, as `log2(1 + words)`; between them a query is partly either. */
const SHORT = 2;
const LONG = 6;

export function matchFeaturesOf(
  { chunk, semanticScore, reading = 0 }: MatchedPassage,
  { query, background = 1 }: MatchContext,
): Readonly<Record<MatchFeature, number>> {
  const { idf, idfMass } = query;
  const passage = matchPassage(chunk.content, query);
  const title = matchPassage(titleOf(chunk) ?? '', query);
  const headings = matchPassage(headingPathOf(chunk).join(' \n '), query);
  const counts = passage.counts.map((count, i) => count + (title.counts[i] ?? 0) + (headings.counts[i] ?? 0));
  const norm = K1 * (1 - B + (B * (passage.length + title.length)) / USUAL_LENGTH);
  const sumOf = (gain: (count: number) => number): number =>
    counts.reduce((sum, count, term) => sum + (idf[term] ?? 0) * gain(count), 0) / (idfMass || 1);
  const bm25 = sumOf((count) => (count * (K1 + 1)) / (count + norm));
  const coverage = sumOf((count) => Number(count > 0));
  const window = bestWindow(passage, idf, idfMass);
  const length = Math.min(1, Math.max(0, (Math.log2(1 + query.terms.length) - SHORT) / (LONG - SHORT)));
  return {
    reading: Math.max(0, reading),
    nearness: nearnessOf(semanticScore, background),
    bm25OfFew: bm25 * (1 - length),
    bm25OfMany: bm25 * length,
    coverageOfFew: coverage * (1 - length),
    coverageOfMany: coverage * length,
    windowOfFew: window * (1 - length),
    windowOfMany: window * length,
    length,
  };
}

/** How far a cosine lies above the background, as a share of what is left to 1: models differ in where theirs lie. */
const nearnessOf = (cosine: number | undefined, background: number): number =>
  cosine === undefined || background >= 1 ? 0 : Math.max(0, (cosine - background) / (1 - background));
