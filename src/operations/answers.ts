import * as z from 'zod';
import type { StatedLimits } from '../answering/agentic/agent.js';
import type { Answer, AnswerMode, ConversationTurn } from '../answering/answer.js';
import type { ContextPack } from '../context/context-pack.js';
import type { AsOfReport } from '../ledger/history/as-of-report.js';
import type { ToldDegradation } from '../platform/degradation/degradation-report.js';
import type { CollapseMode } from '../retrieval/retriever.js';
import { FIELDS } from './fields.js';
import { asQuery, operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import {
  choiceOf,
  collapse,
  cost,
  countFromOne,
  countFromZero,
  countOf,
  flag,
  number,
  optional,
  signal,
  text,
} from './requests/request-fields.js';
import { asOf, filter, filtersSchema, oneTopK, type SearchQuery } from './search.js';

/** A question that wants an answer (`message` and `conversation_history` are other names of the same two fields). */
export interface AskRequest extends Pick<SearchQuery, 'filters' | 'filter' | 'asOf' | 'signal'> {
  readonly question?: string | undefined;
  readonly message?: string | undefined;
  /** Earlier turns, oldest first. */
  readonly history?: readonly ConversationTurn[] | undefined;
  readonly conversation_history?: readonly ConversationTurn[] | undefined;
  /** @default rag.answering.mode of the configuration (`enhanced`) */
  readonly mode?: AnswerMode | undefined;
  /**
   * What the answer may take; `maxSteps` with the mode `agentic` alone. @default with that mode 8 steps, 40,000 tokens, 0.1 US dollars, 30 s, with
   * others nothing is limited
   */
  readonly limits?: StatedLimits | undefined;
  /** @default rag.answering.answerer (`auto`: the language model where one is set up) */
  readonly answerer?: 'auto' | 'chat' | 'extractive' | undefined;
  /** Passages retrieved. @default rag.answering.topK, else as many as a search shows (rag.retrieval.topK, 5) */
  readonly topK?: number | undefined;
  /** As a search states them: `topK` once more, and what stands once among the passages. @default retrieval.collapse ('items') */
  readonly options?:
    | { readonly topK?: number | undefined; readonly collapse?: CollapseMode | undefined }
    | undefined;
  /** Confidence below which the answer is withheld; 0 answers always. @default rag.answering.abstainBelow */
  readonly abstainBelow?: number | undefined;
  /** Take every word as it is typed. @default false: mistyped words are put right (retrieval.spelling) */
  readonly exactWords?: boolean | undefined;
}

/** What to find for the context of a language model that the caller asks. */
export interface ContextQuery
  extends Pick<SearchQuery, 'text' | 'topK' | 'filters' | 'filter' | 'asOf' | 'signal'> {
  /** Tokens that the context may take, at least 64. @default rag.context.budget, else 2,000 */
  readonly budget?: number | undefined;
  /** The language model that will read it (`openai:gpt-4o-mini`), so that its tokens are counted. @default the built-in count */
  readonly model?: string | undefined;
}

/** Cited context for a question, and what finding it did without. */
export interface ContextResponse extends ContextPack, ToldDegradation {
  /** As that of a search. */
  readonly asOf?: AsOfReport;
}

/** Role and text of each turn are checked with the answer. */
const history = z
  .array(
    z.custom<ConversationTurn>(
      (turn) => typeof turn === 'object' && turn !== null,
      'a turn: { role, content }',
    ),
  )
  .optional();

export const askSchema = z.strictObject({
  question: text,
  message: text,
  history,
  conversation_history: history,
  mode: choiceOf(FIELDS.ask.mode),
  limits: optional<StatedLimits>({
    maxSteps: countOf(FIELDS.ask.maxSteps),
    maxTokens: countFromZero,
    maxCost: cost,
    deadlineMs: countFromOne,
  }),
  answerer: choiceOf(FIELDS.ask.answerer),
  topK: number,
  options: optional<NonNullable<AskRequest['options']>>({ topK: number, collapse }),
  abstainBelow: number,
  exactWords: flag,
  filters: filtersSchema,
  filter,
  asOf,
  signal,
} satisfies ShapeOf<AskRequest>);

/** A question with `topK` at its top, wherever it stood. Throws `QUERY_INVALID`. */
export function checkedQuestion(request: string | AskRequest): AskRequest {
  if (typeof request === 'string') return { question: request };
  const asked = checked(request, askSchema, { what: 'A question', reason: 'QUERY_INVALID', orText: true });
  return { ...asked, topK: oneTopK(asked) };
}

export const ask = operation({
  access: 'read',
  takes: 1,
  check: checkedQuestion,
  asked: (request) =>
    typeof request === 'string'
      ? { text: request }
      : { ...request, text: request.question ?? request.message },
  gave: ({ sources }: Answer) => sources.map(({ documentId }) => documentId),
});

const contextSchema = z.strictObject({
  text: z.string(),
  topK: number,
  budget: z.int('a whole number from 64 up').min(64, 'a whole number from 64 up').optional(),
  model: text,
  filters: filtersSchema,
  filter,
  asOf,
  signal,
} satisfies ShapeOf<ContextQuery>);

export const context = operation({
  access: 'read',
  takes: 1,
  check: (query: string | ContextQuery): ContextQuery =>
    typeof query === 'string'
      ? { text: query }
      : checked(query, contextSchema, { what: 'A context', reason: 'QUERY_INVALID', orText: true }),
  asked: asQuery,
  gave: ({ entries }: ContextResponse) => entries.map(({ documentId }) => documentId),
});
