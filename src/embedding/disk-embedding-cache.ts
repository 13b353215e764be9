import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { makePrivateFolder } from '../platform/security/private-files.js';
import type { EmbeddingCache } from './embedding-cache.js';
import { recordBytes, type VectorEntry, VectorLog } from './vector-log.js';

export interface EmbeddingCacheOptions {
  /** Folder of the cache's own; made where it is missing. */
  readonly folder: string;
  /** Most that the cache takes on disk, in megabytes of 1,000,000 bytes; at least 1. */
  readonly maxMegabytes: number;
  /** Told once, in words for the user, that the cache is off. @default nobody */
  readonly onProblem?: (problem: string) => void;
}

export const NEWER = 'newer.vectors';
export const OLDER = 'older.vectors';
// One write of this size at most, so that processes which write at once overshoot the limit by less than is kept free.
const WRITE_BYTES = 64 * 1024;
const FREE_SHARE = 0.1;

/** One whose answers are there at once. */
export interface LocalEmbeddingCache extends EmbeddingCache {
  getMany(keys: readonly string[], dimensions: number): (Float32Array | undefined)[];
  setMany(entries: readonly VectorEntry[]): void;
}

/**
 * A cache of vectors in two files. Vectors are appended to the newer; when it has half of the limit, it takes the place
 * of the older, whose vectors are gone. Each record is checked when it is read: a damaged or torn one is a miss and is
 * written again. Safe for several processes, each of which sees the others' vectors, of files that were replaced meanwhile from its next start on.
 *
 * The first look-up reads both files through, a few milliseconds a megabyte. Where the folder cannot be written, the cache is off.
 */
export function openEmbeddingCache(options: EmbeddingCacheOptions): LocalEmbeddingCache {
  return new DiskEmbeddingCache(options);
}

class DiskEmbeddingCache implements LocalEmbeddingCache {
  readonly #options: EmbeddingCacheOptions;
  readonly #maxFileBytes: number;
  /** Newest last; files that were replaced stay readable through their descriptors. */
  #logs: VectorLog[] = [];
  #problem: string | undefined;

  constructor(options: EmbeddingCacheOptions) {
    this.#options = options;
    this.#maxFileBytes = (Math.max(1, options.maxMegabytes) * 1_000_000 * (1 - FREE_SHARE)) / 2;
    this.#attempt(() => {
      makePrivateFolder(options.folder);
      // Left over from a time with a larger limit.
      for (const name of [OLDER, NEWER])
        if (this.#bytesOf(name) > this.#maxFileBytes) rmSync(this.#path(name));
      this.#logs = [OLDER, NEWER].map((name) => new VectorLog(this.#path(name)));
    });
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  getMany(keys: readonly string[], dimensions: number): (Float32Array | undefined)[] {
    return keys.map((key) => {
      const vector = this.#attempt(() => this.#read(key));
      return vector?.length === dimensions ? vector : undefined;
    });
  }

  setMany(entries: readonly VectorEntry[]): void {
    this.#attempt(() => {
      for (const batch of batchesOf(entries)) this.#append(batch);
    });
  }

  close(): void {
    for (const log of this.#logs) log.close();
    this.#logs = [];
  }

  #read(key: string): Float32Array | undefined {
    for (const log of this.#logs.toReversed()) {
      const vector = log.read(key);
      if (vector !== undefined) return vector;
    }
    return undefined;
  }

  #append(entries: readonly VectorEntry[]): void {
    const bytes = entries.reduce((sum, [, vector]) => sum + recordBytes(vector), 0);
    if (bytes > this.#maxFileBytes) {
      throw new RAGError('INDEX_DISK_FULL', 'A single vector is larger than the cache may be.');
    }
    let newer = this.#newerLog();
    if (newer.bytes + bytes > this.#maxFileBytes) {
      renameSync(this.#path(NEWER), this.#path(OLDER));
      newer = this.#newerLog();
    }
    newer.append(entries);
  }

  /** The log that stands under the name now: another process may have put a new one there. */
  #newerLog(): VectorLog {
    const current = this.#logs.at(-1);
    if (current !== undefined && current.inode === this.#inodeOf(NEWER)) return current;
    const log = new VectorLog(this.#path(NEWER));
    this.#logs.push(log);
    // The older of the two that are left is still on disk; what came before is not, and is let go.
    for (const gone of this.#logs.splice(0, this.#logs.length - 2)) gone.close();
    return log;
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }

  #bytesOf(name: string): number {
    return statSync(this.#path(name), { throwIfNoEntry: false })?.size ?? 0;
  }

  #inodeOf(name: string): number | undefined {
    return statSync(this.#path(name), { throwIfNoEntry: false })?.ino;
  }

  #attempt<T>(work: () => T): T | undefined {
    if (this.#problem !== undefined) return undefined;
    try {
      return work();
    } catch (error) {
      this.#turnOff(error);
      return undefined;
    }
  }

  #turnOff(error: unknown): void {
    const { folder, onProblem } = this.#options;
    const code = RAGError.isInstance(error) ? error.reason : systemErrorCode(error);
    if (code === undefined) throw error;
    const cause = /ENOSPC|EDQUOT|EFBIG|DISK_FULL/.test(code)
      ? 'there is no space for it, on disk or within its limit'
      : `its files cannot be read and written (${code})`;
    this.#problem = `The embedding cache ${folder} is off: ${cause}. Nothing is lost but time: vectors are computed again in each run.`;
    this.close();
    onProblem?.(this.#problem);
  }
}

/** Cuts entries into writes of at most `WRITE_BYTES`, or of one entry. */
function* batchesOf(entries: readonly VectorEntry[]): Generator<VectorEntry[]> {
  let batch: VectorEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = recordBytes(entry[1]);
    if (batch.length > 0 && bytes + size > WRITE_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
