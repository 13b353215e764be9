import type { QueryProfile } from '../../core/analysis/query-profile.js';
import { logOddsOf, sigmoid } from '../../core/logistic.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import { nonIncreasing } from '../calibration/calibration.js';
import { type Candidate, withContribution, withoutContribution, withScore } from '../candidate.js';
import { MATCH_FEATURES, type MatchContext, type MatchedPassage, matchFeaturesOf } from './match-features.js';
import { MATCH_PARAMETERS, type MatchModel } from './match-parameters.js';

export interface MatchOptions {
  readonly context: MatchContext;
  /** Of the reranker that gave `rerankScore`s. @default 'probability' */
  readonly scoring?: RerankScoring | undefined;
}

/** So many of the first have their scores pooled, however few are shown: as many as the reader reads. */
export const POOLED = 30;

/**
 * Gives every candidate of an ordered list its score: how well it matches, in [0, 1]. It is a logistic function of the query
 * and the passage alone, and where the order says otherwise the mean of those that do (`pooledInOrder`).
 * `rerank` is what the reranker changed of the passage's own match; `calibration` closes the sum.
 */
export function scoreMatches(candidates: readonly Candidate[], options: MatchOptions): Candidate[] {
  return pooledInOrder(lifted(asFarAsKnown(candidates.map((candidate) => withMatch(candidate, options)))));
}

/** What less is known of than of one before it does not lift that: it scores no higher than any before. */
function asFarAsKnown(candidates: readonly Candidate[]): Candidate[] {
  let known = 0;
  let lowest = Number.POSITIVE_INFINITY;
  return candidates.map((candidate) => {
    const { rerankScore, reading, score } = candidate;
    const own = Number(rerankScore !== undefined) + Number(reading !== undefined);
    const bound = own < known ? Math.min(score, lowest) : score;
    known = Math.max(known, own);
    lowest = Math.min(lowest, bound);
    return bound === score ? candidate : withScore(candidate, bound, 'calibration');
  });
}

/** What the graph put before others matches as well as the best of them: its links are worth so much, and no more. */
function lifted(candidates: readonly Candidate[]): Candidate[] {
  let behind = 0;
  return candidates
    .toReversed()
    .map((candidate) => {
      const score = candidate.isConnected === true ? Math.max(candidate.score, behind) : candidate.score;
      behind = Math.max(behind, score);
      return score === candidate.score ? candidate : withScore(candidate, score, 'graph');
    })
    .reverse();
}

/**
 * Scores that fall along the list. Where one of the first ones is above that before it, both get their mean, and so on (pool adjacent violators;
 * Ayer et al. 1955): what a reranker brings forward, and matches little, does not hold down all that stand behind it. Later ones are at most what is before.
 */
export function pooledInOrder(candidates: readonly Candidate[]): Candidate[] {
  const pooled = nonIncreasing(candidates.slice(0, POOLED).map(({ score }) => score));
  let before = Number.POSITIVE_INFINITY;
  return candidates.map((candidate, i) => {
    const score = Math.min(pooled[i] ?? candidate.score, before);
    before = score;
    if (score === candidate.score) return candidate;
    const isReranked = candidate.rerankScore !== undefined;
    return withScore(candidate, score, isReranked ? 'rerank' : 'calibration');
  });
}

function withMatch(candidate: Candidate, { context, scoring = 'probability' }: MatchOptions): Candidate {
  const { rerankScore, reading, identifierHits } = candidate;
  const logit = matchLogit(candidate, context);
  const byMatch = withIdentifiers(sigmoid(logit), identifierHits);
  const matched = withScore(withoutContribution(candidate, 'rerank'), byMatch, 'calibration');
  const reranked = (both: number): Candidate => {
    const score = withIdentifiers(sigmoid(both), identifierHits);
    return { ...withContribution(matched, 'rerank', score - byMatch), score };
  };
  if (reading !== undefined) return reranked(matchLogit(candidate, context, MATCH_PARAMETERS.read));
  if (rerankScore === undefined || scoring !== 'probability') return matched;
  // Of two opinions whose worth is not known, the mean log-odds (a logarithmic opinion pool; Genest and Zidek 1986).
  return reranked((logit + logOddsOf(rerankScore)) / 2);
}

/** Log-odds of a passage's own match; of a query that is also said in other words, the best of them. */
export function matchLogit(
  passage: MatchedPassage,
  context: MatchContext,
  { bias, weights }: MatchModel = MATCH_PARAMETERS[context.background === undefined ? 'words' : 'all'],
): number {
  const logitOf = (query: QueryProfile): number => {
    const features = matchFeaturesOf(passage, { ...context, query });
    return MATCH_FEATURES.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], bias);
  };
  return Math.max(...[context.query, ...(context.inOtherWords ?? [])].map(logitOf));
}

/** The best that a passage without the identifier asked for can score. */
const WITHOUT_IDENTIFIER = 0.95;

/** A passage that holds a rare identifier of the query is what was asked for, whatever else it says: the more, the higher. */
function withIdentifiers(match: number, hits: number): number {
  if (hits === 0) return WITHOUT_IDENTIFIER * match;
  return 1 - (1 - WITHOUT_IDENTIFIER) * 2 ** (1 - hits) * (1 - match / 2);
}
