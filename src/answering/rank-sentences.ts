import type { ContextEntry } from '../context/context-pack.js';
import { type CandidateSentence, candidateSentences, SENTENCE_FEATURES } from './sentence-features.js';
import { SENTENCE_WEIGHTS } from './sentence-weights.js';

/** A sentence and how likely it is the one that answers. */
export interface RankedSentence {
  readonly sentence: CandidateSentence;
  /** Sum of weighted features; only differences mean something. */
  readonly logit: number;
  /** Share among all sentences of the passages, in [0, 1]. */
  readonly probability: number;
}

/**
 * A line of code shares words with a question by its names and seldom tells what they mean, so prose of equal evidence goes
 * first. Chosen by hand on this project's documentation: the questions that the weights were fitted on have no code.
 */
const CODE_LINE_LOGIT = -2;

/** All sentences of the passages, most likely to answer first. */
export function rankSentences(question: string, entries: readonly ContextEntry[]): RankedSentence[] {
  const candidates = candidateSentences(question, entries).map((sentence) => ({
    sentence,
    logit: SENTENCE_FEATURES.reduce(
      (sum, name) => sum + SENTENCE_WEIGHTS[name] * sentence.features[name],
      sentence.kind === 'code-line' ? CODE_LINE_LOGIT : 0,
    ),
  }));
  const highest = candidates.reduce((most, { logit }) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
  const total = candidates.reduce((sum, { logit }) => sum + Math.exp(logit - highest), 0);
  return candidates
    .map((candidate) => ({ ...candidate, probability: Math.exp(candidate.logit - highest) / total }))
    .sort((a, b) => b.logit - a.logit);
}
