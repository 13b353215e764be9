import { renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DATA_FOLDERS } from '../core/data-folder.js';
import { contentHash } from '../core/ids.js';
import { readLockHolder } from '../ledger/writer-lock.js';
import { makePrivateFolder, PRIVATE_FILE } from '../platform/security/private-files.js';
import { readRegularFileSync } from '../platform/security/regular-file.js';

/** Why a source is read. */
export type SyncTrigger =
  /** The sync starts: `autoIndex`, `watch`. */
  | 'start'
  | 'watch'
  | 'schedule'
  /** A turn of a schedule that came while nothing ran. */
  | 'missed'
  /** After a failure. */
  | 'retry'
  /** It cannot be watched. */
  | 'interval';

/** How a source stands in a running sync. */
export interface SourceSync {
  readonly source: string;
  /** `idle`: nothing is to be done now. `due`: it waits for its turn. `failing`: the last run failed, and the next one waits. */
  readonly state: 'idle' | 'due' | 'running' | 'failing';
  /** Its changes are seen; `interval` where it is read at intervals because the system allows no more watches. */
  readonly watch?: 'on' | 'interval' | undefined;
  /** When it is read next, unless it changes before; ISO-8601 UTC. Absent where only a change leads to it. */
  readonly nextAt?: string | undefined;
  /** ISO-8601 UTC; absent before the first run of a sync. */
  readonly lastStartedAt?: string | undefined;
  readonly lastFinishedAt?: string | undefined;
  readonly lastTrigger?: SyncTrigger | undefined;
  /** Runs in a row that failed. */
  readonly failures: number;
  /** Why the last run failed. */
  readonly problem?: string | undefined;
}

/** The same with what only the next process needs. */
export interface SourceRecord extends SourceSync {
  /** Turns of its schedules up to this moment are dealt with; milliseconds since 1970. */
  readonly considered?: number | undefined;
}

const STATE_FILE = 'state.json';

/** Folder of what a sync keeps of one tenant; its lock lies in it too. */
export const syncFolder = (dataDir: string, tenant: string): string =>
  join(dataDir, DATA_FOLDERS.sync, contentHash(tenant).slice(0, 16));

/** What the last sync wrote down, by source; empty before the first, and where it cannot be read: then nothing was missed. */
export function readSourceRecords(folder: string): ReadonlyMap<string, SourceRecord> {
  try {
    const kept: unknown = JSON.parse(readRegularFileSync(join(folder, STATE_FILE)).toString('utf8'));
    return new Map(Array.isArray(kept) ? kept.filter(isKept).map((one) => [one.source, one]) : []);
  } catch {
    return new Map();
  }
}

// Renamed into place, so that no reader sees half of it.
export function writeSourceRecords(folder: string, sources: readonly SourceRecord[]): void {
  makePrivateFolder(folder);
  const path = join(folder, STATE_FILE);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(sources, null, 1)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, path);
}

/** A process that keeps sources in step. */
export interface SyncHolder {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  /** ISO-8601 UTC. */
  readonly since: string;
}

/** Who keeps the sources of a tenant in step now; undefined where nobody does. */
export function readSyncHolder(dataDir: string, tenant: string): SyncHolder | undefined {
  const holder = readLockHolder(syncFolder(dataDir, tenant));
  return holder === undefined || (holder.host === hostname() && !isAlive(holder.pid)) ? undefined : holder;
}

/** How the sources of a tenant are followed, as the status tells it. */
export interface SyncStatus {
  /** Who follows them now; absent where nobody does. */
  readonly process?: SyncHolder | undefined;
  readonly isFollowed: boolean;
  /** Where nobody follows them: as they were left, and without a next run. */
  readonly sources: readonly SourceSync[];
}

/** Undefined where they never were followed. */
export function readSyncStatus(dataDir: string, tenant: string): SyncStatus | undefined {
  const kept = [...readSourceRecords(syncFolder(dataDir, tenant)).values()];
  const process = readSyncHolder(dataDir, tenant);
  if (kept.length === 0 && process === undefined) return undefined;
  const isFollowed = process !== undefined;
  return {
    ...(isFollowed ? { process } : {}),
    isFollowed,
    sources: kept.map(({ considered: _, ...source }) => (isFollowed ? source : leftBehind(source))),
  };
}

/** A source that nobody follows now: as it was left, without a next run. */
export const leftBehind = <Source extends SourceSync>(source: Source): Source => ({
  ...source,
  nextAt: undefined,
  watch: undefined,
  state: source.failures > 0 ? 'failing' : 'idle',
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const isKept = (value: unknown): value is SourceRecord =>
  typeof value === 'object' &&
  value !== null &&
  'source' in value &&
  typeof value.source === 'string' &&
  'failures' in value &&
  typeof value.failures === 'number';
