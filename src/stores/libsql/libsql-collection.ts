import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { compareText, type Filter } from '../../core/filter.js';
import { numberAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { termWeights } from '../query-terms.js';
import { assertCount, assertFilter, assertQueryVector } from '../store-checks.js';
import { type ScoredItem, TopK } from '../top-k.js';
import type { VectorIndex, VectorRecords, VectorRows } from '../vector-index.js';
import type {
  CollectionSpec,
  CollectionStats,
  EnlistedWrites,
  ListPage,
  ListQuery,
  PurgeOptions,
  ScoredId,
  TermsQuery,
  TextQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
import { Bm25Search } from './bm25-search.js';
import { deleteRows, emptyUnusedProfiles, readChunks, rowsOfIds } from './chunk-rows.js';
import { enlistedWrites, nextVersion, versionOf } from './enlisted-writes.js';
import { searchWithIndex } from './indexed-search.js';
import { identifierTerm, termsFrom, visitPostings } from './postings.js';
import { optimizePostings, purgePostings, type Upkeep } from './postings-upkeep.js';
import { RowCache } from './row-cache.js';
import { demandedIdentifier, demandedIds } from './row-filter.js';
import { FORMAT_WITH_IDENTIFIERS } from './store-schema.js';
import { vectorRows, writeNote } from './vector-rows.js';

export interface CollectionOptions {
  readonly spec: CollectionSpec;
  /** Key of the collection's row. */
  readonly id: number;
  /** As in `COLLECTION_FORMAT`. */
  readonly format: number;
  readonly maxTopK: number;
  /** Bytes of the whole file; absent where it is not the store's alone. */
  readonly bytes?: () => number;
  /** Finds near vectors in place of the exact scan. */
  readonly index?: VectorIndex;
}

/**
 * A collection in tables of one SQLite file. Calls do their work at once, so they block the event loop while they last; a
 * write is one transaction, a read one snapshot.
 */
export class LibsqlCollection implements VectorCollection {
  /** Key of the collection's row; a collection made again under the same name has another. */
  readonly id: number;
  readonly spec: CollectionSpec;
  readonly #database: SqliteDatabase;
  readonly #options: CollectionOptions;
  readonly #cache: RowCache;
  readonly #bm25: Bm25Search;
  #closed = false;

  constructor(database: SqliteDatabase, options: CollectionOptions) {
    this.spec = options.spec;
    this.id = options.id;
    this.#database = database;
    this.#options = options;
    this.#cache = new RowCache(database, options.id, options.spec.dimensions);
    this.#bm25 = new Bm25Search(database, options.id, this.#cache);
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    this.#database.transaction(() => enlistedWrites(this.#database, this).upsert(records));
  }

  enlist(database: SqliteDatabase): EnlistedWrites | undefined {
    this.#begin();
    return database.path === this.#database.path ? enlistedWrites(database, this) : undefined;
  }

  async get(
    ids: readonly string[],
    options: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#begin(options.signal);
    return this.#database.snapshot(() => {
      this.#versionOf();
      return this.#read(rowsOfIds(this.#database, this.id, ids), options.includeVectors);
    });
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    return this.#write(() => {
      const rows = this.#matches(filter).map((ordinal) => this.#cache.rowAt(ordinal));
      deleteRows(this.#database, this.id, rows);
      return rows.length;
    });
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    return this.#database.snapshot(() => {
      const isAfter = (ordinal: number): boolean =>
        cursor === undefined || compareText(this.#cache.idAt(ordinal), cursor) > 0;
      const matches = this.#matches(filter).filter(isAfter);
      const page = matches
        .sort((a, b) => compareText(this.#cache.idAt(a), this.#cache.idAt(b)))
        .slice(0, limit);
      const chunks = this.#read(page.map((ordinal) => this.#cache.rowAt(ordinal)));
      const last = chunks.at(-1);
      return matches.length > limit && last !== undefined ? { chunks, cursor: last.id } : { chunks };
    });
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    assertFilter(filter);
    return this.#database.snapshot(() => this.#matches(filter).length);
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    this.#beginVectorSearch(query);
    return this.#database.snapshot(() => this.#scored(this.#nearest(query), query.includeVectors));
  }

  async searchText(query: TextQuery): Promise<ScoredChunk[]> {
    this.#beginSearch(query);
    return this.#database.snapshot(() => this.#scored(this.#bestByText(query), query.includeVectors));
  }

  async rankVector(query: VectorQuery): Promise<ScoredId[]> {
    this.#beginVectorSearch(query);
    return this.#database.snapshot(() => this.#named(this.#nearest(query)));
  }

  async rankText(query: TextQuery): Promise<ScoredId[]> {
    this.#beginSearch(query);
    return this.#database.snapshot(() => this.#named(this.#bestByText(query)));
  }

  async termsBeginning({ beginning, filter, limit, signal }: TermsQuery): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined; ; await nextTurn()) {
      this.#begin(signal);
      const terms = this.#database.snapshot(() => {
        const isAdmitted = this.#admission(filter);
        const page = termsFrom(this.#database, { collection: this.id, beginning, after });
        for (const term of page) {
          if (found.length >= limit) break;
          if (this.#bm25.isHeld(term, isAdmitted)) found.push(term);
        }
        return page;
      });
      after = terms.at(-1);
      if (after === undefined || found.length >= limit) return found;
    }
  }

  async optimize(signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    await optimizePostings(this.#upkeep(signal));
    await this.#options.index?.optimize(this.#records(), signal);
  }

  async purge(signal?: AbortSignal, { thorough = false }: PurgeOptions = {}): Promise<void> {
    this.#begin(signal);
    await purgePostings(this.#upkeep(signal));
    if (thorough) {
      this.#database.transaction(() => emptyUnusedProfiles(this.#database, this.id));
      await this.#options.index?.purge(this.#records(), signal);
      // The ledger does it for a file that it shares.
      if (basename(this.#database.path) !== DATA_FILES.ledger) this.#database.rewrite();
    } else this.#database.eraseDeleted();
  }

  async stats(): Promise<CollectionStats> {
    this.#begin();
    const { index, bytes } = this.#options;
    const sql = 'SELECT count(*) FROM store_chunk WHERE collection = ?';
    if (index !== undefined) this.#records().read((rows) => index.refresh(rows));
    return {
      chunks: numberAt(this.#database.row(sql, this.id) ?? [0], 0),
      ...(bytes === undefined ? {} : { bytes: bytes() + (index?.bytes() ?? 0) }),
      vectorIndex: index?.describe() ?? this.#cache.describeScan(),
      textIndex: 'inverted index with exact BM25',
    };
  }

  /** Every later call is refused. */
  close(): void {
    this.#closed = true;
    this.#options.index?.close();
  }

  #upkeep(signal: AbortSignal | undefined): Upkeep {
    return {
      database: this.#database,
      collection: this.id,
      begin: () => this.#begin(signal),
      refreshed: () => this.#refreshed(),
    };
  }

  #begin(signal?: AbortSignal): void {
    throwIfAborted(signal);
    if (this.#closed)
      throw new RAGError('STORE_UNAVAILABLE', `Collection "${this.spec.name}" is closed; open it again.`);
  }

  #beginSearch({ topK, filter, signal }: VectorQuery | TextQuery): void {
    this.#begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
  }

  #beginVectorSearch(query: VectorQuery): void {
    this.#beginSearch(query);
    assertQueryVector(this.spec, query.vector);
  }

  #nearest(query: VectorQuery): readonly ScoredItem[] {
    const isAdmitted = this.#admission(query.filter);
    const { index } = this.#options;
    const isZero = query.vector.every((component) => component === 0);
    return index === undefined || isZero
      ? this.#scan(query, isAdmitted)
      : this.#searchIndex(index, query, isAdmitted);
  }

  #bestByText(query: TextQuery): readonly ScoredItem[] {
    const isAdmitted = this.#admission(query.filter);
    const best = this.#topK(query.topK);
    this.#bm25.search({ weights: termWeights(query), tenant: query.tenant, isAdmitted }, best);
    return best.sorted();
  }

  #named(hits: readonly ScoredItem[]): ScoredId[] {
    return hits.map(({ item, score }) => ({ id: this.#cache.idAt(item), score }));
  }

  #write<T>(work: () => T): T {
    return this.#database.transaction(() => {
      const result = work();
      // Last, because the work may bring the cache up to date, and that with what was before it.
      nextVersion(this.#database, this.id, this.spec.name);
      return result;
    });
  }

  /** The cache as it is in this snapshot or transaction. */
  #refreshed(): RowCache {
    this.#cache.refresh(this.#versionOf());
    return this.#cache;
  }

  #versionOf(): number {
    return versionOf(this.#database, this.id, this.spec.name);
  }

  #admission(filter: Filter): (ordinal: number) => boolean {
    const cache = this.#refreshed();
    const demand = this.#options.format < FORMAT_WITH_IDENTIFIERS ? undefined : demandedIdentifier(filter);
    if (demand === undefined) return cache.admission(filter);
    const holders = this.#holdersOf(demand.identifier);
    const isAdmitted = cache.admission(demand.rest);
    return (ordinal) => holders.has(ordinal) && isAdmitted(ordinal);
  }

  #holdersOf(identifier: string): ReadonlySet<number> {
    const holders = new Set<number>();
    const ordinalOf = this.#cache.ordinalFinder();
    const wanted = { collection: this.id, term: identifierTerm(identifier) };
    visitPostings(this.#database, wanted, (row) => {
      const ordinal = ordinalOf(row);
      if (ordinal !== undefined) holders.add(ordinal);
    });
    return holders;
  }

  #matches(filter: Filter): number[] {
    const isAdmitted = this.#admission(filter);
    const ids = demandedIds(filter);
    if (ids !== undefined) return this.#ordinalsOf(ids).filter(isAdmitted);
    const matches: number[] = [];
    for (let ordinal = 0; ordinal < this.#cache.ordinals; ordinal++)
      if (isAdmitted(ordinal)) matches.push(ordinal);
    return matches;
  }

  /** Of chunks with these ids, each once, ascending. */
  #ordinalsOf(ids: readonly string[]): number[] {
    const rows = rowsOfIds(this.#database, this.id, [...new Set(ids)]).sort((a, b) => a - b);
    const ordinalOf = this.#cache.ordinalFinder();
    return rows.flatMap((row) => ordinalOf(row) ?? []);
  }

  #scan({ vector, topK }: VectorQuery, isAdmitted: (ordinal: number) => boolean): ScoredItem[] {
    const best = this.#topK(topK);
    const similarity = this.#cache.cosineTo(vector);
    this.#cache.visitNear(vector, (ordinal) => {
      if (isAdmitted(ordinal)) best.push(ordinal, similarity(ordinal));
      return best.floor;
    });
    return best.sorted();
  }

  #searchIndex(
    index: VectorIndex,
    { vector, topK }: VectorQuery,
    isAdmitted: (ordinal: number) => boolean,
  ): readonly ScoredItem[] {
    index.refresh(this.#vectorRows());
    const search = {
      database: this.#database,
      cache: this.#cache,
      index,
      isAdmitted,
      newTopK: () => this.#topK(topK),
      topK: Math.min(topK, this.#cache.size),
    };
    return searchWithIndex(search, vector);
  }

  #vectorRows(): VectorRows {
    return vectorRows(this.#database, this.id, this.#cache);
  }

  #records(): VectorRecords {
    return {
      read: (work) =>
        this.#database.snapshot(() => {
          this.#refreshed();
          return work(this.#vectorRows());
        }),
      writeNote: (note) =>
        this.#database.transaction(() => {
          // Throws where the collection was removed while its index was built.
          this.#versionOf();
          writeNote(this.#database, this.id, note);
        }),
    };
  }

  #topK(k: number): TopK {
    const cache = this.#cache;
    return new TopK(Math.min(k, cache.size), (a, b) => compareText(cache.idAt(a), cache.idAt(b)) < 0);
  }

  #read(rows: readonly number[], includeVectors = false): StoredChunk[] {
    return readChunks(this.#database, rows, { includeVectors, profile: (id) => this.#cache.profile(id) });
  }

  #scored(hits: readonly ScoredItem[], includeVectors: boolean | undefined): ScoredChunk[] {
    const chunks = this.#read(
      hits.map(({ item }) => this.#cache.rowAt(item)),
      includeVectors,
    );
    return chunks.map((chunk, i) => ({ chunk, score: hits[i]?.score ?? 0 }));
  }
}
