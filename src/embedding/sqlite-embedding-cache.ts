import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../core/errors.js';
import type { SqliteDatabase } from '../sqlite/sqlite-database.js';
import type { EmbeddingCache } from './embedding-cache.js';
import { CacheFault, openVectorTable, readVectors, removeVectorTable, writeVectors } from './vector-table.js';

export interface EmbeddingCacheOptions {
  /** The cache's file; its folder is made where it is missing. */
  readonly file: string;
  /** Most that the file and its journal take on disk, in megabytes of 1,000,000 bytes; at least 1. */
  readonly maxMegabytes: number;
  /** Told, in words for the user, that the cache is off or had to be emptied. @default nobody */
  readonly onProblem?: (problem: string) => void;
}

const MIN_MEGABYTES = 1;
// Small, so that the journal of one transaction stays small.
const WRITES_A_TRANSACTION = 32;

/**
 * A cache of vectors in one local SQLite file, safe for several processes. The oldest entries go first where the limit is
 * reached. Each entry carries a checksum over key and vector: a damaged one is a miss and is replaced; a file that cannot
 * be read as a database is emptied. In a read-only folder, or on a full disk, the cache is off and says so.
 */
export function openEmbeddingCache(options: EmbeddingCacheOptions): EmbeddingCache {
  return new SqliteEmbeddingCache(options);
}

class SqliteEmbeddingCache implements EmbeddingCache {
  readonly #options: EmbeddingCacheOptions;
  #database: SqliteDatabase | undefined;
  #problem: string | undefined;

  constructor(options: EmbeddingCacheOptions) {
    this.#options = options;
    try {
      mkdirSync(dirname(options.file), { recursive: true });
      // SQLite would open the file for reading alone and fail at the first write.
      accessSync(dirname(options.file), constants.W_OK);
      this.#database = openVectorTable(options.file, this.#maxBytes());
    } catch (error) {
      this.#recover(error);
    }
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  getMany(keys: readonly string[], dimensions: number): (Float32Array | undefined)[] {
    return (
      this.#attempt((database) => readVectors(database, keys, dimensions)) ??
      new Array<undefined>(keys.length).fill(undefined)
    );
  }

  setMany(entries: readonly (readonly [key: string, vector: Float32Array])[]): void {
    for (let start = 0; start < entries.length; start += WRITES_A_TRANSACTION) {
      const batch = entries.slice(start, start + WRITES_A_TRANSACTION);
      this.#attempt((database) => writeVectors(database, batch));
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #maxBytes(): number {
    return Math.max(MIN_MEGABYTES, this.#options.maxMegabytes) * 1_000_000;
  }

  #attempt<T>(work: (database: SqliteDatabase) => T): T | undefined {
    if (this.#database === undefined) return undefined;
    try {
      return work(this.#database);
    } catch (error) {
      this.#recover(error);
      return undefined;
    }
  }

  #recover(error: unknown): void {
    if (error instanceof CacheFault) {
      // Another process writes for longer than the busy timeout: these entries are missed, the next may not be.
      if (error.kind === 'busy') return;
      if (error.kind === 'damaged' && this.#replaceFile()) return;
    } else if (systemErrorCode(error) === undefined) {
      throw error;
    }
    this.#turnOff(error);
  }

  /** Starts over with an empty file. */
  #replaceFile(): boolean {
    const { file, onProblem } = this.#options;
    try {
      this.close();
      removeVectorTable(file);
      this.#database = openVectorTable(file, this.#maxBytes());
    } catch {
      return false;
    }
    onProblem?.(
      `The embedding cache ${file} was damaged and has been emptied; its vectors are computed again.`,
    );
    return true;
  }

  #turnOff(error: unknown): void {
    const { file, onProblem } = this.#options;
    const kind = error instanceof CacheFault ? error.kind : systemErrorCode(error);
    const cause =
      kind === 'full'
        ? 'there is no space for it, on disk or within its limit'
        : `it cannot be written (${kind})`;
    this.#problem = `The embedding cache ${file} is off: ${cause}. Nothing is lost but time: vectors are computed again in each run.`;
    this.close();
    onProblem?.(this.#problem);
  }
}
