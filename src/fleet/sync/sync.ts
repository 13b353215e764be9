import type { ScopeInput } from '../../core/scope.js';
import type { Engine, IndexProgress } from '../../operations/engine.js';
import type { SyncPlan } from '../../operations/sync-plan.js';
import type { SourceSync } from '../../operations/sync-state.js';
import type { SyncEvent } from './sync-events.js';

/** What is kept in step: an engine, or whatever reads sources as one does. */
export interface Syncable {
  index: Engine['index'];
  syncPlan(): SyncPlan;
  /** How runs over the sources went: what it says of the next attempt is kept to. */
  sourceStates?: Engine['sourceStates'] | undefined;
}

/** How sources are followed. */
export interface SyncOptions {
  /** Names of the sources to follow. @default all that state `watch`, `autoIndex` or a schedule */
  readonly sources?: readonly string[] | undefined;
  /** For whom they are read. @default tenant `default` */
  readonly scope?: ScopeInput | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  /** Of the run that is under way. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  /** What does it, for other processes: `ragstone sync --daemon`. @default 'startSync' */
  readonly command?: string | undefined;
}

/** Sources that are being followed. */
export interface Sync {
  /** How each source stands, in the order of the configuration. */
  states(): readonly SourceSync[];
  /** Gives back what is under way, and ends. What was written stays; the rest is done by the next run. */
  stop(): Promise<void>;
  /** Resolves after `stop`. Rejects where the sync cannot go on, because its folder cannot be written for example. */
  readonly ended: Promise<void>;
}
