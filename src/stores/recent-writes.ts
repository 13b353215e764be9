import type { ChunkRecord, StoredChunk } from '../core/chunk.js';
import { type Filter, matchesFilter } from '../core/filter.js';
import { runtime, sleep } from '../core/runtime.js';
import { slicesOf } from './batches.js';
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
  /** Longest pause while what was written is waited for, in milliseconds. */
  readonly longestPauseMs: number;
}

/** The stamps of the documents that a service shows, by key. */
export type Stamps = ReadonlyMap<string, string | undefined>;

/** The first pause while what was written is waited for. */
const FIRST_PAUSE_MS = 50;

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

  /** Sends records as documents that bear one stamp. */
  async write<Document>(
    records: readonly ChunkRecord[],
    documentOf: (record: ChunkRecord, stamp: string) => Document,
    send: (documents: readonly Document[]) => Promise<void>,
  ): Promise<void> {
    const stamp = runtime().uniqueName();
    // All of them first, so that one that does not fit refuses its whole batch.
    const documents = records.map((record) => documentOf(record, stamp));
    // Before the answer, which may be lost where the write is not.
    this.#wrote(records, stamp);
    await send(documents);
    this.#wrote(records, stamp);
  }

  /** Deletes what a filter admits, given the keys that the service shows; returns how many. */
  async delete(
    filter: Filter,
    shown: Iterable<string>,
    send: (keys: readonly string[]) => Promise<void>,
  ): Promise<number> {
    const admitted = this.#admitted(filter, shown);
    // Ids that are named go whatever is shown: another process may have written them a moment ago.
    const keys = [...new Set([...admitted, ...(idsNamedBy(filter) ?? []).map(this.#options.keyOf)])];
    if (keys.length === 0) return 0;
    await send(keys);
    for (const key of keys) this.#add(key, { chunk: undefined, stamp: undefined });
    this.#forgetOld();
    return admitted.size;
  }

  /** Returns when the service shows what this process wrote, or when the time is over after which that is promised. */
  async settle(
    look: (keys: readonly string[]) => Promise<Stamps>,
    { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const { visibleWithinMs, longestPauseMs } = this.#options;
    const until = runtime().elapsed() + visibleWithinMs;
    for (
      let pauseMs = FIRST_PAUSE_MS;
      runtime().elapsed() < until;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    ) {
      for (const keys of slicesOf(this.#unseen(), atOnce)) this.#saw(keys, await look(keys));
      if (this.#unseen().length === 0) return;
      await sleep(pauseMs, signal);
    }
  }

  /** Whether this process deleted the chunk, which the service may show still. */
  isDeleted(chunkId: string): boolean {
    this.#forgetOld();
    const write = this.#byKey.get(this.#options.keyOf(chunkId));
    return write !== undefined && write.chunk === undefined;
  }

  #wrote(records: readonly ChunkRecord[], stamp: string): void {
    for (const record of records)
      this.#add(this.#options.keyOf(record.id), { chunk: { ...storedChunkOf(record), content: '' }, stamp });
    this.#forgetOld();
  }

  /** The keys that a filter admits, given those that the service shows. */
  #admitted(filter: Filter, shown: Iterable<string>): Set<string> {
    this.#forgetOld();
    const keys = new Set(shown);
    for (const [key, { chunk }] of this.#byKey)
      if (chunk !== undefined && matchesFilter(filter, fieldLookup(chunk))) keys.add(key);
      else keys.delete(key);
    return keys;
  }

  /** The keys of writes that were not seen yet. */
  #unseen(): string[] {
    this.#forgetOld();
    return [...this.#byKey].flatMap(([key, { isSeen }]) => (isSeen ? [] : [key]));
  }

  #saw(keys: readonly string[], shown: Stamps): void {
    for (const key of keys) {
      const write = this.#byKey.get(key);
      if (write !== undefined && write.stamp === shown.get(key)) write.isSeen = true;
    }
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

/** The ids of a filter that is about ids alone. */
export function idsNamedBy(filter: Filter): string[] | undefined {
  if (!('field' in filter) || filter.field !== '$chunkId') return undefined;
  if (filter.op !== 'eq' && filter.op !== 'in') return undefined;
  const values = filter.op === 'eq' ? [filter.value] : filter.values;
  return values.filter((value) => typeof value === 'string');
}
