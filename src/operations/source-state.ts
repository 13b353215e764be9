import type { ErrorReason } from '../core/errors.js';
import type { Metadata } from '../core/metadata.js';
import type { UnreadCounts } from '../core/unread.js';
import type { DocumentStatus } from '../ledger/ledger.js';

/** How the runs over one source went. Times are ISO-8601 UTC. */
export interface SourceSyncState {
  readonly source: string;
  /** The configuration states it, switched off or not. */
  readonly isConfigured: boolean;
  /** When the last listing began; later than `listingFinishedAt` where that one is under way, failed, or was killed. */
  readonly listingStartedAt?: string | undefined;
  readonly listingFinishedAt?: string | undefined;
  /** When all that a listing named was last dealt with; single documents may have failed. */
  readonly lastSuccessAt?: string | undefined;
  /** Runs in a row that could not list the source, or refused what it listed. */
  readonly consecutiveFailures: number;
  /** The last of these failures; absent after a success. */
  readonly lastError?:
    | { readonly reason: ErrorReason; readonly message: string; readonly at: string }
    | undefined;
  /** Schedules leave the source alone until then. */
  readonly nextAttemptAt?: string | undefined;
  /** When everything was last listed, as against what changed. */
  readonly lastReconcileAt?: string | undefined;
  /** Where the next listing goes on, in the source's own words; absent for one that always lists everything. */
  readonly cursor?: string | undefined;
}

/**
 * Where a document stands, in the words of a table of indexing states. `id` is that of the document, which is stable, and
 * `content_hash` SHA-256.
 */
export interface IndexingState {
  /** As `IndexedDocument.id`; for an item of which nothing was ever indexed, its path or id. */
  readonly id: string;
  /** Path or id relative to the source's root. */
  readonly source_path: string;
  readonly source_type: string;
  /** Absent before the first success. */
  readonly last_indexed?: Date;
  /** Of the stored text; absent before the first success. */
  readonly content_hash?: string;
  readonly chunk_count: number;
  /** Ids of its chunks, which are those of its vectors. */
  readonly vector_ids: readonly string[];
  readonly status: DocumentStatus;
  readonly error_message?: string;
  readonly retry_count: number;
  readonly metadata: Metadata;
}

/** One page of indexing states. */
export interface IndexingStatePage {
  readonly states: readonly IndexingState[];
  /** Absent on the last page. */
  readonly cursor?: string | undefined;
}

/** What is indexed of one source. */
export interface SourceStatus {
  readonly source: string;
  readonly sourceType: string;
  readonly documents: Readonly<Record<DocumentStatus, number>>;
  readonly failedItems: number;
  readonly chunks: number;
  /** Personal data and secrets that were taken out of what is indexed, by type; absent where there were none. */
  readonly redactions?: Readonly<Record<string, number>>;
  /** What parsers met in what is indexed and did not read, by kind (`pictures`, `formulas`); absent where there is nothing. */
  readonly unread?: UnreadCounts;
  /** How the runs over it went; absent where it was never listed. */
  readonly sync?: Omit<SourceSyncState, 'source' | 'cursor'> | undefined;
}
