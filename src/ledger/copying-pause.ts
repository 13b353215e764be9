import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../core/data-folder.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';
import { PRIVATE_FILE } from '../platform/security/private-files.js';
import { type LockFile, tryLockFile } from './lock-file.js';

const POLL_MS = 5;
/** How long a writer leaves the lock to who asked for it. Much more than a poll, and little beside a batch. */
const TURN_MS = 50;

/** What a writer holds beside its lock, and lets go of where nothing is half written. */
export interface Writing {
  /** Call it between two batches. Waits while the folder is copied. */
  giveWay(): Promise<void>;
  end(): void;
}

/** Begins to write. Waits while the folder is copied. @throws RAGError `ABORTED` */
export async function beginWriting(folder: string, signal?: AbortSignal): Promise<Writing> {
  const path = join(folder, DATA_FILES.copyingLock);
  let lock = await waitForLock(path, { signal });
  return {
    giveWay: async () => {
      const wanted = join(folder, DATA_FILES.copyingWanted);
      if (!existsSync(wanted)) return;
      lock.release();
      await sleep(TURN_MS, signal);
      lock = await waitForLock(path, { signal });
      // The copier has finished or was killed; one that still waits asks again.
      rmSync(wanted, { force: true });
    },
    end: () => lock.release(),
  };
}

/**
 * Copies the folder of an index while it is not written: a run waits between two batches, searches go on.
 *
 * @throws RAGError `INDEX_LOCKED` where a writer makes no room for so long; `ABORTED`
 */
export async function whileNobodyWrites<T>(
  folder: string,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
  copy: () => Promise<T>,
): Promise<T> {
  const wanted = join(folder, DATA_FILES.copyingWanted);
  const ask = (): void => writeFileSync(wanted, '', { mode: PRIVATE_FILE });
  const lock = await waitForLock(join(folder, DATA_FILES.copyingLock), { waitMs, signal, ask }).finally(() =>
    rmSync(wanted, { force: true }),
  );
  try {
    return await copy();
  } finally {
    lock.release();
  }
}

async function waitForLock(
  path: string,
  {
    waitMs = Infinity,
    signal,
    ask = () => undefined,
  }: {
    readonly waitMs?: number;
    readonly signal?: AbortSignal | undefined;
    readonly ask?: () => void;
  },
): Promise<LockFile> {
  const deadline = runtime().elapsed() + waitMs;
  for (;;) {
    throwIfAborted(signal);
    const lock = tryLockFile(path);
    if (lock !== undefined) return lock;
    if (runtime().elapsed() >= deadline)
      throw new RAGError(
        'INDEX_LOCKED',
        'The index is being written, and its writer made no room for a copy. Wait until it has finished, or wait longer (`--wait`).',
      );
    ask();
    await sleep(POLL_MS, signal);
  }
}
