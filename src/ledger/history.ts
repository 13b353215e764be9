import { RAGError } from '../core/errors.js';
import type { Metadata } from '../core/metadata.js';
import type { AccessControl } from '../core/scope.js';

/*
 * What the index held at a time. A ledger that keeps history writes down every revision when it is committed, in the same transaction:
 * the present one too, so that a moment is read here alone, whatever the store holds by now. Times are milliseconds since 1970; a version
 * is there from `from` on and until `to`, `to` excluded (transaction time: Snodgrass and Ahn 1985, "A Taxonomy of Time in Databases").
 *
 * The record has no holes: where something was written without it (by a process whose configuration keeps no history), the whole record
 * ends (`state` is undefined), and another one begins (`begin`). A moment before that is not answered.
 */

/** Some chunks of a document, as `ledger/history/kept-chunks.ts` writes them; the ledger does not look into them. */
export interface HistoryPart {
  readonly chunks: number;
  readonly bytes: Uint8Array;
}

/** What history keeps of a revision beside what the ledger knows of it. */
export interface PlannedHistory {
  /** Who may read it. Absent: nobody knows, and nobody may. */
  readonly access: AccessControl | undefined;
  /** All of its chunks; those of a long document come later, by `HistoryWriter.addPart`. */
  readonly parts: readonly HistoryPart[];
}

/** A document as it was for a time. */
export interface HistoryVersion {
  readonly id: number;
  readonly documentId: string;
  readonly tenant: string;
  readonly project?: string | undefined;
  readonly source: string;
  readonly sourceType: string;
  readonly itemId: string;
  readonly externalId: string;
  readonly revision: string;
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  readonly generation: number;
  readonly access?: AccessControl | undefined;
  readonly from: number;
  /** Absent while it is the present one of its generation. */
  readonly to?: number | undefined;
  readonly chunks: number;
}

/** What is kept. */
export interface HistorySummary {
  /** Moments from then on are answered; absent where the record has not begun, or was broken. */
  readonly begins?: number | undefined;
  /** Versions that were there, present ones among them. */
  readonly versions: number;
  /** Those that were replaced or deleted. */
  readonly past: number;
  /** Bytes of the chunks that are kept, present ones among them. */
  readonly bytes: number;
}

/** A state of a source, a commit of a repository for instance, that the index held from then on. */
export interface HistoryMark {
  readonly source: string;
  readonly mark: string;
  /** When it was found first. */
  readonly at: number;
  /** When it was last found still to be so. */
  readonly seen: number;
}

/** The history that a ledger keeps, of all generations. */
export interface LedgerHistory {
  summary(): Promise<HistorySummary>;
  /** When the record begins; undefined where it has not, or was broken. */
  begins(): Promise<number | undefined>;
  /** Whether anything is kept. */
  isEmpty(): Promise<boolean>;
  /**
   * Begins the record where all that the live generation holds is in it; true where it is begun, or was before. What an earlier record
   * left is deleted.
   */
  begin(at: number): Promise<boolean>;
  /** The generation that searches read at a moment; undefined where nobody knows. */
  generationAt(moment: number): Promise<number | undefined>;
  /** Versions of a tenant in a generation at a moment, by id, page by page. */
  versionsAt(
    of: { readonly tenant: string; readonly generation: number; readonly moment: number },
    after: number,
    limit: number,
  ): Promise<HistoryVersion[]>;
  /** The newest version of documents: the present one of the live generation, or the last one that there was. By document id. */
  newest(documentIds: readonly string[]): Promise<ReadonlyMap<string, HistoryVersion>>;
  /** The last versions of a document in every generation, up to `limit`, newest first. */
  ofDocument(documentId: string, limit: number): Promise<HistoryVersion[]>;
  /** Every version of a tenant (of all without one), by id, page by page. */
  versions(tenant: string | undefined, after: number, limit: number): Promise<HistoryVersion[]>;
  /** Parts of versions in their order, by id. */
  parts(ids: readonly number[]): Promise<ReadonlyMap<number, readonly Uint8Array[]>>;
  /** Records which state of a source the index holds at a moment. */
  mark(tenant: string, mark: Omit<HistoryMark, 'seen'>): Promise<void>;
  /** Of a tenant, oldest first. */
  marks(tenant: string): Promise<HistoryMark[]>;
  /** Deletes all versions of documents, whatever generation; says how many there were. */
  erase(documentIds: readonly string[]): Promise<number>;
  /** Deletes versions that are not present ones; of a record that was broken, any. */
  eraseVersions(ids: readonly number[]): Promise<number>;
  /** Lets the record begin at `before` at the earliest, and deletes up to `limit` versions that ended before it; says how many. */
  prune(before: number, limit: number): Promise<number>;
  /** Deletes all of it; says how many versions there were. */
  clear(): Promise<number>;
}

/** History of the generation that is written. Present where the ledger was opened to keep it. */
export interface HistoryWriter {
  /** Adds chunks to what was planned of a document, in their order. */
  addPart(documentId: string, place: number, part: HistoryPart): Promise<void>;
  /** Documents that searches find and whose present revision the record lacks, in id order, page by page. */
  unrecorded(after: string | undefined, limit: number): Promise<string[]>;
  /** Records the present revision of a document from `at` on. False, and nothing is changed, where it is another one by now. */
  record(
    document: { readonly documentId: string; readonly indexedAt: string },
    history: PlannedHistory,
    at: number,
  ): Promise<boolean>;
}

/** What is kept of the past is not what was written. */
export const damagedHistory = (cause?: unknown): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    'The history of the index is damaged. `ragstone verify` says what is, and `ragstone verify --repair` lets it begin after that.',
    { cause },
  );
