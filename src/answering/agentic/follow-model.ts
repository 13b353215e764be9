import { neutraliseLine } from '../../context/neutralise.js';
import { tokensOf } from '../../context/token-counter.js';
import type { ChatModel, ChatUsage } from '../../core/chat-model.js';
import { lateAnswer } from '../../core/chat-model.js';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { DegradationLevel } from '../../core/degradation.js';
import { type RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { withDeadline } from '../../core/with-deadline.js';
import { actionPrompt, shownPassages } from './action-prompt.js';
import type { AgentRequest, AgentStopReason, AgentToolResult, AgentTools, PlannedCall } from './agent.js';
import { type AgentRun, type PlannedStep, RefusedStep } from './agent-run.js';
import { externalStep } from './external-passages.js';
import { followRules } from './follow-rules.js';
import { ACTIONS, type ActionName, actionSchema, type ModelAction } from './model-action.js';

/** Tokens that one choice may take. */
const OUTPUT_TOKENS = 300;
/** Marks of a turn, roughly. */
const TURN_TOKENS = 16;
/** Steps one after the other that add nothing: after the first the model may try other words. */
const MOST_IDLE = 2;
/** Passages of one step. */
const DEPTH = 10;
const OF_DOCUMENT = 6;
const RELATED = 3;

/**
 * Steps that a language model chooses, after that for the whole question. What it may take is counted before it is asked. Where it fails,
 * or answers with something else than an action, rules go on.
 */
export async function followModel(
  request: AgentRequest & { readonly model: ChatModel },
  tools: AgentTools,
  run: AgentRun,
): Promise<AgentStopReason> {
  const actions = ACTIONS.filter((action) => isOffered(action, tools));
  let idle = 0;
  while (idle < MOST_IDLE) {
    const forbidden = run.limits.stepForbidden();
    if (forbidden !== undefined) return forbidden;
    const passages = shownPassages(run.evidence, request.counter);
    const choice = await chooseAction(request, { run, passages, actions });
    if (typeof choice === 'string') return choice;
    if ('failure' in choice) {
      run.note({
        kind: 'model-failed',
        text: `Evidence was gathered on by rules, without the language model: ${choice.failure}`,
      });
      return followRules(request, tools, run);
    }
    if (choice.action.action === 'finish') return 'answered';
    const outcome = await run.do({ ...stepFor(choice.action, tools, passages), chosen: choice.chosen });
    if (typeof outcome === 'string') return outcome;
    idle = outcome.new === 0 ? idle + 1 : 0;
  }
  return 'no-new-evidence';
}

const isOffered = (action: ActionName, { related, external }: AgentTools): boolean =>
  action === 'related' ? related !== undefined : action !== 'external' || external !== undefined;

type Choice =
  | { readonly action: ModelAction; readonly chosen: NonNullable<PlannedStep['chosen']> }
  | { readonly failure: string };

interface Choosing {
  readonly run: AgentRun;
  readonly passages: readonly ScoredChunk[];
  readonly actions: readonly ActionName[];
}

async function chooseAction(
  { question, model, counter, reserved = 0, signal }: AgentRequest & { readonly model: ChatModel },
  { run, passages, actions }: Choosing,
): Promise<Choice | AgentStopReason> {
  const { limits } = run;
  const messages = actionPrompt({
    question,
    steps: run.steps,
    passages,
    actions,
    stepsLeft: limits.limits.maxSteps - limits.steps,
  });
  const inputTokens = messages.reduce(
    (sum, { content }) => sum + tokensOf(counter, content) + TURN_TOKENS,
    0,
  );
  const planned = plannedCall(model, inputTokens, OUTPUT_TOKENS);
  // What is kept for the answer is never more than half, so that small limits leave a step.
  const kept = plannedCall(model, Math.min(reserved, Math.floor(limits.limits.maxTokens / 2)), 0);
  const forbidden = limits.callForbidden({
    tokens: planned.tokens + kept.tokens,
    cost: planned.cost === undefined ? undefined : planned.cost + (kept.cost ?? 0),
  });
  if (forbidden !== undefined) return forbidden;
  const since = runtime().elapsed();
  const timeoutMs = limits.msLeft;
  let isLate = false;
  const lateError = (): RAGError => {
    isLate = true;
    return lateAnswer(timeoutMs);
  };
  try {
    const { value, usage } = await withDeadline({ timeoutMs, signal, lateError }, (own) =>
      model.generateObject({ messages, maxOutputTokens: OUTPUT_TOKENS, signal: own }, actionSchema(actions)),
    );
    const taken = takenBy(planned, usage);
    limits.countCall(taken);
    return { action: value, chosen: { tokens: taken.tokens, ms: runtime().elapsed() - since } };
  } catch (error) {
    throwIfAborted(signal);
    // What it took is not told: no less than what was planned is counted.
    limits.countCall(planned);
    if (isLate || limits.msLeft <= 0) return 'deadline';
    return { failure: toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.').message };
  }
}

const plannedCall = (model: ChatModel, inputTokens: number, outputTokens: number): PlannedCall => ({
  tokens: inputTokens + outputTokens,
  cost: model.priceOf?.({ inputTokens, outputTokens }),
});

/** What a call took by its own account; what was planned where it says nothing, or what cannot be. */
function takenBy(planned: PlannedCall, usage: ChatUsage | undefined): PlannedCall {
  if (usage === undefined) return planned;
  const { inputTokens, outputTokens, cost = planned.cost } = usage;
  const isPossible = [inputTokens, outputTokens, cost ?? 0].every((one) => Number.isFinite(one) && one >= 0);
  return isPossible ? { tokens: inputTokens + outputTokens, cost } : planned;
}

const WHY_LENGTH = 200;

function stepFor(action: ModelAction, tools: AgentTools, passages: readonly ScoredChunk[]): PlannedStep {
  const why = neutraliseLine(action.why.slice(0, WHY_LENGTH));
  const { query, field, value } = action;
  const passage = action.passage === null ? undefined : passages[action.passage - 1]?.chunk;
  switch (action.action) {
    case 'search':
      if (query === null || query.trim() === '') return refused('search', why, 'A search needs a `query`.');
      return {
        tool: 'search',
        why,
        query: field === null || value === null ? query : `${query} (${field}: ${value})`,
        call: (signal) =>
          tools.search(query, {
            topK: DEPTH,
            signal,
            ...(field === null || value === null || field.startsWith('$') ? {} : { where: { field, value } }),
          }),
      };
    case 'external':
      if (tools.external === undefined || query === null || query.trim() === '')
        return refused('external', why, 'A search outside needs a `query`.');
      return externalStep(tools.external, why, query);
    case 'values':
      if (field === null) return refused('values', why, 'The values of which `field`?');
      return valuesStep(field, why, tools);
    case 'document':
      if (passage === undefined) return refused('document', why, NO_PASSAGE);
      return {
        tool: 'document',
        why,
        query: String(passage.metadata.source),
        call: async (signal) =>
          asResult(await tools.document(passage.documentId, { limit: OF_DOCUMENT, signal })),
      };
    case 'related':
      if (passage === undefined || tools.related === undefined) return refused('related', why, NO_PASSAGE);
      return relatedStep(passage, why, { ...tools, related: tools.related });
    case 'finish':
      return refused('search', why, 'Nothing is to be done.');
  }
}

const NO_PASSAGE = 'There is no passage of that number.';

const refused = (tool: PlannedStep['tool'], why: string, problem: string): PlannedStep => ({
  tool,
  why,
  query: '',
  call: () => Promise.reject(new RefusedStep(problem)),
});

/** It finds no passage: what it finds is told in its place. */
const valuesStep = (field: string, why: string, { values }: AgentTools): PlannedStep => ({
  tool: 'values',
  why,
  query: field,
  call: async (signal) => {
    const found = await values(field, signal);
    return { ...asResult([]), told: found.length === 0 ? 'no values' : found.map(shortened).join(', ') };
  },
});

const VALUE_LENGTH = 60;
const shortened = (value: string): string => value.slice(0, VALUE_LENGTH);

const relatedStep = (
  { documentId, metadata }: StoredChunk,
  why: string,
  { related, document }: AgentTools & Required<Pick<AgentTools, 'related'>>,
): PlannedStep => ({
  tool: 'related',
  why,
  query: String(metadata.source),
  call: async (signal) => {
    const documents = await related(documentId, { hops: 1, limit: RELATED, signal });
    const beginnings = await Promise.all(
      documents.slice(0, RELATED).map((each) => document(each.documentId, { limit: 1, signal })),
    );
    return asResult(beginnings.flat());
  },
});

/** Passages that were not ranked: nothing tells how likely each is relevant. */
const SCORE = 0.3;

const asResult = (chunks: readonly StoredChunk[]): AgentToolResult => ({
  ranked: chunks.map((chunk) => ({ chunk, score: SCORE })),
  degradationLevel: DegradationLevel.FULL_RAG,
  notices: [],
});
