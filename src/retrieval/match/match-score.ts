import type { QueryProfile } from '../../analysis/query-profile.js';
import { logOddsOf, sigmoid } from '../../core/logistic.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import { type Candidate, withContribution, withoutContribution, withScore } from '../candidate.js';
import { MATCH_FEATURES, type MatchContext, type MatchedPassage, matchFeaturesOf } from './match-features.js';
import { MATCH_PARAMETERS } from './match-parameters.js';

export interface MatchOptions {
  readonly context: MatchContext;
  /** Of the reranker that gave `rerankScore`s. @default 'probability' */
  readonly scoring?: RerankScoring | undefined;
}

/**
 * Gives every candidate of an ordered list its score: how well it matches, in [0, 1]. It is a logistic function of the query
 * and the passage alone, and never above what stands before it: where the order says otherwise it stays just below that.
 * `rerank` is what the reranker changed of the passage's own match; `calibration` closes the sum.
 */
export function scoreMatches(candidates: readonly Candidate[], options: MatchOptions): Candidate[] {
  return keptInOrder(lifted(candidates.map((candidate) => withMatch(candidate, options))));
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

/** What a passage keeps of the score before it, where its own would be higher. */
const JUST_BELOW = 0.98;

/** Scores that fall along the list: one that would rise is set just below that before it. */
export function keptInOrder(candidates: readonly Candidate[]): Candidate[] {
  let before = Number.POSITIVE_INFINITY;
  return candidates.map((candidate) => {
    const score = Math.min(candidate.score, JUST_BELOW * before);
    before = score;
    if (score === candidate.score) return candidate;
    const isReranked = candidate.rerankScore !== undefined;
    return withScore(candidate, score, isReranked ? 'rerank' : 'calibration');
  });
}

function withMatch(candidate: Candidate, { context, scoring = 'probability' }: MatchOptions): Candidate {
  const { rerankScore, identifierHits } = candidate;
  const logit = matchLogit(candidate, context);
  const byMatch = withIdentifiers(sigmoid(logit), identifierHits);
  const matched = withScore(withoutContribution(candidate, 'rerank'), byMatch, 'calibration');
  if (rerankScore === undefined || scoring !== 'probability') return matched;
  // Of two opinions whose worth is not known, the mean log-odds (a logarithmic opinion pool; Genest and Zidek 1986).
  const both = withIdentifiers(sigmoid((logit + logOddsOf(rerankScore)) / 2), identifierHits);
  return { ...withContribution(matched, 'rerank', both - byMatch), score: both };
}

/** Log-odds of a passage's own match. */
export function matchLogit(passage: MatchedPassage, context: MatchContext): number {
  const { bias, weights } = MATCH_PARAMETERS[context.background === undefined ? 'words' : 'all'];
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
