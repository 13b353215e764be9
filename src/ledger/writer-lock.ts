import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DATA_FILES } from '../core/data-folder.js';
import { RAGError, systemErrorCode, throwIfAborted } from '../core/errors.js';
import { isoNow, runtime, sleep } from '../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../platform/security/private-files.js';
import { readRegularFileSync } from '../platform/security/regular-file.js';
import type { SqliteFaultKind } from '../platform/sqlite/sqlite-fault.js';
import type { WriterLock } from './lock.js';
import { type LockFile, tryLockFile } from './lock-file.js';
import { ledgerError } from './sqlite/ledger-errors.js';

/** Who holds a writer lock, for messages only: the lock itself is the operating system's. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  /** ISO-8601 UTC. */
  readonly since: string;
  /** It gives others a turn soon. */
  readonly isBrief?: boolean;
}

export interface WriterLockOptions {
  /** Folder of the index; made where it is missing. */
  readonly folder: string;
  /** What the holder is doing, for the message that others get: `ragstone index docs`, or in words. */
  readonly holder: { readonly command: string; readonly isBrief?: boolean | undefined };
  /** How long to wait for the present holder, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  /** Ends the waiting with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

const POLL_MS = 50;
/** A holder that gives others a turn soon is waited for this long, however little a writer would wait. */
const BRIEF_MS = 10_000;
const BRIEF_POLL_MS = 5;
/** A holder writes its name down just after it got the lock. */
const NAMING_MS = 250;

/**
 * The right to write an index, one holder at a time over all processes.
 *
 * The lock is one of the operating system (`lock-file.ts`): it ends with the process however the process ends, and no process id has to be
 * trusted. `writer.json` beside it only names the holder.
 *
 * Throws `INDEX_LOCKED` naming the holder, `INDEX_READ_ONLY`, `INDEX_DISK_FULL` or `ABORTED`.
 */
export async function acquireWriterLock(options: WriterLockOptions): Promise<WriterLock> {
  const { holder, waitMs = 0, signal } = options;
  const folder = resolve(options.folder);
  makeFolder(folder);
  const started = runtime().elapsed();
  const deadline = started + waitMs;
  for (;;) {
    throwIfAborted(signal);
    const lock = tryLockFile(join(folder, DATA_FILES.writerLock));
    if (lock !== undefined) return lockHeldBy(lock, folder, holder);
    if (runtime().elapsed() >= deadline) {
      const isBrief =
        (await findHolder(folder))?.isBrief === true && runtime().elapsed() < started + BRIEF_MS;
      if (!isBrief) throw await lockedError(folder);
      await sleep(BRIEF_POLL_MS, signal);
      continue;
    }
    await sleep(Math.min(POLL_MS, Math.max(1, deadline - runtime().elapsed())), signal);
  }
}

/** The present or the last holder of an index's writer lock, as it named itself; undefined where nobody did. */
export function readLockHolder(folder: string): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(
      readRegularFileSync(join(folder, DATA_FILES.writerHolder)).toString('utf8'),
    );
    return isLockHolder(holder) ? holder : undefined;
  } catch {
    // Missing, unreadable or half written: the name is a courtesy, the lock does not depend on it.
    return undefined;
  }
}

function lockHeldBy(
  lock: LockFile,
  folder: string,
  { command, isBrief = false }: WriterLockOptions['holder'],
): WriterLock {
  try {
    writeHolder(folder, {
      pid: process.pid,
      host: hostname(),
      command,
      since: isoNow(),
      ...(isBrief ? { isBrief } : {}),
    });
  } catch (error) {
    lock.release();
    throw ledgerError(join(folder, DATA_FILES.writerHolder), faultOf(error), error);
  }
  return {
    release: () => {
      if (!lock.isHeld) return;
      // While the lock is still held, so that the next holder's name is not the one removed.
      rmSync(join(folder, DATA_FILES.writerHolder), { force: true });
      lock.release();
    },
  };
}

// Renamed into place, so that no reader sees half of it.
function writeHolder(folder: string, holder: LockHolder): void {
  const path = join(folder, DATA_FILES.writerHolder);
  const draft = `${path}.${holder.pid}`;
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, path);
}

async function lockedError(folder: string): Promise<RAGError> {
  const holder = await findHolder(folder);
  const who =
    holder === undefined
      ? 'another process that has not yet given its name'
      : `process ${holder.pid} on ${holder.host} (${namedCommand(holder)}, since ${holder.since})`;
  return new RAGError(
    'INDEX_LOCKED',
    `The index in ${folder} is being written by ${who}. Wait until it has finished and try again, or let a command wait for it with --wait.`,
    { details: { folder, ...holder } },
  );
}

/** A command of a person as it is typed, else what a program or a service does. */
const namedCommand = ({ command }: LockHolder): string =>
  command.startsWith('ragstone ') ? `\`${command}\`` : command;

// A name left by a holder that was killed must not be taken for the present holder's.
async function findHolder(folder: string): Promise<LockHolder | undefined> {
  const deadline = runtime().elapsed() + NAMING_MS;
  for (;;) {
    const holder = readLockHolder(folder);
    if (holder !== undefined && (holder.host !== hostname() || isAlive(holder.pid))) return holder;
    if (runtime().elapsed() >= deadline) return undefined;
    await sleep(POLL_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw ledgerError(folder, faultOf(error), error);
  }
}

const faultOf = (error: unknown): SqliteFaultKind => {
  const code = systemErrorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' ? 'full' : 'cannot-open';
};

function isLockHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const holder = value as Partial<Record<keyof LockHolder, unknown>>;
  return (
    typeof holder.pid === 'number' &&
    typeof holder.host === 'string' &&
    typeof holder.command === 'string' &&
    typeof holder.since === 'string'
  );
}
