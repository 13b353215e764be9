import type { ChunkRecord, ScoredChunk, StoredChunk } from '../core/chunk.js';
import { EVERYTHING, type Filter } from '../core/filter.js';
import { bestOf } from './best-hits.js';
import type { PageQuery, ReadOptions } from './id-pages.js';
import { ofTenant } from './query-terms.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from './store-checks.js';
import type { StoreConnection } from './store-connection.js';
import { isZero, unitVector } from './unit-vector.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  TextQuery,
  VectorCollection,
  VectorQuery,
} from './vector-store.js';

/** What a server does for one collection. `Where` is a filter in the server's own words. */
export interface ServerChunks<Where extends object> {
  /** Undefined where nothing can pass. */
  compile(filter: Filter, signal: AbortSignal | undefined): Promise<Where | undefined>;
  /** Writes records of different ids, whole each; what was done before a failure stays done. */
  write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void>;
  /** In any order; unknown ids are left out. */
  byIds(ids: readonly string[], options: ReadOptions): Promise<readonly StoredChunk[]>;
  /** Returns how many were deleted. */
  delete(where: Where, signal: AbortSignal | undefined): Promise<number>;
  count(where: Where, signal: AbortSignal | undefined): Promise<number>;
  /** In id order. */
  page(where: Where, query: PageQuery): Promise<ListPage>;
  /** The best topK, and what scores as the last of them, for a vector of length one; in any order. */
  nearest(where: Where, query: VectorQuery): Promise<readonly ScoredChunk[]>;
  /** Of what passes the chunks whose vector is all zero: present where `nearest` does not find them. */
  withoutDirection?(where: Where): Where;
  /** As `VectorCollection.searchText`, of which `where` is the filter. */
  searchText?(where: Where, query: TextQuery): Promise<ScoredChunk[]>;
  /** Absent where the server brings its indexes up to date and compacts by itself. */
  optimize?(signal: AbortSignal | undefined): Promise<void>;
  indexes(): Promise<Omit<CollectionStats, 'chunks'>>;
}

/** A collection on a server: what every such store checks, orders and scores alike. */
export class ServerCollection<Where extends object> implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly searchText?: (query: TextQuery) => Promise<ScoredChunk[]>;
  readonly #server: ServerChunks<Where>;
  readonly #connection: StoreConnection;
  readonly #maxTopK: number;

  constructor(
    spec: CollectionSpec,
    server: ServerChunks<Where>,
    { connection, maxTopK }: { readonly connection: StoreConnection; readonly maxTopK: number },
  ) {
    this.spec = spec;
    this.#server = server;
    this.#connection = connection;
    this.#maxTopK = maxTopK;
    if (server.searchText !== undefined)
      this.searchText = async (query) => {
        assertCount('topK', query.topK, maxTopK);
        assertFilter(query.filter);
        const asked = { filter: ofTenant(query), signal: query.signal };
        return (await this.#within(asked, (where) => server.searchText?.(where, query))) ?? [];
      };
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#connection.begin(signal);
    assertRecords(this.spec, records);
    if (records.length > 0) await this.#server.write(lastRecordById(records), signal);
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#connection.begin(options.signal);
    const chunks = await this.#server.byIds([...new Set(ids)], options);
    const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    return (await this.#within({ filter, signal }, (where) => this.#server.delete(where, signal))) ?? 0;
  }

  async list(query: ListQuery): Promise<ListPage> {
    assertCount('limit', query.limit, Number.MAX_SAFE_INTEGER);
    return (await this.#within(query, (where) => this.#server.page(where, query))) ?? { chunks: [] };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    return (await this.#within({ filter, signal }, (where) => this.#server.count(where, signal))) ?? 0;
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    assertCount('topK', query.topK, this.#maxTopK);
    assertQueryVector(this.spec, query.vector);
    const found = await this.#within(query, (where) =>
      // A zero query is equally far from everything, so the first ids are the best.
      isZero(query.vector) ? this.#zeroScored(where, query) : this.#nearest(where, query),
    );
    return found ?? [];
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    this.#connection.begin(signal);
    await this.#server.optimize?.(signal);
  }

  async stats(): Promise<CollectionStats> {
    const [chunks, indexes] = await Promise.all([this.count(EVERYTHING), this.#server.indexes()]);
    return { chunks, ...indexes };
  }

  /** Does something with what passes a filter; undefined where nothing can. */
  async #within<T>(
    { filter, signal }: { readonly filter: Filter; readonly signal?: AbortSignal | undefined },
    run: (where: Where) => Promise<T> | undefined,
  ): Promise<T | undefined> {
    this.#connection.begin(signal);
    assertFilter(filter);
    const where = await this.#server.compile(filter, signal);
    return where && run(where);
  }

  async #nearest(where: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const { topK, vector } = query;
    const hits = bestOf(await this.#server.nearest(where, { ...query, vector: unitVector(vector) }), topK);
    const others = this.#server.withoutDirection?.(where);
    // A chunk without a direction scores 0, which matters from the first score that is not above.
    if (others === undefined || (hits.length >= topK && (hits.at(-1)?.score ?? 0) > 0)) return hits;
    return bestOf([...hits, ...(await this.#zeroScored(others, query))], topK);
  }

  async #zeroScored(where: Where, { topK, includeVectors, signal }: VectorQuery): Promise<ScoredChunk[]> {
    const { chunks } = await this.#server.page(where, { limit: topK, includeVectors, signal });
    return chunks.map((chunk) => ({ chunk, score: 0 }));
  }
}
