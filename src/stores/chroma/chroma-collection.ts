import type { Where } from 'chromadb';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { throwIfAborted } from '../../core/errors.js';
import { compareText, EVERYTHING, type Filter } from '../../core/filter.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import { unitVector } from '../unit-vector.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import type { ChromaConnection } from './chroma-connection.js';
import { FilteredLater } from './filtered-later.js';
import { batchesOf } from './record-batches.js';
import { RecordReader } from './record-reader.js';
import { nearest } from './vector-search.js';

export interface ChromaCollectionOptions {
  readonly maxTopK: number;
  /** In words, for `stats`. */
  readonly vectorIndex: string;
}

/** One collection on a Chroma server. A batch that the server takes at once is written whole or not at all. */
export class ChromaCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #connection: ChromaConnection;
  readonly #id: string;
  readonly #reader: RecordReader;
  readonly #options: ChromaCollectionOptions;
  readonly #filteredLater = new FilteredLater();
  /** The ids of the list that is being paged through, so that a page need not fetch and sort them all again. */
  #paging: { readonly filter: string; readonly cursor: string; readonly ids: readonly string[] } | undefined;

  constructor(
    spec: CollectionSpec,
    server: { readonly connection: ChromaConnection; readonly collectionId: string },
    options: ChromaCollectionOptions,
  ) {
    this.spec = spec;
    this.#connection = server.connection;
    this.#id = server.collectionId;
    this.#reader = new RecordReader(server.connection, server.collectionId, spec.name);
    this.#options = options;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#connection.begin(signal);
    assertRecords(this.spec, records);
    if (records.length === 0) return;
    const maxRecords = await this.#connection.maxBatch(signal);
    for (const rows of batchesOf(lastRecordById(records), maxRecords)) {
      throwIfAborted(signal);
      const body = {
        ids: rows.map(({ id }) => id),
        embeddings: rows.map(({ embedding }) => Array.from(embedding)),
        documents: rows.map(({ document }) => document),
        metadatas: rows.map(({ metadata }) => metadata),
      };
      await this.#connection.callOn(
        this.#id,
        { action: this.#doing('write chunks'), signal, isIdempotent: true },
        (collection) => collection.upsert(body),
      );
    }
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#connection.begin(options.signal);
    const found = await this.#reader.byIds([...new Set(ids)], options);
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#connection.begin(signal);
    assertFilter(filter);
    const where = await this.#reader.where(filter, signal);
    if (where === false) return 0;
    // Not repeated after a lost answer: the second one would count nothing.
    const call = { action: this.#doing('delete chunks'), signal, isIdempotent: false };
    const { deleted } = await this.#connection.callOn(this.#id, call, (collection) =>
      collection.delete({ where: this.#reader.stated(where) }),
    );
    return deleted ?? 0;
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#connection.begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const where = await this.#reader.where(filter, signal);
    if (where === false) return { chunks: [] };
    const key = JSON.stringify(filter);
    const paging = this.#paging;
    const isNextPage = paging !== undefined && paging.cursor === cursor && paging.filter === key;
    const ids = isNextPage ? paging.ids : await this.#idsAfter(cursor, where, signal);
    const chunks: StoredChunk[] = [];
    let next = 0;
    // What was deleted since the ids were read leaves gaps, which the following ids fill.
    while (chunks.length < limit && next < ids.length) {
      const wanted = ids.slice(next, next + limit - chunks.length);
      const found = await this.#reader.byIds(wanted, { where, signal });
      chunks.push(...wanted.flatMap((id) => found.get(id) ?? []));
      next += wanted.length;
    }
    const last = chunks.at(-1);
    if (next >= ids.length || last === undefined) {
      this.#paging = undefined;
      return { chunks };
    }
    this.#paging = { filter: key, cursor: last.id, ids: ids.slice(next) };
    return { chunks, cursor: last.id };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#connection.begin(signal);
    assertFilter(filter);
    const where = await this.#reader.where(filter, signal);
    if (where === false) return 0;
    if (where !== true) return (await this.#reader.ids(where, { signal })).length;
    return this.#connection.callOn(
      this.#id,
      { action: this.#doing('count chunks'), signal, isIdempotent: true },
      (collection) => collection.count(),
    );
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    this.#connection.begin(query.signal);
    assertFilter(query.filter);
    assertCount('topK', query.topK, this.#options.maxTopK);
    assertQueryVector(this.spec, query.vector);
    const isZero = query.vector.every((component) => component === 0);
    const unit = { ...query, vector: unitVector(query.vector) };
    if (!isZero) {
      const hits = await this.#filteredLater.search(this.#reader, unit);
      if (hits !== undefined) return hits;
    }
    const where = await this.#reader.where(query.filter, query.signal);
    if (where === false) return [];
    return isZero ? this.#zeroScored(where, query) : nearest(this.#reader, where, unit);
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    // The server brings its index up to date and compacts by itself.
    this.#connection.begin(signal);
  }

  async stats(): Promise<CollectionStats> {
    return {
      chunks: await this.count(EVERYTHING),
      vectorIndex: this.#options.vectorIndex,
      textIndex: 'none',
    };
  }

  /** A zero query is equally far from everything, so the first ids are the best. */
  async #zeroScored(where: Where | true, query: VectorQuery): Promise<ScoredChunk[]> {
    const ids = (await this.#idsAfter(undefined, where, query.signal)).slice(0, query.topK);
    const found = await this.#reader.byIds(ids, { ...query, where });
    return ids.flatMap((id) => found.get(id) ?? []).map((chunk) => ({ chunk, score: 0 }));
  }

  async #idsAfter(
    cursor: string | undefined,
    where: Where | true,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const ids = (await this.#reader.ids(where, { signal })).sort(compareText);
    return cursor === undefined ? ids : ids.filter((id) => compareText(id, cursor) > 0);
  }

  #doing(action: string): string {
    return `${action} in collection "${this.spec.name}"`;
  }
}
