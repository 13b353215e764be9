/** How a person reads the score of a passage. */
export type MatchBand = 'strong' | 'possible' | 'weak';

/** From here on four of five first results are right, on documentation that nothing was fitted on (docs/research/scores.md). */
const STRONG = 0.94;
const POSSIBLE = 0.5;

/** `strong` from .94 on, `possible` from .5 on. */
export function matchBandOf(score: number): MatchBand {
  if (score >= STRONG) return 'strong';
  return score >= POSSIBLE ? 'possible' : 'weak';
}
