import { isOfService, RAGError } from '../../../core/errors.js';
import type { TelemetryChannel, TelemetryPayloads } from '../../../core/telemetry.js';
import { listenTo, type OperationPayload } from '../../../core/telemetry-listener.js';
import type { MetricSink } from './metric-definitions.js';

type Counters = {
  readonly [Name in TelemetryChannel]?: (
    payload: OperationPayload<Name>,
    sink: MetricSink,
    tallies: Tallies,
  ) => void;
};

/** What was asked and what was answered since the start, by cache; of `search`, searches. */
type Tallies = Map<string, { hits: number; keys: number }>;

/** Counts on, and gives the share that was answered; undefined where nothing was asked. */
function shareOf(
  name: string,
  { hits, keys }: { readonly hits: number; readonly keys: number },
  tallies: Tallies,
): number | undefined {
  const before = tallies.get(name) ?? { hits: 0, keys: 0 };
  const tally = { hits: before.hits + hits, keys: before.keys + keys };
  tallies.set(name, tally);
  return tally.keys === 0 ? undefined : tally.hits / tally.keys;
}

const seconds = (milliseconds: number | undefined): number => (milliseconds ?? 0) / 1000;
/** Nobody waited for the end. */
const isGivenUp = (error: unknown): boolean => RAGError.isInstance(error) && error.reason === 'ABORTED';
const hasFailed = ({ error }: { readonly error?: unknown }): boolean =>
  error !== undefined && !isGivenUp(error);

const COUNTERS: Counters = {
  search: (payload, sink, tallies) => {
    const { mode, tookMs, results, degradationLevel, isFailover, cache = 'off', error } = payload;
    if (isGivenUp(error)) return;
    if (cache !== 'off') {
      const share = shareOf('search', { hits: cache === 'miss' ? 0 : 1, keys: 1 }, tallies);
      if (share !== undefined) sink.set('rag_search_cache_hit_rate', share);
    }
    sink.add('rag_search_query_count_total', 1, { mode });
    sink.observe('rag_search_query_duration_seconds', seconds(tookMs), { mode });
    if (results !== undefined) sink.observe('rag_search_result_count', results);
    if (isFailover === true) sink.add('rag_search_failover_total', 1);
    if (degradationLevel !== undefined) {
      sink.set('rag_system_degradation_level', degradationLevel);
      sink.add('rag_search_level_total', 1, { level: String(degradationLevel) });
    }
    if (error !== undefined)
      sink.add('rag_search_failure_count_total', 1, {
        reason: RAGError.isInstance(error) ? error.reason : 'INTERNAL',
      });
  },
  lane: ({ lane, tookMs }, sink) =>
    sink.observe('rag_search_lane_duration_seconds', seconds(tookMs), { lane }),
  rerank: ({ tookMs }, sink) => sink.observe('rag_search_reranking_duration_seconds', seconds(tookMs)),
  answer: ({ mode, tookMs, answerer = 'none', degradationLevel, error }, sink) => {
    if (isGivenUp(error)) return;
    sink.observe('rag_answer_duration_seconds', seconds(tookMs), { mode, answerer });
    if (degradationLevel !== undefined) sink.set('rag_system_degradation_level', degradationLevel);
  },
  embed: (payload, sink) => {
    const { kind, model, texts, tookMs } = payload;
    sink.observe('rag_embedding_call_duration_seconds', seconds(tookMs), { kind, model });
    sink.add('rag_embedding_texts_total', texts, { kind, model });
    if (hasFailed(payload)) sink.add('rag_embedding_failure_count_total', 1, { model });
  },
  chat: (payload, sink) => {
    const { model, tookMs, inputTokens = 0, outputTokens = 0 } = payload;
    sink.observe('rag_chat_call_duration_seconds', seconds(tookMs), { model });
    sink.add('rag_chat_tokens_total', inputTokens, { model, type: 'input' });
    sink.add('rag_chat_tokens_total', outputTokens, { model, type: 'output' });
    if (hasFailed(payload)) sink.add('rag_chat_failure_count_total', 1, { model });
  },
  rollout: ({ side = '', reason = '', comparison = '' }, sink) =>
    sink.add('rag_rollout_items_total', 1, { side, reason, comparison }),
  cache: countLookups,
  index: (payload, sink) => {
    const { kind, tookMs, stages = {}, documentsProcessed = 0, documentsDeleted = 0, errors = 0 } = payload;
    if (payload.error !== undefined && isOfService(payload.error))
      sink.add('rag_indexing_failure_count_total', 1);
    if (payload.error !== undefined) return;
    sink.add('rag_indexing_documents_processed_total', documentsProcessed);
    sink.add('rag_indexing_documents_deleted_total', documentsDeleted);
    sink.add('rag_indexing_failure_count_total', errors);
    sink.observe('rag_indexing_indexing_duration_seconds', seconds(tookMs), { kind });
    if (stages.chunk !== undefined)
      sink.observe('rag_indexing_chunking_duration_seconds', seconds(stages.chunk));
    if (stages.embed !== undefined)
      sink.observe('rag_indexing_embedding_duration_seconds', seconds(stages.embed));
  },
  health: ({ parts = [], stores = [], journalBytes, chunks, work }, sink) => {
    for (const { name, isReady, lag } of stores) {
      sink.set('rag_store_ready', isReady ? 1 : 0, { store: name });
      sink.set('rag_store_lag_writes', lag, { store: name });
    }
    if (journalBytes !== undefined) sink.set('rag_store_journal_bytes', journalBytes);
    for (const { part, ok } of parts) sink.set('rag_system_part_up', ok ? 1 : 0, { part });
    if (chunks !== undefined) sink.set('rag_system_vector_store_size', chunks);
    if (work === undefined) return;
    sink.set('rag_work_waiting_documents', work.waiting);
    sink.set('rag_work_active_documents', work.active);
    sink.set('rag_work_lag_seconds', work.oldestSeconds);
  },
};

function countLookups(
  { cache, keys, hits = 0, entries }: TelemetryPayloads['cache'],
  sink: MetricSink,
  tallies: Tallies,
): void {
  const share = shareOf(cache, { hits, keys }, tallies);
  const labels = { cacheType: cache };
  sink.add('cache_hits_total', hits, labels);
  sink.add('cache_misses_total', keys - hits, labels);
  if (share !== undefined) sink.set('cache_hit_rate', 100 * share, labels);
  if (entries === undefined) return;
  if (cache === 'query') sink.set('rag_system_query_cache_size', entries);
  if (cache === 'embedding') sink.set('rag_system_embedding_cache_size', entries);
}

/** Counts what every engine of this process does, until the function that is returned is called. */
export function countOperations(sink: MetricSink): () => void {
  const tallies: Tallies = new Map();
  return listenTo(
    {
      end: (name, payload) => {
        // The payload is that of the channel of the name.
        const count = COUNTERS[name] as
          | ((payload: OperationPayload, sink: MetricSink, tallies: Tallies) => void)
          | undefined;
        count?.(payload, sink, tallies);
      },
    },
    Object.keys(COUNTERS) as TelemetryChannel[],
  );
}
