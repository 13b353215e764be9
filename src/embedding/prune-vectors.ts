import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { slicesOf } from '../core/slices.js';
import { NEWER, OLDER } from './disk-embedding-cache.js';
import { VectorLog } from './vector-log.js';

const FILES = [OLDER, NEWER] as const;
/** Records that are written at once. */
const BATCH = 64;

/** Whether a folder holds a cache of vectors. */
export const holdsVectors = (folder: string): boolean => FILES.some((name) => existsSync(join(folder, name)));

/** Keys of the vectors that a folder keeps. Throws the system's error. */
export function keysOfVectors(folder: string): string[] {
  return FILES.flatMap((name) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    const log = new VectorLog(path);
    try {
      return log.keys();
    } finally {
      log.close();
    }
  });
}

/**
 * Writes the files of a cache anew with the vectors of some keys alone; says how many were left out. Another process that has the cache
 * open goes on with the old files until it writes or ends; what it adds meanwhile may be lost, which costs time and nothing else. Throws the
 * system's error.
 */
export function keepVectors(folder: string, isKept: (key: string) => boolean): number {
  let removed = 0;
  for (const name of FILES) {
    const path = join(folder, name);
    const draftPath = `${path}.draft`;
    rmSync(draftPath, { force: true });
    if (!existsSync(path)) continue;
    const log = new VectorLog(path);
    const draft = new VectorLog(draftPath);
    try {
      const keys = log.keys();
      const kept = keys.filter(isKept);
      for (const some of slicesOf(kept, BATCH))
        draft.append(
          some.flatMap((key) => {
            const vector = log.read(key);
            return vector === undefined ? [] : [[key, vector] as const];
          }),
        );
      removed += keys.length - kept.length;
    } finally {
      log.close();
      draft.close();
    }
    // Always, because what stands between records, torn or replaced, goes too.
    renameSync(draftPath, path);
  }
  return removed;
}
