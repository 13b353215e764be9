import type { Abstention, AnswerOutcome } from './answer.js';
import { CHAT_THRESHOLD, NEAR_THRESHOLD, QUOTATION_THRESHOLD } from './confidence-weights.js';

/** What is known when it is decided whether to answer. */
export interface OutcomeEvidence {
  readonly hasPassages: boolean;
  /** Names of the question that no passage holds. */
  readonly missing: readonly string[];
  /** Estimated probability that the passages answer, in [0, 1]. */
  readonly confidence: number;
  /** As asked for; 0 answers always. */
  readonly abstainBelow: number | undefined;
  /** Whether a language model would write the answer: it can still say that it knows none. */
  readonly hasModel: boolean;
}

/** Why nothing is claimed; undefined where there is an answer. */
export function withheldFor(evidence: OutcomeEvidence): Abstention | undefined {
  const { hasPassages, missing, confidence, hasModel } = evidence;
  const { abstainBelow = hasModel ? CHAT_THRESHOLD : QUOTATION_THRESHOLD } = evidence;
  if (!hasPassages) return NOTHING;
  if (missing.length > 0 && abstainBelow > 0)
    return { reason: 'unknown-names', detail: `Nothing here mentions ${listed(missing)}.`, missing };
  return confidence < abstainBelow ? THIN : undefined;
}

/** Near passages may still help, unless the question is about something else. */
export function outcomeOf(abstention: Abstention | undefined, confidence: number): AnswerOutcome {
  if (abstention === undefined) return 'answer';
  const { reason } = abstention;
  if (reason === 'nothing-found' || reason === 'unknown-names') return 'not-found';
  return reason === 'thin-evidence' && confidence < NEAR_THRESHOLD ? 'not-found' : 'perhaps';
}

const NOTHING: Abstention = {
  reason: 'nothing-found',
  detail: 'Nothing in the index matches the question.',
};
const THIN: Abstention = {
  reason: 'thin-evidence',
  detail: 'No passage clearly answers the question.',
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
