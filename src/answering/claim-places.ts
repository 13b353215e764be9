import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { numbersOf } from './claim-parts.js';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}.,%'’-]*/gu;
const NEGATION = /^(?:not|no|never|none|neither|nor|cannot|without|nicht|kein\w*|nie|ohne|\w+n['’]t)$/i;
/** Words after a negation that it reaches, and words beside a number that say what it counts. */
const REACH = 3;

/** What of a text stands under a negation, and what beside which number. */
export interface ClaimPlaces {
  /** Terms that a negation stands closely before. */
  readonly denied: ReadonlySet<string>;
  /** Terms that stand somewhere without one. */
  readonly affirmed: ReadonlySet<string>;
  /** `number term` for each term beside a number. */
  readonly counted: ReadonlySet<string>;
}

export function placesOf(text: string): ClaimPlaces {
  const words = (text.match(WORD) ?? []).map((word) => word.replace(/[.,'’-]+$/, ''));
  const terms = words.map((word) => analyzeText(word));
  const denied = new Set<string>();
  const affirmed = new Set<string>();
  const counted = new Set<string>();
  let lastNegation = Number.NEGATIVE_INFINITY;
  words.forEach((word, at) => {
    if (NEGATION.test(word)) lastNegation = at;
    const isDenied = at > lastNegation && at - lastNegation <= REACH;
    for (const term of terms[at] ?? []) (isDenied ? denied : affirmed).add(term);
    for (const number of numbersOf(word)) {
      for (const term of terms.slice(Math.max(0, at - REACH), at + REACH + 1).flat()) {
        if (!numbersOf(term).has(number)) counted.add(`${number} ${term}`);
      }
    }
  });
  return { denied, affirmed, counted };
}

/** Share of what a claim denies or affirms that the evidence does not say the other way round; 1 where nothing is. */
export function polarityAgreement(claim: ClaimPlaces, evidence: ClaimPlaces): number {
  const against = (said: 'denied' | 'affirmed', turned: 'denied' | 'affirmed'): number =>
    [...claim[said]].filter(
      (term) => !claim[turned].has(term) && evidence[turned].has(term) && !evidence[said].has(term),
    ).length;
  return 1 / (1 + against('denied', 'affirmed') + against('affirmed', 'denied'));
}

/**
 * How well the number of a claim that fits least stands where the evidence has it: the share of the words beside it in the
 * claim that stand beside the same number in the evidence. 1 where the claim has no number.
 */
export function countingAgreement(claim: ClaimPlaces, evidence: ClaimPlaces): number {
  const numbers = new Map<string, { all: number; held: number }>();
  for (const pair of claim.counted) {
    const number = pair.slice(0, pair.indexOf(' '));
    const { all, held } = numbers.get(number) ?? { all: 0, held: 0 };
    numbers.set(number, { all: all + 1, held: held + (evidence.counted.has(pair) ? 1 : 0) });
  }
  return Math.min(1, ...[...numbers.values()].map(({ all, held }) => held / all));
}
