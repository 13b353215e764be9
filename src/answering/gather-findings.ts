import { indexedTextOfStored } from '../analysis/indexed-text.js';
import { assembleContext } from '../context/assemble-context.js';
import type { ContextOptions, ContextPack } from '../context/context-pack.js';
import type { ScoredChunk } from '../core/chunk.js';
import { type Notice, statedNotices } from '../core/notice.js';
import { traced } from '../core/telemetry.js';
import type { AnswerMode } from './answer.js';
import type { AnswerDependencies, AnswerRequest } from './answer-request.js';
import type { ChatModel } from './chat-model.js';
import type { Findings } from './compose-answer.js';
import { confidenceOf } from './confidence.js';
import type { StandaloneQuestion } from './follow-up.js';
import { missingNames } from './missing-names.js';
import { rankQuotations } from './rank-quotations.js';
import { rankSentences } from './rank-sentences.js';
import { searchPassages } from './search-passages.js';

/** Budget where neither the settings nor a model's window give one, in tokens. */
export const DEFAULT_CONTEXT_BUDGET = 2_000;

export interface GatherInput {
  readonly request: AnswerRequest;
  readonly dependencies: AnswerDependencies;
  readonly standalone: StandaloneQuestion;
  readonly model: ChatModel | undefined;
  readonly notices: readonly Notice[];
}

/** Passages for a question, what could be quoted of them, and how likely it is that they answer. */
export async function gatherFindings({
  request,
  dependencies,
  standalone,
  model,
  notices,
}: GatherInput): Promise<Findings> {
  const { retrieve, settings, context } = dependencies;
  const { signal } = request;
  const mode = modeOf(request);
  const retrieved = await searchPassages(standalone, retrieve, {
    topK: settings.topK,
    mode,
    ...(signal === undefined ? {} : { signal }),
  });
  const counter = await dependencies.counter(model?.id);
  const pack = await traced('stage', { stage: 'pack' }, () =>
    packContext(standalone.text, retrieved.ranked, {
      ...context,
      // The seed's naive mode takes what was found as it is.
      ...(mode === 'naive' ? { neighbours: 0, sectionHits: 0, hierarchical: false } : {}),
      budget: budgetFor(context.budget, model),
      counter,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const sentences = rankSentences(standalone.query, pack.entries);
  const quotations = await rankQuotations(standalone.query, sentences, dependencies.similarity, signal);
  const { isKnownWord, isKnownIdentifier } = dependencies;
  const found = retrieved.ranked.map(({ chunk }) => indexedTextOfStored(chunk));
  const evidence = { sentences, quotations, signals: retrieved.signals };
  return {
    request,
    mode,
    standalone,
    pack,
    missing:
      isKnownWord === undefined
        ? []
        : await missingNames(standalone.text, found, { isKnownWord, isKnownIdentifier }),
    evidence,
    confidence: confidenceOf(standalone.query, pack.entries, evidence),
    degradationLevel: retrieved.degradationLevel,
    // What was cut or flagged in the pack matters to who reads all of it: `context` and `sources` tell it in any case.
    notices: [...notices, ...statedNotices(retrieved), ...(model === undefined ? [] : statedNotices(pack))],
  };
}

const packContext = (
  question: string,
  ranked: readonly ScoredChunk[],
  options: ContextOptions,
): Promise<ContextPack> => assembleContext({ question, ranked }, options);

/** A quarter of the window, unless the settings say otherwise. */
function budgetFor(stated: number | undefined, model: ChatModel | undefined): number {
  if (stated !== undefined) return stated;
  return model === undefined ? DEFAULT_CONTEXT_BUDGET : Math.floor(model.contextWindow * CONTEXT_SHARE);
}

const CONTEXT_SHARE = 0.25;

export const modeOf = ({ mode = 'enhanced' }: AnswerRequest): AnswerMode => mode;
