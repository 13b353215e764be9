import * as z from 'zod';
import type { StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { statisticsBody, type WordStatistics } from './bm25-query.js';
import { type BulkOperation, runBulk } from './bulk-writer.js';
import { chunkFields, chunkOf, DOCUMENT_SOURCE } from './chunk-document.js';
import type { Query } from './filter-query.js';
import type { CallOptions, ServerConnection } from './server-connection.js';
import type { ServerRequest } from './server-driver.js';
import { answerError } from './server-errors.js';
import { LENGTH_UNIT } from './word-fields.js';

const SHARDS = z.object({ failed: z.int() });
const DONE_ANSWER = z.object({ _shards: SHARDS });
const COUNT_ANSWER = z.object({ count: z.int(), _shards: SHARDS });
const SEARCH_ANSWER = z.object({
  timed_out: z.boolean(),
  hits: z.object({
    hits: z.array(z.object({ _score: z.number().nullable().optional(), _source: DOCUMENT_SOURCE })),
  }),
});
const VERSIONS_ANSWER = z.object({
  timed_out: z.boolean(),
  hits: z.object({
    hits: z.array(
      z.object({ _id: z.string(), _seq_no: z.int(), _primary_term: z.int(), sort: z.array(z.unknown()) }),
    ),
  }),
});
const VERSIONED_CHUNKS_ANSWER = z.object({
  timed_out: z.boolean(),
  hits: z.object({
    hits: z.array(
      z.object({
        _id: z.string(),
        _seq_no: z.int(),
        _primary_term: z.int(),
        _source: DOCUMENT_SOURCE.required(),
      }),
    ),
  }),
});
const GET_ANSWER = z.object({
  docs: z.array(
    z.object({
      found: z.boolean().optional(),
      _source: DOCUMENT_SOURCE.optional(),
      error: z.unknown().optional(),
    }),
  ),
});
const STATISTICS_ANSWER = z.object({
  timed_out: z.boolean(),
  hits: z.object({ total: z.object({ value: z.int() }) }),
  aggregations: z.object({
    length: z.object({ value: z.number() }),
    maxFrequency: z.object({ value: z.number().nullable() }),
    chunksWith: z.object({ buckets: z.array(z.object({ doc_count: z.int() })) }),
  }),
});
const STATS_ANSWER = z.object({
  _all: z.object({ primaries: z.object({ store: z.object({ size_in_bytes: z.number() }) }) }),
});

/** A chunk as the server found it. */
export interface Hit {
  readonly chunk: StoredChunk;
  /** The server's own; 0 where it was not asked for one. */
  readonly score: number;
}

/** A version of a document that a filter admitted. */
export interface DocumentVersion {
  readonly _id: string;
  readonly _seq_no: number;
  readonly _primary_term: number;
  /** Where the next page begins. */
  readonly sort: readonly unknown[];
}

/** A chunk with its vector, and what a rewrite must name to replace this very version. */
export interface VersionedChunk {
  readonly chunk: StoredChunk;
  readonly vector: Float32Array;
  readonly version: { readonly _id: string; readonly if_seq_no: number; readonly if_primary_term: number };
}

/** Merging a large index takes long. */
const MERGE_TIMEOUT_MS = 600_000;

/** The requests that one collection makes, with their answers checked. No answer that leaves a shard out is taken. */
export class CollectionRequests {
  readonly #connection: ServerConnection;
  readonly #alias: string;
  readonly #collection: string;

  constructor(connection: ServerConnection, alias: string, collection: string) {
    this.#connection = connection;
    this.#alias = alias;
    this.#collection = collection;
  }

  async search(body: Query, action: string, signal: AbortSignal | undefined): Promise<Hit[]> {
    const request = this.#searchRequest({ track_total_hits: false, ...body });
    const answer = await this.#connection.request(SEARCH_ANSWER, request, this.#call(action, signal));
    this.#assertInTime(answer.timed_out, action);
    return answer.hits.hits.map(({ _score, _source }) => ({ chunk: chunkOf(_source), score: _score ?? 0 }));
  }

  /** What BM25 must know of terms, among the chunks that a query admits. */
  async statistics(
    terms: readonly string[],
    counted: Query,
    signal: AbortSignal | undefined,
  ): Promise<WordStatistics> {
    const action = 'count words';
    const request = this.#searchRequest(statisticsBody(terms, counted));
    const answer = await this.#connection.request(STATISTICS_ANSWER, request, this.#call(action, signal));
    this.#assertInTime(answer.timed_out, action);
    const { length, maxFrequency, chunksWith } = answer.aggregations;
    return {
      chunks: answer.hits.total.value,
      length: length.value / LENGTH_UNIT,
      maxFrequency: maxFrequency.value ?? 0,
      chunksWith: new Map(terms.map((term, i) => [term, chunksWith.buckets[i]?.doc_count ?? 0])),
    };
  }

  /** A page of the documents that a query admits, with what a deletion must name to remove this very version. */
  async versions(body: Query, action: string, signal: AbortSignal | undefined): Promise<DocumentVersion[]> {
    const request = this.#searchRequest({
      track_total_hits: false,
      seq_no_primary_term: true,
      _source: false,
      ...body,
    });
    const answer = await this.#connection.request(VERSIONS_ANSWER, request, this.#call(action, signal));
    this.#assertInTime(answer.timed_out, action);
    return answer.hits.hits;
  }

  /** A page of the chunks that a query admits, to be written again. */
  async versionedChunks(body: Query, action: string): Promise<VersionedChunk[]> {
    const request = this.#searchRequest({
      track_total_hits: false,
      seq_no_primary_term: true,
      _source: chunkFields(true),
      ...body,
    });
    const call = this.#call(action, undefined);
    const answer = await this.#connection.request(VERSIONED_CHUNKS_ANSWER, request, call);
    this.#assertInTime(answer.timed_out, action);
    return answer.hits.hits.map(({ _id, _seq_no, _primary_term, _source }) => {
      const { vector = new Float32Array(), ...chunk } = chunkOf(_source);
      return { chunk, vector, version: { _id, if_seq_no: _seq_no, if_primary_term: _primary_term } };
    });
  }

  /** Adds fields to the index, or replaces what it says of itself. */
  async changeMapping(body: Query, action: string): Promise<void> {
    const request = this.#request('PUT', '_mapping', { body });
    await this.#connection.request(z.unknown(), request, this.#call(action, undefined));
  }

  async get(
    documentIds: readonly string[],
    fields: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<StoredChunk[]> {
    const call = this.#call('look chunks up', signal);
    const request = this.#request('POST', '_mget', {
      query: { _source_includes: fields.join(',') },
      body: { ids: documentIds },
    });
    const { docs } = await this.#connection.request(GET_ANSWER, request, call);
    return docs.flatMap(({ error, _source }) => {
      if (error !== undefined)
        throw answerError(this.#connection, call.action, { status: 404, body: { error } });
      return _source === undefined ? [] : [chunkOf(_source)];
    });
  }

  async count(query: Query, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('count chunks', signal);
    const answer = await this.#connection.request(
      COUNT_ANSWER,
      this.#request('POST', '_count', { body: { query } }),
      call,
    );
    this.#assertWhole(answer._shards, call.action);
    return answer.count;
  }

  /** Runs operations; those with other statuses than the expected ones throw. */
  write(
    operations: Iterable<BulkOperation>,
    {
      action,
      expected,
      isIdempotent,
      signal,
    }: {
      readonly action: string;
      readonly expected: ReadonlySet<number>;
      readonly isIdempotent: boolean;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<number[]> {
    const target = { connection: this.#connection, alias: this.#alias };
    return runBulk(target, operations, { ...this.#call(action, signal), expected, isIdempotent });
  }

  /** Makes finished writes visible to searches. */
  async refresh(signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('make a write visible', signal);
    const { _shards } = await this.#connection.request(DONE_ANSWER, this.#request('POST', '_refresh'), call);
    this.#assertWhole(_shards, call.action);
  }

  /** Merges away what was deleted or replaced. */
  async merge(signal: AbortSignal | undefined): Promise<void> {
    const call = { ...this.#call('optimize', signal), timeoutMs: MERGE_TIMEOUT_MS };
    const request = this.#request('POST', '_forcemerge', { query: { only_expunge_deletes: true } });
    this.#assertWhole((await this.#connection.request(DONE_ANSWER, request, call))._shards, call.action);
  }

  async bytes(): Promise<number> {
    const request = this.#request('GET', '_stats/store');
    const answer = await this.#connection.request(
      STATS_ANSWER,
      request,
      this.#call('read statistics', undefined),
    );
    return answer._all.primaries.store.size_in_bytes;
  }

  #searchRequest(body: Query): ServerRequest {
    // Without it a search with a dead shard answers with what the others have.
    return this.#request('POST', '_search', { query: { allow_partial_search_results: false }, body });
  }

  #request(
    method: ServerRequest['method'],
    operation: string,
    rest: Pick<ServerRequest, 'query' | 'body'> = {},
  ): ServerRequest {
    return { method, path: `/${encodeURIComponent(this.#alias)}/${operation}`, ...rest };
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#collection}"`, signal };
  }

  #assertWhole({ failed }: z.infer<typeof SHARDS>, action: string): void {
    if (failed === 0) return;
    const { title, address } = this.#connection;
    throw new RAGError(
      'STORE_UNAVAILABLE',
      `${title} at ${address} could not ${action} on ${failed} of its shards. Look at its health and its log.`,
    );
  }

  #assertInTime(isTimedOut: boolean, action: string): void {
    if (!isTimedOut) return;
    const { title, address } = this.#connection;
    throw new RAGError(
      'STORE_TIMEOUT',
      `${title} at ${address} gave up on the request to ${action}. Try again.`,
    );
  }
}
