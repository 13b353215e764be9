import type { VectorQuery as LanceVectorQuery, Query, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { compareText, type Filter } from '../../core/filter.js';
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
  TextQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import { ALWAYS, compileFilter, textLiteral } from './filter-sql.js';
import type { LanceDriver } from './lancedb-driver.js';
import { isConflict, isMissingFile, storeError } from './lancedb-errors.js';
import { recordTable } from './record-table.js';
import { chunkColumns, readChunks, readScored } from './row-reader.js';
import { indexNameOf, type MaintenanceOptions, maintain } from './table-maintenance.js';
import { VacuousFilters } from './vacuous-filters.js';

const MAX_LIST = Number.MAX_SAFE_INTEGER;
const COMMIT_ATTEMPTS = 12;
const RECORDS_PER_COMMIT = 10_000;
const IDS_PER_LOOKUP = 2_000;
/** Candidates visited at least: 52 gave recall@10 .972 to .986 at 100,000 clustered vectors, 100 gave 1.0, at the same speed. */
const MIN_SEARCH_WIDTH = 128;
/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;

export interface LanceCollectionOptions extends MaintenanceOptions {
  readonly maxTopK: number;
  /** Candidates that a graph search visits per wanted hit. */
  readonly searchWidth: number;
}

/** One Lance table. Reads see the newest version of any process; writes are atomic per 10,000 records. */
export class LanceDbCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #driver: LanceDriver;
  readonly #table: Table;
  readonly #schema: Schema;
  readonly #options: LanceCollectionOptions;
  readonly #vacuous: VacuousFilters;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    spec: CollectionSpec,
    parts: { readonly driver: LanceDriver; readonly table: Table; readonly schema: Schema },
    options: LanceCollectionOptions,
  ) {
    this.spec = spec;
    this.#driver = parts.driver;
    this.#table = parts.table;
    this.#schema = parts.schema;
    this.#options = options;
    this.#vacuous = new VacuousFilters(parts.table);
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    assertRecords(this.spec, records);
    const unique = lastRecordById(records);
    for (let start = 0; start < unique.length; start += RECORDS_PER_COMMIT) {
      throwIfAborted(signal);
      const data = recordTable(
        this.#driver.arrow,
        this.#schema,
        unique.slice(start, start + RECORDS_PER_COMMIT),
      );
      await this.#write('write chunks', () =>
        this.#table
          .mergeInsert('id')
          .whenMatchedUpdateAll()
          .whenNotMatchedInsertAll()
          // A hash join over the id column alone is faster than the index for batches (measured: 82 to 203 ms).
          .useIndex(false)
          .execute(data),
      );
    }
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#begin(options.signal);
    const wanted = [...new Set(ids)];
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < wanted.length; start += IDS_PER_LOOKUP) {
      throwIfAborted(options.signal);
      const literals = wanted.slice(start, start + IDS_PER_LOOKUP).map(textLiteral);
      const read = () =>
        readChunks(
          this.#table
            .query()
            .where(`id IN (${literals.join(', ')})`)
            .select(chunkColumns(options.includeVectors)),
        );
      for (const chunk of await this.#read('look chunks up', read)) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    const { numDeletedRows } = await this.#write('delete chunks', () =>
      this.#table.delete(compileFilter(filter)),
    );
    return numDeletedRows;
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, MAX_LIST);
    const sql = compileFilter(filter);
    const after = cursor === undefined ? sql : `(${sql}) AND id > ${textLiteral(cursor)}`;
    const chunks = await this.#read('list chunks', () => this.#inIdOrder(after, limit + 1));
    const last = chunks[limit - 1];
    return chunks.length > limit && last ? { chunks: chunks.slice(0, limit), cursor: last.id } : { chunks };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    const sql = compileFilter(filter);
    return this.#read('count chunks', () => this.#table.countRows(sql === ALWAYS ? undefined : sql));
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    this.#begin(query.signal);
    assertFilter(query.filter);
    assertCount('topK', query.topK, this.#options.maxTopK);
    assertQueryVector(this.spec, query.vector);
    const isZero = query.vector.every((component) => component === 0);
    const search = (where: string): Promise<ScoredChunk[]> =>
      isZero ? this.#zeroScored(where, query) : this.#nearest(where, query);
    return this.#read('search vectors', () => this.#vacuous.without(query.filter, search));
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    this.#begin(query.signal);
    assertFilter(query.filter);
    assertCount('topK', query.topK, this.#options.maxTopK);
    // The index splits at white space, so a term that holds some cannot be in it.
    const terms = [...new Set(query.terms)].filter((term) => /^\S+$/u.test(term));
    if (terms.length === 0) return [];
    const match = new this.#driver.lancedb.MatchQuery(terms.join(' '), 'search_text');
    const search = (where: string): Promise<ScoredChunk[]> =>
      bestWithTies(query.topK, (limit) => {
        throwIfAborted(query.signal);
        const found = admit(this.#table.query().fullTextSearch(match), where).limit(limit);
        return readScored(found.select(chunkColumns(query.includeVectors, '_score')), Number, '_score');
      });
    return this.#read('search text', () => this.#vacuous.without(query.filter, search));
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    await this.#write('optimize', () => maintain(this.#driver, this.#table, { ...this.#options, signal }));
  }

  async stats(): Promise<CollectionStats> {
    this.#begin();
    return this.#read('read statistics', async () => {
      const [chunks, { totalBytes }] = await Promise.all([this.#table.countRows(), this.#table.stats()]);
      const [vectorIndex, textIndex] = await Promise.all([
        this.#describeIndex('vector', 'flat scan, exact'),
        this.#describeIndex('search_text', 'none'),
      ]);
      return { chunks, bytes: totalBytes, vectorIndex, textIndex };
    });
  }

  /** Releases the table; every later call is refused. */
  close(): void {
    this.#isClosed = true;
    this.#table.close();
  }

  #begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', `Collection "${this.spec.name}" is closed; open it again.`);
  }

  async #nearest(where: string, query: VectorQuery): Promise<ScoredChunk[]> {
    const hits = await bestWithTies(query.topK, (limit) => {
      throwIfAborted(query.signal);
      const search = admit(this.#table.vectorSearch(query.vector).distanceType('cosine'), where)
        // Both are read only where there is an index; refining makes its scores exact.
        .ef(Math.max(MIN_SEARCH_WIDTH, limit * this.#options.searchWidth))
        .refineFactor(1)
        .limit(limit);
      return readScored(
        search.select(chunkColumns(query.includeVectors, '_distance')),
        cosineOf,
        '_distance',
      );
    });
    // Lance leaves zero vectors out (their cosine is undefined); they score 0, which matters from the first negative score.
    const lastScore = hits.length < query.topK ? -1 : (hits.at(-1)?.score ?? -1);
    if (lastScore > 0 || (await this.#vacuous.isVacuous('NOT is_zero'))) return hits;
    const zeros = await this.#zeroScored(conjunction(where, 'is_zero'), query);
    return [...hits, ...zeros].sort(byScoreThenId).slice(0, query.topK);
  }

  async #zeroScored(where: string, { topK, includeVectors }: VectorQuery): Promise<ScoredChunk[]> {
    const chunks = await this.#inIdOrder(where, topK, includeVectors);
    return chunks.map((chunk) => ({ chunk, score: 0 }));
  }

  #inIdOrder(where: string, limit: number, includeVectors?: boolean): Promise<StoredChunk[]> {
    const rows = admit(this.#table.query(), where)
      .orderBy({ columnName: 'id', ascending: true })
      .limit(limit);
    return readChunks(rows.select(chunkColumns(includeVectors, 'id')));
  }

  async #describeIndex(column: string, otherwise: string): Promise<string> {
    const stats = await this.#table.indexStats(indexNameOf(column));
    if (stats === undefined) return otherwise;
    const { indexType, numIndexedRows, numUnindexedRows } = stats;
    const total = numIndexedRows + numUnindexedRows;
    return `${indexType} over ${numIndexedRows.toLocaleString('en')} of ${total.toLocaleString('en')} rows`;
  }

  /** Runs a read on the newest version, once more where a file vanished because another process cleaned up meanwhile. */
  async #read<T>(action: string, run: () => Promise<T>): Promise<T> {
    const where = `${action} in collection "${this.spec.name}"`;
    try {
      await this.#table.checkoutLatest();
      return await run();
    } catch (error) {
      if (!isMissingFile(error)) throw storeError(error, where);
    }
    try {
      await this.#table.checkoutLatest();
      return await run();
    } catch (error) {
      throw storeError(error, where);
    }
  }

  /** Runs a write after the ones before it, and again while another process commits first. */
  #write<T>(action: string, run: () => Promise<T>): Promise<T> {
    const write = this.#lastWrite.then(() =>
      this.#commit(`${action} in collection "${this.spec.name}"`, run),
    );
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  async #commit<T>(action: string, run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#table.checkoutLatest();
        return await run();
      } catch (error) {
        if (!isConflict(error) || attempt === COMMIT_ATTEMPTS) throw storeError(error, action);
        // Random, so that two writers do not stay in step.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 6)));
      }
    }
  }
}

const cosineOf = (distance: number): number => Math.max(-1, Math.min(1, 1 - distance));

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);

const conjunction = (a: string, b: string): string => (a === ALWAYS ? b : `(${a}) AND (${b})`);

function admit<Q extends Query | LanceVectorQuery>(query: Q, where: string): Q {
  if (where !== ALWAYS) query.where(where);
  return query;
}

/** The best `topK` with ties by id: Lance cuts among equals at will, so the tie at the end is fetched whole first. */
async function bestWithTies(
  topK: number,
  search: (limit: number) => Promise<ScoredChunk[]>,
): Promise<ScoredChunk[]> {
  for (let limit = topK + TIE_MARGIN; ; limit *= 2) {
    const hits = (await search(limit)).sort(byScoreThenId);
    if (hits.length < limit || hits[topK - 1]?.score !== hits.at(-1)?.score) return hits.slice(0, topK);
  }
}
