import type { ErrorReason } from '../core/errors.js';
import type { Metadata } from '../core/metadata.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';

/** `pending`: work was begun and not finished (the next run finishes it). `outdated`: indexed, but by other settings or an older revision. */
export type DocumentStatus = 'pending' | 'indexed' | 'failed' | 'outdated';

/** Where an item of a source stands. One item may hold several documents. */
export interface LedgerItem {
  readonly tenant: string;
  readonly source: string;
  readonly itemId: string;
  /** `SourceItem.version` that was last read completely, absent before the first success. */
  readonly version?: string;
  /** Hash of everything else that decides the result: chunking, analysis, parser version, generation, embedding fingerprint. */
  readonly processingKey?: string;
  readonly status: DocumentStatus;
  /** Failures in a row for the present version. */
  readonly attempts: number;
  readonly error?: LedgerFailure;
}

export interface LedgerFailure {
  readonly reason: ErrorReason;
  readonly message: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** `SourceItem.version` that failed, where it was known. */
  readonly version?: string;
}

export interface LedgerDocument {
  readonly documentId: string;
  readonly tenant: string;
  readonly project?: string;
  readonly source: string;
  readonly sourceType: string;
  readonly itemId: string;
  readonly externalId: string;
  /** Content hash of the stored text. */
  readonly revision: string;
  readonly status: DocumentStatus;
  readonly title?: string;
  readonly metadata: Metadata;
  readonly chunkCount: number;
  /** ISO-8601 UTC. */
  readonly indexedAt?: string;
}

/** A chunk as the ledger knows it. The states are a write-ahead log of the store. */
export interface LedgerChunk {
  readonly chunkId: string;
  readonly documentId: string;
  readonly ordinal: number;
  /** Hash of the whole record without its vector: tells a record that must be written again. */
  readonly digest: string;
  /**
   * `live`: in the store. `planned`: about to be written, may or may not be there. `stale`: about to be deleted, may or may
   * not be there any more.
   */
  readonly state: 'live' | 'planned' | 'stale';
}

/** What is going to be written of one document. */
export interface PlannedDocument extends Omit<LedgerDocument, 'status' | 'chunkCount' | 'indexedAt'> {
  /** The stored text, to which chunk offsets refer. */
  readonly text: string;
  /** In document order. */
  readonly chunks: readonly { readonly chunkId: string; readonly digest: string }[];
}

/** What the store has to do for a planned document. */
export interface DocumentPlan {
  readonly documentId: string;
  /** Not in the store for certain: must be written with its vector. */
  readonly toWrite: readonly string[];
  /** In the store with the same text but other metadata: must be written again; the vector can be reused. */
  readonly toRewrite: readonly string[];
  readonly unchanged: readonly string[];
  /** In the store or perhaps in it, and not part of the new revision. */
  readonly toDelete: readonly string[];
}

export interface RunRecord {
  readonly runId: number;
  readonly command: string;
  /** ISO-8601 UTC. */
  readonly startedAt: string;
  /** Absent while running, or where the run was killed. */
  readonly finishedAt?: string;
  readonly success?: boolean;
  /** JSON of the run's statistics. */
  readonly stats?: string;
}

export interface SourceSummary {
  readonly tenant: string;
  readonly source: string;
  readonly sourceType: string;
  readonly documents: Readonly<Record<DocumentStatus, number>>;
  readonly failedItems: number;
  readonly chunks: number;
  /** Sums of the documents' metadata field `redactions`, by type; absent where there are none. */
  readonly redactions?: Readonly<Record<string, number>>;
}

/** Facts about the index as a whole. */
export interface IndexFacts {
  /** Store provider that holds the chunks: `lancedb`, `libsql`, `memory`. */
  readonly provider: string;
  /** Grows by one with every rebuild; part of the collection's name. */
  readonly generation: number;
  readonly collection: string;
  readonly dimensions: number;
  /** `fingerprintOf` the embedder. */
  readonly fingerprint: string;
  /** Name for people: `builtin`, `transformers:all-MiniLM-L6-v2`. */
  readonly embedder: string;
  /** A collection that a rebuild replaced and that may still be in the store: the next writer drops it. */
  readonly obsoleteCollection?: string;
}

/**
 * What is indexed, at which revision: the source of truth. All writes are transactions; a crash at any point leaves
 * `pending` documents and `planned` or `stale` chunks that the next run finishes. Methods are synchronous: the ledger is a
 * local SQLite file.
 */
export interface Ledger {
  /** For a store that is kept in the same file (`VectorCollection.enlist`). */
  readonly database: SqliteDatabase;
  /** Makes one transaction of all that the work writes, in the ledger and by way of `database`. */
  transaction<T>(work: () => T): T;

  facts(): IndexFacts | undefined;
  /** Sets the facts. A new generation forgets all chunks and marks every item and document `outdated`, in one transaction. */
  setFacts(facts: IndexFacts): void;

  /** All items of a source by id. */
  items(tenant: string, source: string): Map<string, LedgerItem>;
  /** Where the next listing of a source goes on; absent before its first complete run. */
  sourceCursor(tenant: string, source: string): string | undefined;
  /** Records that everything which a listing named was dealt with. A new generation forgets all cursors. */
  setSourceCursor(tenant: string, source: string, cursor: string): void;
  /** Every source that anything is known of, in name order; cheaper than `sources`. */
  sourceNames(tenant: string): string[];
  /** Sources that a call named and no configuration states, known from the moment their first run began. */
  rememberedSources(tenant: string): string[];
  /** Makes sources known before anything of them is read, so that a run that is killed is gone on with. */
  rememberSources(tenant: string, sources: readonly string[]): void;
  /** Takes `rememberSources` back; documents stay. */
  forgetSources(tenant: string, sources: readonly string[]): void;
  /** Documents of one item. */
  documentsOfItem(tenant: string, source: string, itemId: string): LedgerDocument[];
  /** Number of documents of each item of a source. */
  documentCounts(tenant: string, source: string): Map<string, number>;
  document(documentId: string): LedgerDocument | undefined;
  /** Every document, in id order, page by page. */
  documents(after: string | undefined, limit: number): LedgerDocument[];
  chunks(documentId: string): LedgerChunk[];
  /** Every chunk in chunk id order, page by page; for `verify`. */
  allChunks(after: string | undefined, limit: number): LedgerChunk[];

  /** What `plan` would say, without recording anything. */
  preview(documents: readonly PlannedDocument[]): DocumentPlan[];
  /**
   * Records what is about to be written: documents become `pending`, new chunks `planned`, chunks that the new revisions lack
   * `stale`. Their items are made known, and `pending` too, so that a killed run never looks finished. Nothing may be written to
   * the store before. Says what the store has to do.
   */
  plan(documents: readonly PlannedDocument[]): DocumentPlan[];
  /** The store has done what `plan` said: documents become `indexed`, `planned` chunks `live`, `stale` ones are forgotten. */
  commit(documentIds: readonly string[], at: string): void;
  /** Records that items were read completely (or that nothing had to be done for them). */
  completeItems(
    items: readonly {
      tenant: string;
      source: string;
      itemId: string;
      version: string;
      processingKey: string;
    }[],
  ): void;
  /** Records a failure of an item; what was indexed of it before stays. */
  failItem(item: { tenant: string; source: string; itemId: string }, failure: LedgerFailure): void;
  /** Marks documents for deletion: all their chunks become `stale`, the document `pending`. Returns the chunk ids. */
  planDeletion(documentIds: readonly string[]): string[];
  /** Forgets documents, their revisions and chunks, after the store has deleted the chunks. */
  forget(documentIds: readonly string[]): void;
  /** Forgets items (their documents must be forgotten first). */
  forgetItems(tenant: string, source: string, itemIds: readonly string[]): void;
  /** Chunks of documents known to be absent from, or different in, the store become `planned`, their documents and items `outdated`. */
  markChunksMissing(chunkIds: readonly string[]): void;

  /** Stored text of a document's revision; the current one when no revision is named. */
  text(documentId: string, revision?: string): string | undefined;

  sources(): SourceSummary[];
  failures(limit: number): LedgerItem[];
  startRun(command: string, at: string): number;
  finishRun(runId: number, result: { at: string; success: boolean; stats: string }): void;
  lastRun(): RunRecord | undefined;
  /** Bytes of the ledger's files. */
  bytes(): number;
  /** Checks the file itself (SQLite `quick_check`); problems in words. */
  integrity(): string[];
  close(): void;
}

/** Held while an index is written; one holder at a time over all processes. */
export interface WriterLock {
  release(): void;
}
