import type { Attributes } from '@opentelemetry/api';
import { RAGError } from '../../../core/errors.js';
import type { TelemetryChannel } from '../../../core/telemetry.js';
import type { OperationPayload } from '../../../core/telemetry-listener.js';

/** What is said of an operation. Names of attributes are those of OpenTelemetry's conventions for generative AI (`gen_ai.*`), or ours. */
export interface SpanFacts {
  readonly name: string;
  /** A call of somebody else's model. */
  readonly isCall: boolean;
  readonly attributes: Attributes;
}

type Facts = {
  readonly [Name in TelemetryChannel]?: (payload: OperationPayload<Name>) => Partial<SpanFacts> & {
    readonly name: string;
  };
};

/** Of the providers whose name is another one there. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
};

/** Who runs a model, and what it is called there: `openai:gpt-5` is one of OpenAI, `builtin` one of ours. */
export function providerAndModel(name: string): { readonly provider: string; readonly model: string } {
  const at = name.indexOf(':');
  if (at <= 0) return { provider: 'ragstone', model: name };
  const provider = name.slice(0, at);
  return { provider: PROVIDER_NAMES[provider] ?? provider, model: name.slice(at + 1) };
}

/** What every signal of a call of a model says of it. */
export function modelAttributes(operation: string, name: string): Attributes {
  const { provider, model } = providerAndModel(name);
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  };
}

/** Spans of operations that have one; the state of health and look-ups are in metrics alone. */
const FACTS: Facts = {
  search: ({ mode, topK, results, degradationLevel, cache }) => ({
    name: 'retrieval ragstone',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.provider.name': 'ragstone',
      'gen_ai.request.top_k': topK,
      'ragstone.search.mode': mode,
      'ragstone.search.results': results,
      'ragstone.search.cache': cache,
      'ragstone.degradation_level': degradationLevel,
    },
  }),
  answer: ({ mode, answerer, degradationLevel }) => ({
    name: 'ragstone.answer',
    attributes: {
      'ragstone.answer.mode': mode,
      'ragstone.answer.answerer': answerer,
      'ragstone.degradation_level': degradationLevel,
    },
  }),
  chat: ({ model, inputTokens, outputTokens, finishReason }) => ({
    name: `chat ${providerAndModel(model).model}`,
    isCall: true,
    attributes: {
      ...modelAttributes('chat', model),
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    },
  }),
  embed: ({ model, kind, texts }) => ({
    name: `embeddings ${providerAndModel(model).model}`,
    isCall: true,
    attributes: {
      ...modelAttributes('embeddings', model),
      'ragstone.embed.kind': kind,
      'ragstone.embed.texts': texts,
    },
  }),
  rerank: ({ model, candidates }) => ({
    name: `rerank ${providerAndModel(model).model}`,
    isCall: true,
    attributes: { ...modelAttributes('rerank', model), 'ragstone.rerank.candidates': candidates },
  }),
  lane: ({ lane, candidates }) => ({
    name: `ragstone.lane ${lane}`,
    attributes: { 'ragstone.lane.candidates': candidates },
  }),
  stage: ({ stage }) => ({ name: `ragstone.stage ${stage}` }),
  index: ({ kind, documentsProcessed, documentsFailed, documentsDeleted, chunksCreated, errors }) => ({
    name: `ragstone.index ${kind}`,
    attributes: {
      'ragstone.index.documents_processed': documentsProcessed,
      'ragstone.index.documents_failed': documentsFailed,
      'ragstone.index.documents_deleted': documentsDeleted,
      'ragstone.index.chunks_created': chunksCreated,
      'ragstone.index.errors': errors,
    },
  }),
  rollout: ({ side, reason, comparison }) => ({
    name: 'ragstone.rollout',
    attributes: {
      'ragstone.rollout.side': side,
      'ragstone.rollout.reason': reason,
      'ragstone.rollout.comparison': comparison,
    },
  }),
};

/** Channels whose operations have spans. */
export const SPANNED = Object.keys(FACTS) as readonly TelemetryChannel[];

/** As far as it is known: at the beginning that is what was asked for. No tenant, no text. */
export function spanFacts(name: TelemetryChannel, payload: OperationPayload): SpanFacts {
  // The payload is that of the channel of the name.
  const facts = (FACTS[name] as ((payload: OperationPayload) => Partial<SpanFacts>) | undefined)?.(payload);
  return { name: `ragstone.${name}`, isCall: false, attributes: {}, ...facts };
}

/** The kind of a failure; texts of errors stay here. */
export const errorType = (error: unknown): string => (RAGError.isInstance(error) ? error.reason : 'INTERNAL');
