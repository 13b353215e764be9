import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import type { EmbedAllOptions } from '../embedding/embed-all.js';
import type { Embedder } from '../embedding/embedder.js';
import type { Generation, Ledger } from '../ledger/ledger.js';
import type { IndexProgress } from '../operations/engine.js';
import type { MetadataSealing } from '../platform/security/sealed-metadata.js';
import type { WriteTarget } from '../resources/open-collection.js';
import type { VectorStore } from '../stores/vector-store.js';
import type { AbandonedSource } from './abandoned-sources.js';
import type { ChoosePreparer, ConfiguredSource, HandOver, IndexSourceOptions } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

export interface IndexPipeline {
  readonly ledger: Ledger;
  readonly store: VectorStore;
  /** Stores of other generations. */
  readonly storeOf: (facts: Generation) => Promise<VectorStore>;
  readonly embedder: Embedder;
  readonly embedding: Omit<EmbedAllOptions, 'signal'>;
  /** What this run brings in step. */
  readonly sources: readonly ConfiguredSource[];
  /** Names of sources whose documents are deleted. */
  readonly givenUp?: ReadonlySet<string> | undefined;
  /** Names of the sources that the configuration states, as against paths named in a call. */
  readonly configuredNames: ReadonlySet<string>;
  readonly options: IndexSourceOptions & { readonly rebuild?: Rebuild | undefined };
  readonly command: string;
  /** See `WriteIntent.upgrade`. */
  readonly upgrade?: string | undefined;
  /** Writes contexts of chunks; absent where it is off. */
  readonly contextualiser?: ChunkContextualiser | undefined;
  /** Sources that nobody configures or finds any more; their files may be those of another one now. */
  readonly abandonedSources?: readonly AbandonedSource[] | undefined;
  /** Of the damaged ledger that was discarded for this run: its collection is dropped. */
  readonly abandoned?: Generation | undefined;
  /** Where documents are prepared. @default threads where there is much to prepare, else this thread */
  readonly preparerFor?: ChoosePreparer | undefined;
  /** Lets the model learn from what a generation now holds; told how many chunks a push has changed, where it is one. */
  readonly learn: (target: WriteTarget, pushedChunks: number | undefined) => Promise<void>;
  /** Leaves to workers what is listed. Absent: the run does it. */
  readonly handOver?: HandOver | undefined;
  /** Documents that programs hand in: no source is listed, so nothing is said of the rest of the index. @default false */
  readonly isPush?: boolean | undefined;
  /** What documents say is kept, for conflicts between them. @default false */
  readonly isExamined?: boolean | undefined;
  /** How documents of earlier versions are brought in step. Absent: they stay as they are. */
  readonly sealing?: MetadataSealing | undefined;
  /** `rag.history.keep`. */
  readonly history?: string | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => string;
  /** The run claims what it writes, for so long at a time. Absent: the ledger is of one process at a time. */
  readonly leaseMs?: number | undefined;
  /** Other processes write too. Otherwise the caller holds the whole index. @default false */
  readonly isShared?: boolean | undefined;
  /** See `WriterLock.giveWay`. */
  readonly giveWay?: WriteTargets['giveWay'];
}

/**
 * `never`: the live generation is written. `covering`: a new one, where the run reads every source that has documents.
 * `always`: a new one, and what the run does not read is copied. `damaged`: as `always`, but there is nothing to copy from.
 */
export type Rebuild = 'never' | 'covering' | 'always' | 'damaged';
