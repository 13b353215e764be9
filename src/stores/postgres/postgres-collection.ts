import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { throwIfAborted } from '../../core/errors.js';
import type { Filter } from '../../core/filter.js';
import { runtime } from '../../core/runtime.js';
import type { CallOptions, PostgresDatabase } from '../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  ScoredId,
  TextQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import { compileFilter } from './filter-sql.js';
import { describeVectorIndex } from './hnsw-index.js';
import { containmentsIn } from './metadata-containment.js';
import { numberOf, readChunk, readId, textOf } from './row-reader.js';
import { Parameters } from './sql-text.js';
import { storableText } from './storable-json.js';
import { rowColumns, type TableLayout } from './table-layout.js';
import type { VectorTypes } from './vector-extension.js';
import { type SearchTarget, searchExactly, searchNearest } from './vector-search.js';

import { mergeWords } from './words/merge-words.js';
import { searchWords } from './words/search-words.js';
import { wordTableNames } from './words/word-tables.js';
import { deleteWords, writeWords } from './words/write-words.js';

/** How long it is believed that a table has no vector index, in milliseconds: another process may make one. */
const INDEX_CHECK_MS = 30_000;

/** What a collection is made of. */
export interface CollectionParts {
  readonly spec: CollectionSpec;
  readonly layout: TableLayout;
  readonly types: VectorTypes;
  readonly maxTopK: number;
}

/** A collection in one table, and its words beside it. A write is one transaction, a read one snapshot, so it sees all of a write or nothing. */
export class PostgresCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #database: PostgresDatabase;
  readonly #parts: CollectionParts;
  readonly #selective = new SelectiveFilters();
  #index: { readonly exists: boolean; readonly readAt: number } | undefined;

  constructor(database: PostgresDatabase, parts: CollectionParts) {
    this.spec = parts.spec;
    this.#database = database;
    this.#parts = parts;
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    const call = this.#call('write chunks', signal);
    assertRecords(this.spec, records);
    this.#parts.layout.assertRecords(records);
    if (records.length === 0) return;
    const { layout } = this.#parts;
    const written = lastRecordById(records);
    const words = written.map(({ id, tenant, searchText }) => ({
      key: layout.keyOf(id),
      tenant,
      searchText,
    }));
    await this.#database.transaction(call, async (run) => {
      await layout.upsert(run, written);
      await writeWords(run, layout.words, words);
    });
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    const call = this.#call('read chunks', options.signal);
    if (ids.length === 0) return [];
    const parameters = new Parameters();
    const condition = parameters.render(
      compileFilter({ op: 'in', field: '$chunkId', values: ids }, this.#parts.layout),
    );
    const sql = `SELECT ${rowColumns(options.includeVectors ?? false)} FROM ${this.#from(parameters)} WHERE ${condition}`;
    const chunks = (await this.#database.rows(sql, parameters.values, call)).map(readChunk);
    const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    const call = { ...this.#call('delete chunks', signal), isIdempotent: false };
    const parameters = new Parameters();
    const { layout } = this.#parts;
    const sql = layout.deleteWhere(this.#enumerating(filter, parameters), parameters);
    return this.#database.transaction(call, async (run) => {
      const { rows } = await run(sql, parameters.values);
      const keys = rows.map((row) => textOf(row, 'key'));
      await deleteWords(run, layout.words, keys);
      return keys.length;
    });
  }

  async list(query: ListQuery): Promise<ListPage> {
    const call = this.#call('list chunks', query.signal);
    assertCount('limit', query.limit, Number.MAX_SAFE_INTEGER - 1);
    const parameters = new Parameters();
    const { idOrder, idOrderOf } = this.#parts.layout;
    const conditions = [this.#enumerating(query.filter, parameters)];
    if (query.cursor !== undefined) {
      const after = idOrderOf(parameters.bind(storableText(query.cursor), 'text'));
      conditions.push(`(${idOrder.join(', ')}) > (${after.join(', ')})`);
    }
    const where = conditions.map((condition) => `(${condition})`).join(' AND ');
    const sql = `SELECT ${rowColumns(false)} FROM ${this.#from(parameters)} WHERE ${where}
      ORDER BY ${idOrder.join(', ')} LIMIT ${parameters.bind(query.limit + 1, 'bigint')}`;
    const found = await this.#database.rows(sql, parameters.values, call);
    const chunks = found.slice(0, query.limit).map(readChunk);
    const last = chunks.at(-1);
    return found.length > query.limit && last !== undefined ? { chunks, cursor: last.id } : { chunks };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    const call = this.#call('count chunks', signal);
    const parameters = new Parameters();
    const condition = this.#enumerating(filter, parameters);
    const sql = `SELECT count(*) AS chunks FROM ${this.#from(parameters)} WHERE ${condition}`;
    const [row] = await this.#database.rows(sql, parameters.values, call);
    return row === undefined ? 0 : numberOf(row, 'chunks');
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const call = this.#call('search vectors', query.signal);
    assertCount('topK', query.topK, this.#parts.maxTopK);
    assertQueryVector(this.spec, query.vector);
    assertFilter(query.filter);
    this.#parts.layout.assertFilter(query.filter);
    const target: SearchTarget = {
      layout: this.#parts.layout,
      types: this.#parts.types,
      rows: (sql, parameters) => this.#database.rows(sql, parameters, call),
    };
    if ((await this.#isIndexed(query.signal)) && !(await this.#selective.includes(query.filter, target))) {
      const nearest = await searchNearest(target, query);
      if (nearest !== undefined) return nearest;
    }
    return searchExactly(target, query);
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    const rows = await this.#searchText(query, rowColumns(query.includeVectors ?? false));
    return rows.map((row) => ({ chunk: readChunk(row), score: numberOf(row, 'score') }));
  }

  async rankText(query: TextQuery): Promise<ScoredId[]> {
    const rows = await this.#searchText(query, 'id, is_ours');
    return rows.map((row) => ({ id: readId(row), score: numberOf(row, 'score') }));
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    const { layout } = this.#parts;
    const timeoutMs = this.#database.settings.maintenanceTimeoutMs;
    await this.#database.maintain(
      { ...this.#call('optimize its tables', signal), timeoutMs },
      layout.table,
      async (run) => {
        await layout.buildIndex(run);
        await mergeWords(run, layout.words);
        await run(`VACUUM (ANALYZE) ${[layout.table, ...wordTableNames(layout.words)].join(', ')}`);
      },
    );
    this.#index = undefined;
  }

  async stats(): Promise<CollectionStats> {
    const { layout } = this.#parts;
    return this.#database.withConnection(this.#call('read its statistics'), async (run) => {
      const parameters = new Parameters();
      const tables = parameters.bind([layout.table, ...wordTableNames(layout.words)], 'text[]');
      const sql = `SELECT count(*) AS chunks,
        (SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(${tables}) AS name) AS bytes
        FROM ${this.#from(parameters)}`;
      const [row] = (await run(sql, parameters.values)).rows;
      const index = await describeVectorIndex(run, layout.table);
      return {
        chunks: row === undefined ? 0 : numberOf(row, 'chunks'),
        ...(row === undefined ? {} : { bytes: numberOf(row, 'bytes') }),
        vectorIndex: index ?? 'flat scan',
        textIndex: 'inverted index with exact BM25',
      };
    });
  }

  async #searchText(query: TextQuery, columns: string): Promise<readonly SqlRow[]> {
    const call = this.#call('search words', query.signal);
    const { layout, maxTopK } = this.#parts;
    assertCount('topK', query.topK, maxTopK);
    assertFilter(query.filter);
    layout.assertFilter(query.filter);
    return this.#database.snapshot(call, (run) => searchWords(run, layout, { ...query, columns }));
  }

  #call(action: string, signal?: AbortSignal): CallOptions {
    throwIfAborted(signal);
    return { action: `${action} of collection "${this.spec.name}"`, signal };
  }

  #from(parameters: Parameters): string {
    return this.#parts.layout.from(parameters);
  }

  /** The condition of a filter for what is listed, counted or deleted. */
  #enumerating(filter: Filter, parameters: Parameters): string {
    const { layout } = this.#parts;
    assertFilter(filter);
    layout.assertFilter(filter);
    const condition = parameters.render(compileFilter(filter, layout));
    const guard = layout.enumerationGuard(filter);
    return guard === undefined ? condition : `(${condition}) AND ${guard}`;
  }

  async #isIndexed(signal: AbortSignal | undefined): Promise<boolean> {
    const known = this.#index;
    if (known?.exists || (known !== undefined && runtime().now() - known.readAt < INDEX_CHECK_MS))
      return known.exists;
    const call = this.#call('read the indexes', signal);
    const exists = await this.#database.withConnection(
      call,
      async (run) => (await describeVectorIndex(run, this.#parts.layout.table)) !== undefined,
    );
    this.#index = { exists, readAt: runtime().now() };
    return exists;
  }
}

/** Matches up to which comparing them all is faster than walking the vector index past everything else. */
const FEW_ROWS = 4_000;
/** How long an answer is believed, in milliseconds; a stale one costs time, never a result. */
const BELIEVED_MS = 60_000;
const MAX_REMEMBERED = 256;

/**
 * Which filters admit so few rows that exact search over them is the faster one. Asked of the index over metadata, which
 * counts a few matches in less than a millisecond; the planner cannot be asked, since it takes every filter for selective.
 */
class SelectiveFilters {
  readonly #known = new Map<string, { readonly isSelective: boolean; readonly readAt: number }>();

  async includes(filter: Filter, target: SearchTarget): Promise<boolean> {
    if (target.layout.indexesMetadata !== true) return false;
    const condition = containmentsIn(filter);
    if (condition === undefined) return false;
    const key = JSON.stringify(filter);
    const known = this.#known.get(key);
    if (known !== undefined && runtime().now() - known.readAt < BELIEVED_MS) return known.isSelective;
    const parameters = new Parameters();
    const limit = parameters.bind(FEW_ROWS + 1, 'bigint');
    const [row] = await target.rows(
      `SELECT count(*) AS matches FROM (SELECT 1 FROM ${target.layout.from(parameters)}
        WHERE ${parameters.render(condition)} LIMIT ${limit}) AS few`,
      parameters.values,
    );
    const isSelective = row !== undefined && numberOf(row, 'matches') <= FEW_ROWS;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, { isSelective, readAt: runtime().now() });
    return isSelective;
  }
}
