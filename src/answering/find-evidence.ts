import type { TokenCounter } from '../context/token-counter.js';
import type { ChatModel } from '../core/chat-model.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import { resultWithin } from '../core/with-deadline.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { AgentReport, LimitCounter, LimitsLeft } from './agentic/agent.js';
import type { AnswerMode } from './answer.js';
import type { AnswerDependencies, Retrieved } from './answer-request.js';
import type { SearchSignals } from './confidence-features.js';
import type { StandaloneQuestion } from './follow-up.js';
import { searchPassages } from './search-passages.js';

export interface EvidenceInput {
  readonly standalone: StandaloneQuestion;
  readonly mode: AnswerMode;
  readonly dependencies: AnswerDependencies;
  readonly model: ChatModel | undefined;
  readonly counter: TokenCounter;
  /** Tokens that the answer will take of what a run may use. */
  readonly reserved: number;
  readonly signal: AbortSignal | undefined;
}

/** Passages, and what finding them left of the limits where there are any. */
export interface Evidence extends Retrieved {
  readonly run?: {
    /** How they were found in steps, where the mode is `agentic`. */
    readonly report?: AgentReport;
    readonly left: LimitsLeft;
  };
}

/**
 * Passages for a question: by one search, or in steps.
 *
 * @throws RAGError of the search; `CONFIG_INVALID` for the mode `agentic` where nothing searches in steps
 */
export async function findEvidence(input: EvidenceInput): Promise<Evidence> {
  const { standalone, mode, dependencies, model, counter, reserved, signal } = input;
  const { retrieve, gather, limits, settings } = dependencies;
  const search = (options: { readonly topK: number; readonly signal?: AbortSignal }) =>
    searchPassages(standalone, retrieve, { mode, ...options });
  if (mode !== 'agentic') {
    const found = await search({ topK: settings.topK, ...withoutUndefined({ signal }) });
    return limits === undefined ? found : { ...found, run: { left: leftOf(limits) } };
  }
  if (gather === undefined) throw noGatherer();
  let signals: SearchSignals | undefined;
  const { report, left, ...found } = await gather({
    question: standalone.query,
    topK: settings.topK,
    model,
    counter,
    reserved,
    signal,
    first: async (options) => {
      const retrieved = await search(options);
      signals = retrieved.signals;
      return retrieved;
    },
  });
  return { ...found, ...withoutUndefined({ signals }), run: { report, left } };
}

const leftOf = (limits: LimitCounter): LimitsLeft => ({
  tokens: limits.tokensLeft,
  cost: limits.costLeft,
  ms: () => limits.msLeft,
});

const noGatherer = (): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    'The mode "agentic" needs what searches in steps: hand it in as `gather`, or ask an engine.',
    { details: { key: 'gather' } },
  );

/** What is read beside the passages, no longer than a run has time; where it is over, an answer goes without it. */
export function withinRun(
  dependencies: AnswerDependencies,
  { run }: Evidence,
): { readonly dependencies: AnswerDependencies; readonly notices: () => readonly Notice[] } {
  if (run === undefined) return { dependencies, notices: () => [] };
  let isCut = false;
  const within = async <T>(work: () => Promise<T>, instead: T): Promise<T> => {
    const ms = run.left.ms();
    const result = ms > 0 ? await resultWithin(ms, work()) : undefined;
    if (result === undefined) isCut = true;
    return result ?? instead;
  };
  const { similarity, reading, isKnownWord, isKnownIdentifier, context } = dependencies;
  const { loadChunks } = context;
  return {
    dependencies: {
      ...dependencies,
      ...(similarity === undefined
        ? {}
        : {
            similarity: (question, texts, signal) =>
              within(
                () => similarity(question, texts, signal),
                texts.map(() => 0),
              ),
          }),
      ...(reading === undefined
        ? {}
        : {
            reading: (question, texts, signal) =>
              within(
                () => reading(question, texts, signal),
                texts.map(() => undefined),
              ),
          }),
      ...(isKnownWord === undefined ? {} : { isKnownWord: (word) => within(() => isKnownWord(word), true) }),
      ...(isKnownIdentifier === undefined
        ? {}
        : { isKnownIdentifier: (name) => within(() => isKnownIdentifier(name), true) }),
      context: {
        ...context,
        ...(loadChunks === undefined
          ? {}
          : {
              loadChunks: (id, signal) => within<readonly StoredChunk[]>(() => loadChunks(id, signal), []),
            }),
      },
    },
    notices: () => (isCut ? [CUT] : []),
  };
}

const CUT: Notice = {
  kind: 'search-degraded',
  text: 'The time was over before all was read that belongs to an answer; it was made without.',
};
