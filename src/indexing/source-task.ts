import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import type { Metadata } from '../core/metadata.js';
import type { Scope } from '../core/scope.js';
import type { GenerationReader } from '../ledger/ledger.js';
import type { PendingBatch } from '../ledger/pending-work.js';
import type { RetryPolicy } from '../operations/retry-policy.js';
import type { Source } from '../sources/source.js';
import type { BlockedItems } from './blocked-items.js';
import type { IndexRun } from './index-run.js';
import type { ItemProcessing } from './item-keys.js';
import type { PreparationRecipe, Preparer } from './preparation/preparer.js';
import type { DocumentPipeline } from './prepare-document.js';
import type { WriteTargets } from './write-batch.js';

/** Bytes that an item is taken to have where its source does not say. */
export const USUAL_BYTES = 8192;

/** How long what a source holds is kept in the index (`rag.sources[].retention`). */
export interface Retention {
  /** As it is stated: `730d`. Absent: documents are kept whatever their age. */
  readonly maxAge?: string | undefined;
  /** The metadata field that says how old a document is. */
  readonly dateField: string;
  /** Texts of a document that are kept, the present one included. Absent: as many as of any source. */
  readonly versions?: number | undefined;
}

/** A source with everything that decides how its documents are processed. */
export interface ConfiguredSource extends ItemProcessing {
  readonly source: Source;
  readonly sourceType: string;
  /** Absolute path of the folder or file that it reads; ids of its documents are relative to the folder. Absent: no files. */
  readonly root?: string;
  readonly metadata: Metadata;
  /** Absent: everything is kept as long as the source holds it. */
  readonly retention?: Retention | undefined;
  readonly preparation: DocumentPipeline;
  /** The same as plain data; absent where a part was handed in as an object, so that documents stay on the main thread. */
  readonly recipe?: PreparationRecipe | undefined;
  /** What parsers that were handed in as objects read: such documents stay on the main thread too. */
  readonly ownMediaTypes?: ReadonlySet<string> | undefined;
  /** Share of its items that may be missing from a listing at once. @default DEFAULT_MAX_SHRINK */
  readonly maxShrink?: number | undefined;
  /** Milliseconds after which everything is listed, whatever its cursor says; `Infinity`: never. @default DEFAULT_RECONCILE_MS */
  readonly reconcileMs?: number | undefined;
}

export interface IndexSourceOptions {
  readonly scope: Scope;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Chunks in one store batch. */
  readonly batchSize: number;
  /** See `WriteTargets.transactionChunks`. */
  readonly transactionChunks?: number | undefined;
  /** Items read at once. */
  readonly parallel: number;
  /** @default DEFAULT_RETRY_POLICY */
  readonly retry?: RetryPolicy | undefined;
  /** Failed items that are tried now, by source. */
  readonly retried?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Sources that may lose any share of their items; `true`: all of them. @default false */
  readonly allowShrink?: boolean | readonly string[] | undefined;
  /** Leave out sources that failed and whose next attempt is not due. @default false */
  readonly heedBackoff?: boolean | undefined;
  /** Leave out sources that another process has listed since then, ISO-8601 UTC. */
  readonly unlessListedSince?: string | undefined;
}

/** Where the documents of a run are prepared, by how many bytes there are to read. */
export type ChoosePreparer = (bytes: number) => Preparer;

/** Told of batches that are written down as pending: workers are to do them. A problem is told in words, and nothing is lost by it. */
export type HandOver = (batches: readonly PendingBatch[], notice: (problem: string) => void) => Promise<void>;

/** One source in one run: what is read, where it goes, how, and what is counted. */
export interface SourceTask {
  readonly configured: ConfiguredSource;
  readonly targets: WriteTargets;
  readonly options: IndexSourceOptions;
  readonly run: IndexRun;
  /** While a new generation is filled: the one that is searched meanwhile. */
  readonly live?: GenerationReader | undefined;
  readonly preparerFor: ChoosePreparer;
  /** What was forgotten on purpose. @default nothing */
  readonly blocked?: BlockedItems | undefined;
  /** Its documents are handed in by a program, which is told of each that is left out. @default false */
  readonly isPush?: boolean | undefined;
  /** Leaves to workers what is listed. Absent: the run does it. */
  readonly handOver?: HandOver | undefined;
  /** Writes contexts of chunks; absent where it is off. */
  readonly contextualiser?: ChunkContextualiser | undefined;
}
