import type { ChunkRecord, StoredChunk } from '../core/chunk.js';
import { type Filter, matchesFilter } from '../core/filter.js';
import { runtime } from '../core/runtime.js';
import { fieldLookup, storedChunkOf } from './record-fields.js';

interface Write {
  /** What filters ask of the chunk; undefined where it was deleted. */
  readonly chunk: StoredChunk | undefined;
  /** The stamp that its document bears; undefined where there is none any more. */
  readonly stamp: string | undefined;
  /** When it was done, by the clock that is never set. */
  readonly at: number;
  isSeen: boolean;
}

export interface RecentWritesOptions {
  /** After how long at most a write is seen, in milliseconds. */
  readonly visibleWithinMs: number;
  /** The key under which the service has a chunk. */
  readonly keyOf: (chunkId: string) => string;
}

/**
 * What this process wrote so lately that the service may not show it yet, by key. A deletion must know it: what the service shows of
 * such a chunk is what it was, and perhaps it shows none.
 */
export class RecentWrites {
  readonly #byKey = new Map<string, Write>();
  readonly #options: RecentWritesOptions;

  constructor(options: RecentWritesOptions) {
    this.#options = options;
  }

  wrote(records: readonly ChunkRecord[], stamp: string): void {
    for (const record of records)
      this.#add(this.#options.keyOf(record.id), { chunk: { ...storedChunkOf(record), content: '' }, stamp });
    this.#forgetOld();
  }

  deleted(keys: Iterable<string>): void {
    for (const key of keys) this.#add(key, { chunk: undefined, stamp: undefined });
    this.#forgetOld();
  }

  /** The keys that a filter admits, given those that the service shows. */
  admitted(filter: Filter, shown: Iterable<string>): Set<string> {
    this.#forgetOld();
    const keys = new Set(shown);
    for (const [key, { chunk }] of this.#byKey)
      if (chunk !== undefined && matchesFilter(filter, fieldLookup(chunk))) keys.add(key);
      else keys.delete(key);
    return keys;
  }

  /** Whether this process deleted the chunk, which the service may show still. */
  isDeleted(chunkId: string): boolean {
    this.#forgetOld();
    const write = this.#byKey.get(this.#options.keyOf(chunkId));
    return write !== undefined && write.chunk === undefined;
  }

  /** Those that were not seen yet, with the stamp that their documents will bear. */
  unseen(): ReadonlyMap<string, string | undefined> {
    this.#forgetOld();
    return new Map([...this.#byKey].flatMap(([key, { stamp, isSeen }]) => (isSeen ? [] : [[key, stamp]])));
  }

  /** The service shows what was written under this key. */
  saw(key: string, stamp: string | undefined): void {
    const write = this.#byKey.get(key);
    if (write !== undefined && write.stamp === stamp) write.isSeen = true;
  }

  #add(key: string, write: Pick<Write, 'chunk' | 'stamp'>): void {
    // Last, so that the oldest stand first.
    this.#byKey.delete(key);
    this.#byKey.set(key, { ...write, at: runtime().elapsed(), isSeen: false });
  }

  #forgetOld(): void {
    const before = runtime().elapsed() - this.#options.visibleWithinMs;
    for (const [key, { at }] of this.#byKey) {
      if (at >= before) return;
      this.#byKey.delete(key);
    }
  }
}
