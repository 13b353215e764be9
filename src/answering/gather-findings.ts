import { assembleContext } from '../context/assemble-context.js';
import type { ContextEntry, ContextOptions, ContextPack } from '../context/context-pack.js';
import { splitWindow } from '../context/window-budget.js';
import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { saidAsIn } from '../core/analysis/synonyms.js';
import type { ChatModel } from '../core/chat-model.js';
import type { ScoredChunk } from '../core/chunk.js';
import { sigmoid } from '../core/logistic.js';
import { distinctNotices, type Notice, statedNotices } from '../core/notice.js';
import { traced } from '../core/telemetry.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { AnswerMode } from './answer.js';
import type { AnswerDependencies, AnswerRequest } from './answer-request.js';
import { askedIdentifier, holdingOf } from './asked-identifier.js';
import { askedItems } from './asked-items.js';
import { isOfAnother } from './asked-subject.js';
import type { Findings } from './compose-answer.js';
import { CONFIDENCE_FEATURES, type ConfidenceEvidence, confidenceFeatures } from './confidence-features.js';
import { CONFIDENCE_MODEL } from './confidence-weights.js';
import { findEvidence, withinRun } from './find-evidence.js';
import type { StandaloneQuestion } from './follow-up.js';
import { labelledFirst, stepsFirst } from './labelled-lines.js';
import { missingNames } from './missing-names.js';
import { conflictNotices, newerFirst } from './newer-first.js';
import { missingErrors, namesError, readPastedError } from './pasted-error.js';
import { exactText, textOfQuotation } from './quotation.js';
import { headedText } from './quotation-features.js';
import { rankQuotations } from './rank-quotations.js';
import { rankSentences } from './rank-sentences.js';

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
  const { settings } = dependencies;
  const { signal } = request;
  const mode = modeOf(request);
  const counter = await dependencies.counter(model?.id);
  const budget = budgetFor(dependencies.context, model);
  const reserved = model === undefined ? 0 : budget + settings.maxOutputTokens + PROMPT_TOKENS;
  const retrieved = await findEvidence({ standalone, mode, dependencies, model, counter, reserved, signal });
  const within = withinRun(dependencies, retrieved);
  const { context: stated, similarity, reading, isKnownWord, isKnownIdentifier } = within.dependencies;
  const { shares: _, ...context } = stated;
  const pack = await traced('stage', { stage: 'pack' }, () =>
    packContext(standalone.text, retrieved.ranked, {
      ...context,
      // The seed's naive mode takes what was found as it is.
      ...(mode === 'naive' ? { neighbours: 0, sectionHits: 0, hierarchical: false } : {}),
      budget,
      counter,
      ...withoutUndefined({ signal }),
    }),
  );
  const pasted = readPastedError(standalone.query);
  const found = retrieved.ranked.map(({ chunk }) => indexedTextOfStored(chunk));
  const { synonyms = [] } = within.dependencies;
  const query = pasted?.text ?? saidAsIn(standalone.query, synonyms, found);
  const errors = pasted?.errors ?? [];
  const sentences = rankSentences(query, pack.entries);
  const ranked = await rankQuotations(query, sentences, { similarity, reading, errors, signal });
  const { quotations, notices: ofConflicts } = newerFirst(
    query,
    labelledFirst(query, stepsFirst(query, ranked)),
    pack.entries,
  );
  const evidence = { sentences, quotations, signals: retrieved.signals };
  const missing =
    isKnownWord === undefined
      ? []
      : pasted === undefined
        ? await missingNames(saidAsIn(standalone.text, synonyms, found), found, {
            isKnownWord,
            isKnownIdentifier,
          })
        : await missingErrors(pasted, found, isKnownWord);
  return {
    request,
    mode,
    standalone,
    pack,
    missing,
    evidence,
    confidence: confidenceOf({ query, errors }, pack.entries, evidence),
    degradationLevel: retrieved.degradationLevel,
    // What was cut or flagged in the pack matters to who reads all of it: `context` and `sources` tell it in any case.
    notices: distinctNotices([
      ...notices,
      ...statedNotices(retrieved),
      ...within.notices(),
      ...statedNotices(pack).filter(({ kind }) => model !== undefined && kind !== 'sources-conflict'),
      ...conflictNotices(query, pack.conflicts ?? [], quotations),
      ...ofConflicts,
    ]),
    ...withoutUndefined({ run: retrieved.run }),
  };
}

/** Estimated probability that the best quotation answers, in [0, 1]; 0 where there are none. */
function confidenceOf(
  { query: question, errors }: { readonly query: string; readonly errors: readonly string[] },
  entries: readonly ContextEntry[],
  evidence: ConfidenceEvidence,
): number {
  if (evidence.quotations.length === 0) return 0;
  const features = confidenceFeatures(question, entries, evidence);
  const logit = CONFIDENCE_FEATURES.reduce(
    (sum, name) => sum + CONFIDENCE_MODEL.weights[name] * features[name],
    CONFIDENCE_MODEL.bias,
  );
  const confidence = Math.max(sigmoid(logit), ofAskedItem(question, evidence), ofError(errors, evidence));
  const [best] = evidence.quotations;
  if (best === undefined || errors.length > 0) return confidence;
  const { entry, decisive } = best;
  const quotation = { entry, text: textOfQuotation(best), decisive: exactText({ entry, ...decisive }) };
  const identifier = askedIdentifier(question);
  const isElsewhere = identifier !== undefined && holdingOf(identifier, entry, decisive) === 'none';
  const isWithheld =
    isElsewhere || isOfAnother(question, quotation) || isBehindUnquoted(best.entry, entries, evidence);
  return isWithheld ? Math.min(confidence, OF_ANOTHER) : confidence;
}

/** Whether the best passage may not be quoted, for it speaks to a language model, and this one is a weak match that only stands alone. */
function isBehindUnquoted(
  { score }: ContextEntry,
  entries: readonly ContextEntry[],
  { sentences }: ConfidenceEvidence,
): boolean {
  const quotable = new Set(sentences.map(({ sentence }) => sentence.entry.n));
  const isBest = (entry: ContextEntry): boolean => entries.every((other) => other.score <= entry.score);
  return (
    score < WEAK && entries.some((entry) => entry.flags.length > 0 && isBest(entry) && !quotable.has(entry.n))
  );
}

/** A score of search, of what hardly matches. */
const WEAK = 0.5;

/**
 * A question that names an item and says hardly anything else asks for what the item says, whatever words they share: quoted, as an answer that is
 * to be judged. Chosen by hand.
 */
function ofAskedItem(question: string, { quotations: [best] }: ConfidenceEvidence): number {
  const asked = askedItems(question);
  return best !== undefined && asked.isAskedFor && asked.has(best.entry) ? ASKED_FOR : 0;
}

/** What names the error that was pasted is about it, however few words they share. */
const ofError = (errors: readonly string[], { quotations: [best] }: ConfidenceEvidence): number =>
  best !== undefined && errors.some((error) => namesError(error, headedText(best))) ? ASKED_FOR : 0;

const ASKED_FOR = 0.3;

/** Below the threshold of quotations: what is of something else is no answer. A language model may see what it is of. */
const OF_ANOTHER = 0.19;

const packContext = (
  question: string,
  ranked: readonly ScoredChunk[],
  options: ContextOptions,
): Promise<ContextPack> => assembleContext({ question, ranked }, options);

/** What is stated, else the context's share of the model's window. */
function budgetFor({ budget, shares }: AnswerDependencies['context'], model: ChatModel | undefined): number {
  if (budget !== undefined) return budget;
  return model === undefined ? DEFAULT_CONTEXT_BUDGET : splitWindow(model.contextWindow, shares).context;
}

/** Instructions, question and marks of an answer's prompt, roughly. */
const PROMPT_TOKENS = 1_000;

export const modeOf = ({ mode = 'enhanced' }: AnswerRequest): AnswerMode => mode;
