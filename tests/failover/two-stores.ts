import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { EVERYTHING, eq } from '../../src/core/filter.js';
import {
  VectorStoreManager,
  type VectorStoreManagerOptions,
} from '../../src/stores/failover/store-manager.js';
import { listAll } from '../../src/stores/list-pages.js';
import type { CollectionSpec, VectorCollection } from '../../src/stores/vector-store.js';
import { record } from '../../src/testing/vector-store/records.js';
import { FaultyStore } from './faulty-store.js';
import { SyncedDisk } from './synced-disk.js';

export const SPEC: CollectionSpec = { name: 'chunks', dimensions: 8, fingerprint: 'model' };
/** No time passes: a store is tried again at once, and looked at when a test says so. */
const BY_HAND = { failures: 1_000, retryAfterMs: 3_600_000 };

/** Two stores that may fail, the disk of their journal, and processes that have a manager of them. */
export class TwoStores {
  readonly folder = mkdtempSync(join(tmpdir(), 'ragstone-two-stores-'));
  readonly a = new FaultyStore('a');
  readonly b = new FaultyStore('b');
  disk = new SyncedDisk();
  readonly #managers: VectorStoreManager[] = [];

  /** Another disk in its place: an empty one, or a backup. */
  newDisk(disk = new SyncedDisk()): SyncedDisk {
    this.disk = disk;
    return disk;
  }

  /** A process with a manager of its own. */
  start(options: Partial<VectorStoreManagerOptions> = {}): VectorStoreManager {
    const manager = new VectorStoreManager({
      stores: { a: this.a.handle(), b: this.b.handle() },
      folder: join(this.folder, 'failover'),
      files: this.disk.files,
      ...BY_HAND,
      ...options,
    });
    this.#managers.push(manager);
    return manager;
  }

  /** One that has begun an index. */
  async begin(options: Partial<VectorStoreManagerOptions> = {}) {
    const manager = this.start(options);
    await manager.adopt([]);
    return { manager, chunks: await manager.store.open(SPEC) };
  }

  /** Both hold exactly this, and say so. */
  async expectBoth(manager: VectorStoreManager, contents: Record<string, string>): Promise<void> {
    expect(await manager.catchUp()).toBe(true);
    expect(await held(this.a)).toEqual(contents);
    expect(await held(this.b)).toEqual(contents);
    const { stores } = await manager.status();
    expect(stores.map(({ state, lag }) => [state, lag])).toEqual([
      ['ready', 0],
      ['ready', 0],
    ]);
  }

  async close(): Promise<void> {
    for (const store of [this.a, this.b]) [store.isOut, store.onRequest] = [false, () => undefined];
    this.disk.onOperation = () => undefined;
    for (const manager of this.#managers) await manager.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const put = (chunks: VectorCollection, id: string, content = id): Promise<void> =>
  chunks.upsert([record(id, { content })]);
export const remove = (chunks: VectorCollection, id: string): Promise<number> =>
  chunks.delete(eq('$chunkId', id));

/** What is read of both stores as one, by id. */
export async function shown(chunks: VectorCollection): Promise<Record<string, string>> {
  const all = await listAll(chunks, { filter: EVERYTHING });
  return Object.fromEntries(all.map(({ id, content }) => [id, content]));
}

/** What one of them holds, by id. */
export const held = async (store: FaultyStore): Promise<Record<string, string>> =>
  Object.fromEntries(await store.held(SPEC.name));
