import type { ChunkRecord, ScoredChunk, StoredChunk } from '../core/chunk.js';
import type { Filter, FilterOperator } from '../core/filter.js';
import type { SharedDatabase } from '../core/shared-database.js';

/** Abilities as data: the engine reads them, never tries and fails. */
export interface StoreCapabilities {
  readonly filterOperators: readonly FilterOperator[];
  /**
   * `bm25`: real BM25 over `searchText`; `other`: the store's own ranking of it, which gives answers as good (within .01 of
   * nDCG, see docs/stores.md); `none`: the engine adds a lexical lane.
   */
  readonly lexical: 'bm25' | 'other' | 'none';
  /** In words, where the engine ranks text because the store does not: by what. Shown in explanations. */
  readonly addedTextIndex?: string;
  readonly maxTopK: number;
  /** `immediate`: a finished write is seen by the next read; else after the declared delay. */
  readonly consistency: 'immediate' | { readonly eventualMs: number };
  /** Survives the process. */
  readonly persistent: boolean;
  /** Vector search visits every record, so its result is exact. */
  readonly exactVectorSearch: boolean;
  /**
   * In words, of a server: what it keeps of deleted chunks, for how long, and what removes it at once. Absent where `purge` leaves
   * nothing.
   */
  readonly keepsDeleted?: string;
}

/** What a collection is made for. A mismatch with what is stored is refused before anything is written. */
export interface CollectionSpec {
  /** Letters, digits, `_`, `-`, 1 to 64 characters. */
  readonly name: string;
  readonly dimensions: number;
  /** `fingerprintOf` the embedder. */
  readonly fingerprint: string;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly topK: number;
  readonly filter: Filter;
  /** Give the vectors back too. @default false */
  readonly includeVectors?: boolean;
  readonly signal?: AbortSignal;
}

export interface TextQuery {
  /** Terms as the analyzer made them for `searchText`; any of them may match. One that is given several times counts as often. */
  readonly terms: readonly string[];
  /** How much each of `terms` counts, in their order: what it adds to a score is multiplied by it. Above 0. @default 1 each */
  readonly weights?: readonly number[];
  /**
   * Only chunks of this tenant are found, and the statistics of BM25 (number of chunks, of those with a term, mean length) are
   * those of its chunks alone, so that nothing of another tenant shows in a score. @default the chunks of all tenants
   */
  readonly tenant?: string;
  readonly topK: number;
  readonly filter: Filter;
  readonly includeVectors?: boolean;
  readonly signal?: AbortSignal;
}

/** Asks for the terms that begin alike. */
export interface TermsQuery {
  /** As terms are written in `searchText`. */
  readonly beginning: string;
  /** Only terms of chunks that it admits. */
  readonly filter: Filter;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** How much a purge does. */
export interface PurgeOptions {
  /**
   * Indexes of vectors that hold those of deleted chunks are built anew too, which takes as long as building them, and what several
   * chunks shared goes with the last of them (the name of a source). @default false: both stay until they are next written anew
   */
  readonly thorough?: boolean | undefined;
}

/** A chunk's id and its score; higher is better. */
export interface ScoredId {
  readonly id: string;
  readonly score: number;
}

export interface ListQuery {
  readonly filter: Filter;
  /** Page size. */
  readonly limit: number;
  /** From the previous page; absent for the first. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

export interface ListPage {
  readonly chunks: readonly StoredChunk[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface CollectionStats {
  readonly chunks: number;
  /** Bytes on disk, where the store can tell. */
  readonly bytes?: number;
  /** In words: `flat scan`, `IVF_HNSW_SQ over 100,000 of 100,200 rows`. */
  readonly vectorIndex: string;
  readonly textIndex: string;
}

/** Writes that take part in a transaction which the ledger has open; they are done when they return. */
export interface EnlistedWrites {
  /** As `VectorCollection.upsert`. */
  upsert(records: readonly ChunkRecord[]): void;
  /** By id; unknown ids are left out. */
  delete(chunkIds: readonly string[]): void;
}

/**
 * Chunks of one embedding model, kept and found.
 *
 * Upsert is idempotent by chunk id and replaces the whole record. Deleting or getting an unknown id is quiet. Scores:
 * higher is better; vector scores are cosine in [-1, 1] (0 for a zero vector); ties break by id, ascending by code point.
 * A record that scores nothing lexically is not returned by `searchText`. An id may be any text.
 */
export interface VectorCollection {
  readonly spec: CollectionSpec;
  upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void>;
  /** In the order asked for; unknown ids are left out. */
  get(
    ids: readonly string[],
    options?: { includeVectors?: boolean; signal?: AbortSignal },
  ): Promise<StoredChunk[]>;
  /** Returns how many were deleted. */
  delete(filter: Filter, signal?: AbortSignal): Promise<number>;
  /** Every match once, in id order, while nothing is written. */
  list(query: ListQuery): Promise<ListPage>;
  count(filter: Filter, signal?: AbortSignal): Promise<number>;
  searchVector(query: VectorQuery): Promise<ScoredChunk[]>;
  /** Present where `capabilities.lexical` is not `none`. */
  searchText?(query: TextQuery): Promise<ScoredChunk[]>;
  /**
   * What `searchVector` and `searchText` find, in their order, without the records: for stores where reading a record costs
   * more than finding it. Where they are absent the engine searches for whole records. `includeVectors` is not read.
   */
  rankVector?(query: VectorQuery): Promise<ScoredId[]>;
  rankText?(query: TextQuery): Promise<ScoredId[]>;
  /**
   * The terms of `searchText` of chunks that the filter admits which begin so, at most `limit`, ascending by code point. Absent where the store
   * cannot list its terms: the engine then looks through passages.
   */
  termsBeginning?(query: TermsQuery): Promise<string[]>;
  /**
   * Present in a store that can be kept in the ledger's own file: gives the writes that belong to the transaction open on
   * this connection, or undefined where the collection is in another file. A revision is then one transaction, and needs no log.
   */
  enlist?(database: SharedDatabase): EnlistedWrites | undefined;
  /** Builds or refreshes indexes and compacts, after a large write; safe at any time. */
  optimize(signal?: AbortSignal): Promise<void>;
  /**
   * Leaves nothing of deleted chunks in the store's own files: no text, no words. Called at the end of what has deleted some.
   * Absent where a server keeps the files.
   */
  purge?(signal?: AbortSignal, options?: PurgeOptions): Promise<void>;
  stats(): Promise<CollectionStats>;
}

/** A chunk, and the words that it was written with. */
export interface WordsOfChunk {
  readonly chunk: StoredChunk;
  readonly searchText: string;
}

/** A database that holds collections. */
export interface VectorStore {
  /** `memory`, `lancedb`, ... */
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  /**
   * Opens or makes a collection. Throws `STORE_DIMENSION_MISMATCH`, `STORE_FINGERPRINT_MISMATCH` or `STORE_SCHEMA_TOO_NEW`
   * where it exists for another model or was written by a newer version; `STORE_DAMAGED` where it cannot be read.
   */
  open(spec: CollectionSpec): Promise<VectorCollection>;
  /**
   * Opens a collection for searches while one of several parts of the store does not answer: what needs that part fails, and
   * works again when it answers. Absent where the store is one thing, which answers or does not.
   */
  openForReading?(spec: CollectionSpec): Promise<VectorCollection>;
  /**
   * Every chunk of a collection with its words, a part at a time: present in a store that keeps words which it does not search, so
   * that the index beside it, which does, can be made of them.
   */
  writtenWords?(name: string): AsyncIterable<readonly WordsOfChunk[]>;
  /** The spec of an existing collection, or undefined. */
  describe(name: string): Promise<CollectionSpec | undefined>;
  /** Removes a collection, damaged ones too; quiet where there is none. */
  drop(name: string): Promise<void>;
  health(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  close(): Promise<void>;
}
