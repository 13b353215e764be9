import * as z from 'zod';
import type { StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { type BulkOperation, runBulk } from './bulk-writer.js';
import { chunkOf, DOCUMENT_SOURCE } from './chunk-document.js';
import type { Query } from './filter-query.js';
import type { CallOptions, ServerConnection } from './server-connection.js';
import type { ServerRequest } from './server-driver.js';
import { answerError } from './server-errors.js';

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
const GET_ANSWER = z.object({
  docs: z.array(
    z.object({
      found: z.boolean().optional(),
      _source: DOCUMENT_SOURCE.optional(),
      error: z.unknown().optional(),
    }),
  ),
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
        throw answerError(this.#connection.name, call.action, { status: 404, body: { error } });
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
    const { title, address } = this.#connection.name;
    throw new RAGError(
      'STORE_UNAVAILABLE',
      `${title} at ${address} could not ${action} on ${failed} of its shards. Look at its health and its log.`,
    );
  }

  #assertInTime(isTimedOut: boolean, action: string): void {
    if (!isTimedOut) return;
    const { title, address } = this.#connection.name;
    throw new RAGError(
      'STORE_TIMEOUT',
      `${title} at ${address} gave up on the request to ${action}. Try again.`,
    );
  }
}
