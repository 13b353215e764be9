import type { Metadata } from '../core/metadata.js';
import type { SharedDatabase } from '../core/shared-database.js';
import type { StatementFilling, StatementReader } from '../relations/conflicts/statement-rows.js';
import type { FactReader, FactWriter } from '../relations/graph/facts.js';
import type { GraphFilling, GraphPage, GraphReader, GraphRows } from '../relations/graph/graph.js';
import type { ForgottenNames } from './forgotten-names.js';
import type { HistoryWriter, LedgerHistory, PlannedHistory } from './history.js';
import type { LockRequest, WriterLock } from './lock.js';
import type { PendingWorkReader, PendingWorkWriter } from './pending-work.js';
import type {
  LedgerFailure,
  RememberedSources,
  SourceOwners,
  SourceRoots,
  SourceState,
} from './source-state.js';
import type { EncodedText } from './text-encoding.js';

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

export interface LedgerDocument {
  readonly documentId: string;
  readonly tenant: string;
  readonly project?: string | undefined;
  readonly source: string;
  readonly sourceType: string;
  readonly itemId: string;
  readonly externalId: string;
  /** Content hash of the stored text. */
  readonly revision: string;
  readonly status: DocumentStatus;
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  readonly chunkCount: number;
  /** When its last revision was whole in the store, ISO-8601 UTC; absent before the first, and since its deletion was planned. */
  readonly indexedAt?: string;
}

/** What tells whether a document counts for somebody: no text, and no chunk but the first that the store holds for certain. */
export interface DocumentHead
  extends Pick<LedgerDocument, 'documentId' | 'source' | 'status' | 'metadata' | 'indexedAt'> {
  readonly firstChunk?: string;
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
  /** The stored text, to which chunk offsets refer; see `encodeText` and `decodeText`. */
  readonly text: string | EncodedText;
  /** In document order. */
  readonly chunks: readonly { readonly chunkId: string; readonly digest: string }[];
  /** What the graph keeps of it. Absent: it has no part in the graph until `GenerationWriter.fillGraph`. */
  readonly graph?: GraphRows | undefined;
  /** What history keeps of it, where the ledger keeps one. */
  readonly history?: PlannedHistory | undefined;
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
  /** The same of the field `unread`. */
  readonly unread?: Readonly<Record<string, number>>;
}

/** `building`: being filled, seen by no search. `live`: what searches read; at most one. `retired`: was live, can be taken back. */
export type GenerationState = 'building' | 'live' | 'retired';

/** What one filling of a store is made for. A second store beside the first one is a generation too. */
export interface GenerationTarget {
  /** Store provider that holds the chunks: `lancedb`, `libsql`, `memory`. */
  readonly provider: string;
  readonly collection: string;
  readonly dimensions: number;
  /** `fingerprintOf` the embedder. */
  readonly fingerprint: string;
  /** Name for people: `builtin`, `transformers:all-MiniLM-L6-v2`. */
  readonly embedder: string;
}

/** A generation of the index: where its chunks are, made by which model. */
export interface Generation extends GenerationTarget {
  /** Grows by one with every generation and is never used twice. */
  readonly generation: number;
  readonly state: GenerationState;
  /** ISO-8601 UTC; absent for one that an older version made. */
  readonly startedAt?: string | undefined;
  /** When it was last switched to; absent for one that never was. */
  readonly switchedAt?: string | undefined;
  /** Changes whenever the model has learnt anew how to read queries over it; absent before the first time. */
  readonly learned?: string | undefined;
  /** JSON of how it was made from another generation: by another model (`resources/upgrade-record.ts`), in another store (`features/upgrading/migration-record.ts`); absent where it was not. */
  readonly upgrade?: string | undefined;
}

/** An item of a source, by name. */
export type ItemKey = Pick<LedgerItem, 'tenant' | 'source' | 'itemId'>;

/** What is said of an item that was read completely. */
export interface CompletedItem extends ItemKey {
  readonly version: string;
  readonly processingKey: string;
}

/** Reads what a generation holds. */
export interface GenerationReader {
  readonly generation: number;
  /** Absent where no hosts share the ledger. */
  readonly pendingWork?: PendingWorkReader | undefined;
  /** All items of a source by id, or those of them that are named. */
  items(
    tenant: string,
    source: string,
    itemIds?: readonly string[] | undefined,
  ): Promise<Map<string, LedgerItem>>;
  /** Whether anything is known of a source. */
  hasItems(tenant: string, source: string): Promise<boolean>;
  /** Where the next listing of a source goes on; absent before its first complete run. */
  sourceCursor(tenant: string, source: string): Promise<string | undefined>;
  /** How the last runs over each source of a tenant went, by source; a source that was never listed is left out. */
  sourceStates(tenant: string): Promise<ReadonlyMap<string, SourceState>>;
  /** Every source of which an item is known, in name order; cheaper than `sources`. */
  sourceNames(tenant: string): Promise<string[]>;
  /** Documents of each of the items; an item without documents is left out. */
  documentsOfItems(tenant: string, source: string, itemIds: readonly string[]): Promise<LedgerDocument[]>;
  /** Number of documents of each item of a source. */
  documentCounts(tenant: string, source: string): Promise<Map<string, number>>;
  document(documentId: string): Promise<LedgerDocument | undefined>;
  /** Every document, in id order, page by page. */
  documents(after: string | undefined, limit: number): Promise<LedgerDocument[]>;
  /** Documents of a tenant by id, or by a path: their `externalId`, an end of it after a slash, or a path that ends with it after one. */
  called(tenant: string, name: string): Promise<LedgerDocument[]>;
  /** Heads of the documents of a tenant, in id order, page by page. */
  heads(tenant: string, after: string | undefined, limit: number): Promise<DocumentHead[]>;
  /** Chunks of a document in its order; stale ones among them. */
  chunks(documentId: string): Promise<LedgerChunk[]>;
  /** The same of several documents at once, by their ids; one that is unknown has none. */
  chunksOf(documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly LedgerChunk[]>>;
  /** Every chunk in chunk id order, page by page; for `verify`. */
  allChunks(after: string | undefined, limit: number): Promise<LedgerChunk[]>;
  /** What `plan` would say, without recording anything. */
  preview(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]>;
  /** Stored text of a document's revision; the current one when no revision is named. */
  text(documentId: string, revision?: string): Promise<string | undefined>;
  /** Every text that is kept of a document, older revisions too. Absent where none but the current one is. */
  texts?(documentId: string): Promise<string[]>;
  sources(): Promise<SourceSummary[]>;
  /** Which documents refer to which; rows come and go with their documents. */
  readonly graph: GraphReader;
  /** What documents say, as conflicts are found by it; rows come and go with their revisions. */
  readonly statements: StatementReader;
  /** What a language model read out of chunks. Absent in a ledger that cannot keep it. */
  readonly facts?: FactReader | undefined;
  /**
   * Ids, in order, of documents of any tenant whose metadata may have fields under `knowledgeMetadata`, as earlier versions wrote it. Absent
   * where no earlier version can have written it.
   */
  folded?(page: GraphPage): Promise<string[]>;
  /** Items whose last attempt failed, worst first. */
  failures(limit: number): Promise<LedgerItem[]>;
}

/** Writes that ledger and store do as one transaction, where both are kept in one database. */
export interface SharedTransactions {
  /** What a store recognises as its own place (`VectorCollection.enlist`). */
  readonly database: SharedDatabase;
  /** `plan`, then `write`, then `commit`: all or nothing. `write` has done its work when it returns. */
  revise(
    documents: readonly PlannedDocument[],
    at: string,
    write: (plans: readonly DocumentPlan[]) => void,
  ): Promise<void>;
  /** `planDeletion`, then `write` of the chunk ids, then `forget`: all or nothing. */
  remove(documentIds: readonly string[], write: (chunkIds: readonly string[]) => void): Promise<void>;
}

/**
 * Writes one generation on behalf of one holder (a process). Every method is one transaction that is durable when its promise
 * resolves.
 *
 * Several holders may write at once, each the items that it has claimed. A lease that ran out may be claimed by another
 * holder; from then on writes of the first one to these items are refused with `INDEX_LEASE_LOST` (its fencing token is old),
 * so work that was thought dead can never undo what came after it. Items that nobody claimed may be written by anybody.
 */
export interface GenerationWriter extends GenerationReader {
  readonly pendingWork?: PendingWorkWriter | undefined;
  readonly facts?: FactWriter | undefined;
  /** Present where a store can be kept in the ledger's own database. */
  readonly together?: SharedTransactions | undefined;
  /** Absent where no history is kept. */
  readonly history?: HistoryWriter | undefined;

  /**
   * Claims items, or claims them again for longer. Returns those that are now this holder's; the others are being written by
   * another one.
   */
  claim(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>>;
  /** Makes leases longer that are still this holder's, ended or not; says which. What another one has taken since is not claimed. */
  renew(
    tenant: string,
    source: string,
    itemIds: readonly string[],
    forMs: number,
  ): Promise<ReadonlySet<string>>;
  /**
   * Makes items known that are not, and `pending`, before they are read: a younger listing that lacks one finds out that way that
   * somebody is at it. Present where holders may list one source at once.
   */
  announce?(tenant: string, source: string, itemIds: readonly string[]): Promise<void>;
  /** Gives items back before their time; others' leases stay. */
  release(tenant: string, source: string, itemIds: readonly string[]): Promise<void>;

  /** Records that everything which a listing named was dealt with. */
  setSourceCursor(tenant: string, source: string, cursor: string): Promise<void>;
  /** Records how a run over a source goes, in place of what was recorded before. */
  setSourceState(tenant: string, source: string, state: SourceState): Promise<void>;
  /** Forgets cursor and state of a source, so that a later one of the same name is listed whole. Its items are not touched. */
  forgetSource(tenant: string, source: string): Promise<void>;
  /**
   * Records what is about to be written: documents become `pending`, new chunks `planned`, chunks that the new revisions lack
   * `stale`. Their items are made known, and `pending` too, so that a killed run never looks finished. Nothing may be written to
   * the store before. Says what the store has to do.
   */
  plan(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]>;
  /** The store has done what `plan` said: documents become `indexed`, `planned` chunks `live`, `stale` ones are forgotten. */
  commit(documentIds: readonly string[], at: string): Promise<void>;
  /** Records that items were read completely (or that nothing had to be done for them). */
  completeItems(items: readonly CompletedItem[]): Promise<void>;
  /** Records a failure of an item; what was indexed of it before stays. */
  failItem(item: ItemKey, failure: LedgerFailure): Promise<void>;
  /**
   * Marks documents for deletion: all their chunks become `stale`, the document `pending`, and no longer one that was indexed: there is
   * nothing to go back to, whatever is planned next. Returns the chunk ids.
   */
  planDeletion(documentIds: readonly string[]): Promise<string[]>;
  /** Forgets documents, their revisions and chunks, after the store has deleted the chunks. */
  forget(documentIds: readonly string[]): Promise<void>;
  /** Forgets items (their documents must be forgotten first). */
  forgetItems(tenant: string, source: string, itemIds: readonly string[]): Promise<void>;
  /** Keeps of each document of a source so many indexed texts, the newest; says how many others were deleted, or would be. */
  pruneVersions(
    tenant: string,
    source: string,
    keep: number,
    options: { readonly dryRun: boolean },
  ): Promise<number>;
  /**
   * Makes rows of the graph for a document that an older version wrote. Nothing is changed, and false returned, where it is of another
   * revision by now or has them already.
   */
  fillGraph(filling: GraphFilling): Promise<boolean>;
  /**
   * Keeps the statements of documents; says of how many. One that is of another revision by now, or has them already, is left alone.
   */
  fillStatements(fillings: readonly StatementFilling[]): Promise<number>;
  /** Leaves nothing of what was forgotten in the ledger's own files. Absent where a server keeps them. */
  purge?(): Promise<void>;
  /** Chunks of documents known to be absent from, or different in, the store become `planned`, their documents and items `outdated`. */
  markChunksMissing(chunkIds: readonly string[]): Promise<void>;
}

/** The generations of the index, and which of them is live. */
export interface Generations {
  /** What searches read; absent before the first `switchTo`. */
  live(): Promise<Generation | undefined>;
  /** All of them, newest first. */
  generations(): Promise<Generation[]>;
  /** Begins an empty generation, `building`. `collection` is told its number. */
  begin(target: (generation: number) => GenerationTarget, at: string): Promise<Generation>;
  /**
   * Makes a generation the live one and retires the one that was, in one transaction. With `from`, only where that one is live, or the
   * wanted one already: who lost the lock of the whole does not undo what others did since.
   *
   * @throws RAGError `INDEX_LEASE_LOST` where another one is live by now
   */
  switchTo(generation: number, at: string, from?: number): Promise<void>;
  /** Makes a generation the live one where none is; false, and nothing is changed, where another one is: of another host perhaps. */
  makeFirst(generation: number, at: string): Promise<boolean>;
  /** Forgets a generation and all that is known of its content, texts too. Refused for the live one. */
  drop(generation: number): Promise<void>;
  /** What the model learnt of a generation's content; `learned` of its facts names it. */
  learned(generation: number): Promise<Uint8Array | undefined>;
  /** `stamp` names the bytes; undefined forgets them. */
  setLearned(
    generation: number,
    learned: { readonly stamp: string; readonly bytes: Uint8Array } | undefined,
  ): Promise<void>;
  /** Records in its facts how a generation is made from another one. Quiet where it is gone. */
  setUpgrade(generation: number, upgrade: string): Promise<void>;
  reader(generation: number): GenerationReader;
  /** `holder` names the process and run that writes. */
  writer(generation: number, holder: string): GenerationWriter;
}

/** What was run, and how it ended. */
export interface Runs {
  startRun(command: string, at: string): Promise<number>;
  finishRun(runId: number, result: { at: string; success: boolean; stats: string }): Promise<void>;
  lastRun(): Promise<RunRecord | undefined>;
}

/**
 * What is indexed, at which revision: the source of truth. All writes are transactions; a crash at any point leaves
 * `pending` documents and `planned` or `stale` chunks that the next run finishes.
 */
export interface Ledger
  extends Generations,
    RememberedSources,
    SourceOwners,
    SourceRoots,
    Runs,
    ForgottenNames {
  /**
   * Forgets everything: generations, items, texts, runs, and not what is kept out. Other processes that have the ledger open see it
   * empty.
   */
  clear(): Promise<void>;
  /**
   * The right to write on a ledger that hosts share, kept by the server for as long as the process lives. Absent where a lock of
   * the data folder does it (`acquireWriterLock`). Throws `INDEX_LOCKED` with who holds it, or `ABORTED`.
   */
  readonly lock?: ((request: LockRequest) => Promise<WriterLock>) | undefined;
  /** What was indexed at a time. Absent in a ledger that cannot keep it. */
  readonly history?: LedgerHistory | undefined;
  /** Bytes of the ledger's files or tables; absent where they cannot be told. */
  bytes(): Promise<number | undefined>;
  /** Checks the database itself; problems in words. */
  integrity(): Promise<string[]>;
  /**
   * Another text after every transaction that may change what a search answers, of any process: plans, commits, deletions, switches, runs.
   * None comes again, in another ledger neither. Undefined where it cannot be told. Absent: nothing that was found is kept for later.
   */
  readonly revision?: (() => Promise<string | undefined>) | undefined;
  close(): Promise<void>;
}
