import type { StatementFilling, StatementReader } from '../conflicts/statement-rows.js';
import type { ErrorReason } from '../core/errors.js';
import type { Metadata } from '../core/metadata.js';
import type { SharedDatabase } from '../core/shared-database.js';
import type { FactReader, FactWriter } from '../graph/facts.js';
import type { GraphPage, GraphReader, GraphRows } from '../graph/graph.js';
import type { HistoryWriter, LedgerHistory, PlannedHistory } from './history.js';
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

export interface LedgerFailure {
  readonly reason: ErrorReason;
  readonly message: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** `SourceItem.version` that failed, where it was known. */
  readonly version?: string;
  /** `LedgerItem.processingKey` of the attempt; absent where an older version recorded it, or the version is unknown. */
  readonly processingKey?: string;
  /** The same version is not tried again before, ISO-8601 UTC. Absent: at the next run, or never where the attempts are used up. */
  readonly nextAttemptAt?: string;
}

/** How the last runs over a source went, by the generation that they wrote. Times are ISO-8601 UTC. */
export interface SourceState {
  /** When the last listing began; later than `listingFinishedAt` where that one is under way, failed, or was killed. */
  readonly listingStartedAt?: string;
  readonly listingFinishedAt?: string;
  /** When everything that a listing named was last dealt with; single documents may have failed. */
  readonly succeededAt?: string;
  /** Runs in a row that could not list the source, or refused what it listed. */
  readonly failures: number;
  /** The last of these failures; absent after a success. */
  readonly error?: Pick<LedgerFailure, 'reason' | 'message' | 'at'>;
  /** Schedules leave a failing source alone until then. */
  readonly nextAttemptAt?: string;
  /** When everything was last listed, without a cursor. */
  readonly reconciledAt?: string;
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

/** Rows of the graph for a document that has none yet. */
export interface GraphFilling {
  readonly documentId: string;
  /** Of which they were made. */
  readonly revision: string;
  readonly graph: GraphRows;
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
export interface IndexFacts extends GenerationTarget {
  /** Grows by one with every generation and is never used twice. */
  readonly generation: number;
  readonly state: GenerationState;
  /** ISO-8601 UTC; absent for one that an older version made. */
  readonly startedAt?: string | undefined;
  /** When it was last switched to; absent for one that never was. */
  readonly switchedAt?: string | undefined;
  /** Changes whenever the model has learnt anew how to read queries over it; absent before the first time. */
  readonly learned?: string | undefined;
  /** JSON of how it was made from another generation: by another model (`upgrading/upgrade-record.ts`), in another store (`migration/migration-record.ts`); absent where it was not. */
  readonly upgrade?: string | undefined;
}

/** An item of a source, by name. */
export type ItemKey = Pick<LedgerItem, 'tenant' | 'source' | 'itemId'>;

/** What is said of an item that was read completely. */
export interface CompletedItem extends ItemKey {
  readonly version: string;
  readonly processingKey: string;
}

/** An item that a listing named, and that nobody has dealt with since. */
export interface OwedItem {
  readonly itemId: string;
  /** `SourceItem.version` that is to be read. Absent: it is gone from its source, and from the index it is to go. */
  readonly version?: string | undefined;
  /** Where its source said so. */
  readonly bytes?: number | undefined;
  /** `LedgerItem.processingKey` of who listed it. */
  readonly processingKey: string;
  /** Items of one batch are done together. */
  readonly batch: string;
  /** ISO-8601 UTC. */
  readonly listedAt: string;
  /** How often somebody began it and came to no end: was killed over it, perhaps by it. */
  readonly begun: number;
}

/** Items that are done together. It is the same batch as long as its name is. */
export interface OwedBatch {
  readonly tenant: string;
  /** Absent: the documents are of no project. */
  readonly project?: string | undefined;
  readonly source: string;
  readonly batch: string;
}

/** How much is owed of a source, for one project of a tenant. */
export interface OwedCount {
  readonly tenant: string;
  /** Absent: for none. */
  readonly project?: string | undefined;
  readonly source: string;
  readonly items: number;
  /** Those of them that somebody holds now. */
  readonly held: number;
  readonly batches: number;
  /** When the oldest of them was listed, ISO-8601 UTC. */
  readonly since: string;
}

/** What is listed and not done: the truth of which a queue is a copy. */
export interface OwedReader {
  /** All that is owed of a source, or of a batch of it, or the items that are named. */
  items(
    tenant: string,
    source: string,
    which?: { readonly batch?: string | undefined; readonly itemIds?: readonly string[] | undefined },
  ): Promise<OwedItem[]>;
  /** Batches with anything left, of all sources or one, those that were listed first before others. */
  batches(
    limit: number,
    of?: { readonly tenant: string; readonly source: string } | undefined,
  ): Promise<OwedBatch[]>;
  /** How many batches there are with anything left. */
  batchCount(): Promise<number>;
  /** In tenant, source and project order; a source of which nothing is owed is left out. */
  counts(): Promise<OwedCount[]>;
}

/**
 * Writes what is owed. `completeItems`, `failItem` and `forgetItems` settle what they deal with, in their own transaction: of an
 * item that was listed in another version since, that one is owed still.
 */
export interface OwedWriter extends OwedReader {
  /**
   * Owes items, in place of what was owed of them. The caller holds `LISTING` of the source, so that no older listing overwrites
   * a younger one; throws `INDEX_LEASE_LOST` where it does not any more.
   */
  owe(of: Omit<OwedBatch, 'batch'>, items: readonly Omit<OwedItem, 'begun'>[]): Promise<void>;
  /** Nothing is left to do for items in these versions. */
  settle(
    tenant: string,
    source: string,
    items: readonly Pick<OwedItem, 'itemId' | 'version'>[],
  ): Promise<void>;
  /** Counts a beginning (`by` 1), or takes it back (-1). */
  begin(tenant: string, source: string, itemIds: readonly string[], by: 1 | -1): Promise<void>;
}

/** What is claimed, as if it were an item, by who lists a source: no item has such a name. */
export const LISTING = '//listing';

/** Reads what a generation holds. */
export interface GenerationReader {
  readonly generation: number;
  /** Absent where no hosts share the ledger. */
  readonly owed?: OwedReader | undefined;
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
  readonly owed?: OwedWriter | undefined;
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
  live(): Promise<IndexFacts | undefined>;
  /** All of them, newest first. */
  generations(): Promise<IndexFacts[]>;
  /** Begins an empty generation, `building`. `collection` is told its number. */
  begin(target: (generation: number) => GenerationTarget, at: string): Promise<IndexFacts>;
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

/** Sources that a call named and no configuration states, known from the moment their first run began. */
export interface RememberedSources {
  rememberedSources(tenant: string): Promise<string[]>;
  /** Makes sources known before anything of them is read, so that a killed run can continue. */
  rememberSources(tenant: string, sources: readonly string[]): Promise<void>;
  /** Takes `rememberSources` back, and forgets where the sources lay; documents stay. */
  forgetSources(tenant: string, sources: readonly string[]): Promise<void>;
}

/**
 * Which configurations index a source. Several may share one ledger, so what one of them does not state may be another's: it is
 * given up only when nobody states it.
 */
export interface SourceOwners {
  /** Owners by source; a source without any is left out. */
  sourceOwners(tenant: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Records what an owner indexes from now on, in place of what was recorded of it. */
  ownSources(tenant: string, owner: string, sources: readonly string[]): Promise<void>;
}

/**
 * Where the configured sources of files lay when they were last indexed, so that their files are known again once nobody
 * configures them. Absent where several machines share the ledger: a path is another folder on each.
 */
export interface SourceRoots {
  /** By source. */
  sourceRoots?(tenant: string): Promise<ReadonlyMap<string, string>>;
  recordSourceRoots?(tenant: string, roots: ReadonlyMap<string, string>): Promise<void>;
}

/** What was run, and how it ended. */
export interface Runs {
  startRun(command: string, at: string): Promise<number>;
  finishRun(runId: number, result: { at: string; success: boolean; stats: string }): Promise<void>;
  lastRun(): Promise<RunRecord | undefined>;
}

/** Names that are kept out, as hashes by a key, so that whoever reads the ledger is not told them. See `keptOutHash`. */
export interface KeptOutNames {
  /** Of the hashes, in hexadecimal. */
  readonly key: string;
  readonly hashes: ReadonlySet<string>;
}

/** What was forgotten on purpose. A source may still hold it: it is not indexed again until it is let in. */
export interface ForgottenNames {
  /** What is kept out of a tenant, by key: several where what two indexes keep out was joined, none where nothing is. */
  keptOut(tenant: string): Promise<readonly KeptOutNames[]>;
  /** Keeps names out from now on; `key` is one of `keptOut` where there is any. `receipt` says by which forgetting. */
  keepOut(
    tenant: string,
    names: { readonly key: string; readonly hashes: Iterable<string>; readonly receipt: string },
  ): Promise<void>;
  /**
   * Lets in again what a receipt kept out; says how many names. The next listing of every source is a whole one, so that it names them.
   */
  letIn(tenant: string, receipt: string): Promise<number>;
  /** Changes what is kept of ended runs: their statistics, as JSON, name documents. Says how many were changed. */
  editRuns(edit: (stats: string) => string): Promise<number>;
  /** Gives up the room of what was deleted, and the bytes in it. Absent where `GenerationWriter.purge` leaves nothing. */
  reclaim?(): Promise<void>;
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

/**
 * What a lock is for. `items`: any number of holders at a time, each of which claims the items that it writes. `whole`: one
 * holder, and none of `items` beside it. `learning`, `upgrading`, `extracting`: one holder, apart from the others.
 */
export type LockSubject = 'items' | 'whole' | 'learning' | 'upgrading' | 'extracting';

export interface LockRequest {
  readonly subject: LockSubject;
  /** What the holder is doing, for the message that others get: `ragstone index`. */
  readonly command: string;
  /** How long to wait for the present holder, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  /** Lets those go first who wait for the whole: for who asks again and again. Only with `items`. @default false */
  readonly givesWay?: boolean | undefined;
  /** The holder gives others a turn soon and again and again: they wait for it, however little they would wait. @default false */
  readonly isBrief?: boolean | undefined;
  /** Ends the waiting with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Held while an index is written. */
export interface WriterLock {
  /** Fires where the lock was lost before it was released: nothing may be written any more. Absent where that cannot be. */
  readonly lost?: AbortSignal | undefined;
  /** Others may hold it too: what is written has to be claimed. @default false */
  readonly isShared?: boolean | undefined;
  /** Where nothing is half written: lets others go first who want the whole for a moment. Absent where nobody asks for that. */
  readonly giveWay?: (() => Promise<void>) | undefined;
  release(): void | Promise<void>;
}
