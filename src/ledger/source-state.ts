import type { ErrorReason } from '../core/errors.js';

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
  /** By source; of a link that a call named (`link:PATH`), the source that it led to. */
  sourceRoots?(tenant: string): Promise<ReadonlyMap<string, string>>;
  recordSourceRoots?(tenant: string, roots: ReadonlyMap<string, string>): Promise<void>;
}
