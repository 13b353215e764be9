/** How a person reads the score of a passage. */
export type MatchBand = 'strong' | 'possible' | 'weak';

const STRONG = 0.7;
const POSSIBLE = 0.5;

/** `strong` from .7 on, `possible` from .5 on. */
export function matchBandOf(score: number): MatchBand {
  if (score >= STRONG) return 'strong';
  return score >= POSSIBLE ? 'possible' : 'weak';
}
