/** The probability that log-odds stand for. */
export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Beyond this a probability says no more: one in a thousand. */
const SUREST = Math.log(999);

/** Log-odds of a probability, held within what a model can know. */
export function logOddsOf(probability: number): number {
  return Math.min(SUREST, Math.max(-SUREST, Math.log(probability / (1 - probability))));
}
