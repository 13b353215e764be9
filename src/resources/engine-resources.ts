import { join } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { DATA_FILES } from '../core/data-folder.js';
import { DegradationLevel } from '../core/degradation.js';
import { OpenedOnce } from '../core/shared-load.js';
import type { WorkQueue } from '../ledger/queue/work-queue.js';
import { Breakers } from '../platform/degradation/breakers.js';
import { Planner } from '../retrieval/planning/planner.js';
import { ProfileFile } from '../retrieval/planning/search-profile.js';
import { ActiveQueries } from './active-queries.js';
import { openQueueFor } from './assembly/open-queue.js';
import type { RemoteIndex } from './found-passages.js';
import { LedgerHandle } from './handles/ledger-handle.js';
import { ModelHandle } from './handles/model-handle.js';
import { ResultsHandle } from './handles/results-handle.js';
import { StoreHandle } from './handles/store-handle.js';
import type { SearchProcesses } from './processes/search-processes.js';
import { RolloutFile, RolloutMemory, type RolloutTotals } from './rollout/rollout-totals.js';

/** Searching in other processes. */
export interface RemoteSearch {
  /** Closed with the resources. */
  readonly processes?: SearchProcesses | undefined;
  /** @default the index of the configuration in `processes` */
  readonly remote?: RemoteIndex | undefined;
}

/** What an engine opens on first use and closes at the end. */
export class EngineResources {
  readonly config: ResolvedConfig;
  readonly ledger: LedgerHandle;
  readonly stores: StoreHandle;
  readonly models: ModelHandle;
  readonly results: ResultsHandle;
  /** What hands work to workers. */
  readonly queue: OpenedOnce<WorkQueue>;
  /** The index as other processes search it; absent where this one does. */
  readonly remote: RemoteIndex | undefined;
  readonly processes: SearchProcesses | undefined;
  /** Questions that are being answered with these resources. */
  readonly activeQueries = new ActiveQueries();
  /** Nothing is kept beyond the life of the engine. */
  readonly isForgetful: boolean;
  /** Counts of items that are rolled out. */
  readonly rolloutTotals: RolloutTotals;
  /** What searches can do without for a while. */
  readonly breakers: Breakers;
  /** What searches with a deadline do. */
  readonly planner: Planner;

  constructor(config: ResolvedConfig, { processes, remote = processes?.index(config) }: RemoteSearch = {}) {
    this.config = config;
    this.processes = processes;
    this.remote = remote;
    const { dataDir, rag } = config;
    const { failures, retryAfterMs, slowStoreMs } = rag.degradation;
    this.breakers = new Breakers({
      failures,
      retryAfterMs,
      slowStoreMs,
      limitMs: rag.retrieval.laneDeadlineMs,
    });
    // A store that forgets needs a ledger that forgets.
    const store = config.own?.store;
    this.isForgetful =
      store === undefined
        ? rag.provider === 'memory' || !rag.storage.local.persist
        : !store.capabilities.persistent;
    this.rolloutTotals = this.isForgetful
      ? new RolloutMemory()
      : new RolloutFile(join(dataDir, DATA_FILES.rolloutTotals));
    this.planner = new Planner(new ProfileFile(join(dataDir, DATA_FILES.searchProfile)));
    this.ledger = new LedgerHandle(config, { forgets: this.isForgetful }, () => this.stores.letGo());
    this.stores = new StoreHandle(config, this.ledger);
    this.models = new ModelHandle(config, this.ledger);
    this.results = new ResultsHandle(config, this.ledger, {
      isForgetful: this.isForgetful,
      isDegraded: () => this.breakers.level >= DegradationLevel.CACHED_ONLY,
    });
    this.queue = new OpenedOnce(() => openQueueFor(config));
  }

  /** Removes the ledger's file and closes the stores, which may be in it. Hold the writer lock. */
  async discardLedger(): Promise<void> {
    await this.stores.close();
    await this.ledger.discard();
  }

  async close(): Promise<void> {
    this.remote?.close();
    await this.processes?.close();
    await (await this.queue.opened())?.close();
    await this.results.close();
    await this.stores.close();
    await this.ledger.close();
    await this.models.close();
  }
}
