import type { ErrorReason } from '../../core/errors.js';
import type { IndexResult } from '../../operations/engine.js';
import type { SyncHolder, SyncTrigger } from '../../operations/sync-state.js';

interface At {
  /** ISO-8601 UTC. */
  readonly at: string;
}

/** What happens in a running sync, as it happens. */
export type SyncEvent = At &
  (
    | { readonly type: 'started'; readonly sources: readonly string[] }
    /** Another process keeps the same sources in step; this one waits until it ends. */
    | { readonly type: 'waiting'; readonly holder?: SyncHolder | undefined }
    /** All folders of the source are watched. */
    | { readonly type: 'watching'; readonly source: string; readonly folders: number }
    /** The source cannot be watched and is read at intervals; `why` says what to do. */
    | { readonly type: 'polling'; readonly source: string; readonly everyMs: number; readonly why: string }
    | { readonly type: 'run-started'; readonly source: string; readonly trigger: SyncTrigger }
    /** The source was read; documents of it may have failed, which `result` says. */
    | ({ readonly type: 'run-finished' } & FinishedRun)
    /** The source, or the index, could not be reached; it is tried again. */
    | ({ readonly type: 'run-failed' } & FailedRun)
    /** The sync cannot write down how far it is; a later one may do a run again. */
    | { readonly type: 'notice'; readonly message: string }
    | { readonly type: 'stopped' }
  );

export interface FinishedRun {
  readonly source: string;
  readonly trigger: SyncTrigger;
  readonly result: IndexResult;
  /** Absent where only a change leads to the next run. ISO-8601 UTC. */
  readonly nextAt?: string | undefined;
}

export interface FailedRun {
  readonly source: string;
  readonly trigger: SyncTrigger;
  readonly reason: ErrorReason;
  readonly message: string;
  /** In a row. */
  readonly failures: number;
  /** ISO-8601 UTC. */
  readonly nextAt: string;
}

type WithoutTime<Event> = Event extends SyncEvent ? Omit<Event, 'at'> : never;
/** An event before somebody looks at the clock. */
export type Happening = WithoutTime<SyncEvent>;
