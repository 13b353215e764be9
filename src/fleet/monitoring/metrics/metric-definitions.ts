/** What a metric is, for every registry that it goes to. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** One sentence; the unit is in the name, or here. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Seconds of what somebody waits for. */
const WAITING = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30] as const;
/** Seconds of a run: from one pushed document to a first index of a large source. */
const RUNNING = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 7_200] as const;
const RESULTS = [0, 1, 2, 3, 5, 10, 20, 50, 100] as const;

const counter = (help: string, labels: readonly string[] = []) =>
  ({ kind: 'counter', help, labels }) as const;
const gauge = (help: string, labels: readonly string[] = []) => ({ kind: 'gauge', help, labels }) as const;
const histogram = (help: string, buckets: readonly number[], labels: readonly string[] = []) =>
  ({ kind: 'histogram', help, buckets, labels }) as const;

/** Every metric of ours by its name. No label holds a tenant, a query or the name of a document. */
export const METRICS = {
  rag_indexing_documents_processed_total: counter('Documents that were written to the index.'),
  rag_indexing_documents_deleted_total: counter(
    'Documents that were deleted from the index: by runs, pushes, by name, and for good.',
  ),
  rag_indexing_chunking_duration_seconds: histogram(
    'Seconds that a run spent cutting documents, those of all threads together.',
    RUNNING,
  ),
  rag_indexing_embedding_duration_seconds: histogram(
    'Seconds that a run spent making vectors, those of all threads together.',
    RUNNING,
  ),
  rag_indexing_indexing_duration_seconds: histogram('Seconds that a run took.', RUNNING, ['kind']),
  rag_indexing_failure_count_total: counter(
    'Documents and sources that failed, and runs that ended by an error.',
  ),
  rag_search_query_count_total: counter(
    'Searches, those inside of answers and those that failed too; without those that were given up.',
    ['mode'],
  ),
  rag_search_query_duration_seconds: histogram('Seconds that a search took.', WAITING, ['mode']),
  rag_search_result_count: histogram('Passages that a search showed.', RESULTS),
  rag_search_failure_count_total: counter(
    'Searches that failed; those that were given up are not among them.',
    ['reason'],
  ),
  rag_search_level_total: counter('Searches by the level of degradation that they were answered at.', [
    'level',
  ]),
  rag_search_cache_hit_rate: gauge(
    'Share of searches since the start that the query cache answered, those by an earlier question that means the same too, of those that it may answer, from 0 to 1.',
  ),
  rag_search_reranking_duration_seconds: histogram('Seconds that a call of the reranker took.', WAITING),
  rag_search_lane_duration_seconds: histogram('Seconds that a lane of a search took.', WAITING, ['lane']),
  rag_answer_duration_seconds: histogram('Seconds that an answer took.', WAITING, ['mode', 'answerer']),
  rag_embedding_call_duration_seconds: histogram('Seconds that a call of an embedding model took.', WAITING, [
    'kind',
    'model',
  ]),
  rag_embedding_texts_total: counter(
    'Texts that were sent to an embedding model, without those that threads prepare with the built-in one.',
    ['kind', 'model'],
  ),
  rag_embedding_failure_count_total: counter('Calls of an embedding model that failed.', ['model']),
  rag_chat_call_duration_seconds: histogram('Seconds that a call of a language model took.', WAITING, [
    'model',
  ]),
  rag_chat_tokens_total: counter('Tokens that a language model read (`input`) and wrote (`output`).', [
    'model',
    'type',
  ]),
  rag_chat_failure_count_total: counter('Calls of a language model that failed.', ['model']),
  rag_system_vector_store_size: gauge('Chunks in the store, of all tenants, when it was last counted.'),
  rag_system_embedding_cache_size: gauge(
    'Vectors of questions in the memory of this process, when one was last looked for.',
  ),
  rag_system_query_cache_size: gauge(
    'Searches whose results are in the memory of this process, when one was last looked for.',
  ),
  rag_system_degradation_level: gauge('Level of the last search or answer: 0 all works, 5 off.'),
  rag_system_part_up: gauge('Whether a part answered the last check: 1 or 0.', ['part']),
  rag_store_ready: gauge('Whether a store of `rag.failover` answers and has every write: 1 or 0.', ['store']),
  rag_store_lag_writes: gauge('Writes that a store of `rag.failover` lacks.', ['store']),
  rag_store_journal_bytes: gauge('Bytes of the writes that are kept for stores that lack them.'),
  rag_search_failover_total: counter(
    'Searches that another store answered in place of the one that is asked first.',
  ),
  rag_work_waiting_documents: gauge('Documents that were listed and that no worker holds.'),
  rag_work_active_documents: gauge('Documents that a worker holds.'),
  rag_work_lag_seconds: gauge('How long the oldest document that was listed has not been indexed.'),
  rag_alert_active: gauge('Whether an alert is raised: 1 or 0.', ['alert', 'severity']),
  rag_alert_delivery_failures_total: counter('Tries to tell a channel of an alert that failed.', ['channel']),
  rag_rollout_items_total: counter('Items of a pipeline that is rolled out, by the way that answered them.', [
    'side',
    'reason',
    'comparison',
  ]),
  rag_http_requests_total: counter(
    'Requests that the service answered, by the template of their route and the class of their status; `unknown` is no route.',
    ['route', 'method', 'status'],
  ),
  rag_http_request_duration_seconds: histogram('Seconds until a request was answered whole.', WAITING, [
    'route',
    'method',
  ]),
  cache_hits_total: counter(
    'Look-ups that a cache answered: `embedding` of vectors of questions, `document-embedding` of what is indexed, `query` of results, `semantic` of results of a question that means the same.',
    ['cacheType'],
  ),
  cache_misses_total: counter('Look-ups that a cache could not answer.', ['cacheType']),
  cache_hit_rate: gauge('Share of look-ups since the start that a cache answered, in percent.', [
    'cacheType',
  ]),
} satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** Values of a metric's labels. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Where metrics are counted. */
export interface MetricSink {
  /** Counts up. */
  add(name: MetricName, by: number, labels?: MetricLabels): void;
  /** One value of a histogram. */
  observe(name: MetricName, value: number, labels?: MetricLabels): void;
  /** The value of a gauge now. */
  set(name: MetricName, value: number, labels?: MetricLabels): void;
}
