import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import type { GenerationWriter, Ledger, SharedTransactions } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import { record } from '../../testing/vector-store/records.js';
import type { EnlistedWrites, VectorCollection, VectorStore } from '../vector-store.js';
import { createLibsqlStore } from './libsql-store.js';

const SPEC = { name: 'chunks', dimensions: 8, fingerprint: 'f' };
const FACTS = { tenant: 't', source: 's', sourceType: 'm', externalId: 'd', documentId: 'd', metadata: {} };

let folder: string;
let ledger: Ledger;
let writer: GenerationWriter;
let together: SharedTransactions;
let store: VectorStore;
let collection: VectorCollection;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-enlist-'));
  const path = join(folder, 'ledger.db');
  ledger = openLedger({ path });
  const target = {
    provider: 'libsql',
    collection: SPEC.name,
    dimensions: 8,
    fingerprint: 'f',
    embedder: 'e',
  };
  const { generation } = await ledger.begin(() => target, '2026-11-22T00:00:00.000Z');
  writer = ledger.writer(generation, 'test');
  if (writer.together === undefined) throw new Error('The ledger shares its transactions.');
  together = writer.together;
  store = createLibsqlStore({ path, isShared: true });
  collection = await store.open(SPEC);
});
afterEach(async () => {
  await ledger.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function enlisted(): EnlistedWrites {
  const writes = collection.enlist?.(together.database);
  if (writes === undefined) throw new Error('The collection is in the file of the ledger and must enlist.');
  return writes;
}

/** A revision of ledger and store as one transaction; `during` is called before its end. */
function writeRevision(
  revision: string,
  chunkIds: readonly string[],
  during: () => void = () => undefined,
): Promise<void> {
  const chunks = chunkIds.map((chunkId) => ({ chunkId, digest: revision }));
  const document = { ...FACTS, itemId: 'i', revision, text: revision, chunks };
  return together.revise([document], '2026-11-22T00:00:00.000Z', (plans) => {
    enlisted().upsert(chunkIds.map((id) => record(id, { content: revision, searchText: revision })));
    enlisted().delete(plans.flatMap(({ toDelete }) => toDelete));
    during();
  });
}

const inStore = async (): Promise<(readonly [string, string])[]> =>
  (await collection.list({ filter: EVERYTHING, limit: 100 })).chunks.map(({ id, content }) => [id, content]);

describe('writes in the transaction of the ledger', () => {
  it('are seen with it, by caches that were warm before', async () => {
    await writeRevision('one', ['a', 'b']);
    expect(await collection.searchText?.({ terms: ['one'], topK: 9, filter: EVERYTHING })).toHaveLength(2);
    await writeRevision('two', ['b', 'c']);
    expect(await inStore()).toEqual([
      ['b', 'two'],
      ['c', 'two'],
    ]);
    expect(await collection.searchText?.({ terms: ['one'], topK: 9, filter: EVERYTHING })).toEqual([]);
    expect((await writer.chunks('d')).map(({ chunkId, state }) => `${chunkId} ${state}`)).toEqual([
      'b live',
      'c live',
    ]);
  });

  it('are undone with it', async () => {
    await writeRevision('one', ['a']);
    const failing = writeRevision('two', ['b'], () => {
      throw new Error('power cut');
    });
    await expect(failing).rejects.toThrow('power cut');
    expect(await inStore()).toEqual([['a', 'one']]);
    expect(await writer.document('d')).toMatchObject({ revision: 'one', status: 'indexed' });
    expect(await writer.text('d')).toBe('one');
  });

  it('are not seen before its end', async () => {
    const reader = createLibsqlStore({ path: together.database.path, isShared: true });
    const theirs = await reader.open(SPEC);
    let during: Promise<number> | undefined;
    await writeRevision('one', ['a', 'b'], () => {
      during = theirs.count(EVERYTHING);
    });
    expect(await during).toBe(0);
    expect(await theirs.count(EVERYTHING)).toBe(2);
    await reader.close();
  });

  it('refuse what upsert refuses, and a collection that is gone', async () => {
    expect(() => enlisted().upsert([record('a', { vector: new Float32Array(3) })])).toThrow(
      expect.objectContaining({ reason: 'STORE_DIMENSION_MISMATCH' }),
    );
    const writes = enlisted();
    await store.drop('chunks');
    expect(() => writes.upsert([record('a')])).toThrow(
      expect.objectContaining({ reason: 'COLLECTION_NOT_FOUND' }),
    );
  });

  it('are not offered by a store in another file', async () => {
    const elsewhere = createLibsqlStore({ path: join(folder, 'store.db') });
    expect((await elsewhere.open(SPEC)).enlist?.(together.database)).toBeUndefined();
    await elsewhere.close();
  });

  it('remove documents with it, or leave them', async () => {
    await writeRevision('one', ['a', 'b']);
    const failing = together.remove(['d'], (chunkIds) => {
      enlisted().delete(chunkIds);
      throw new Error('power cut');
    });
    await expect(failing).rejects.toThrow('power cut');
    expect(await inStore()).toHaveLength(2);
    await together.remove(['d'], (chunkIds) => enlisted().delete(chunkIds));
    expect(await inStore()).toEqual([]);
    expect(await writer.document('d')).toBeUndefined();
  });

  it('leave the file alone when the store is dropped', async () => {
    await writeRevision('one', ['a']);
    await store.drop('chunks');
    expect(await writer.document('d')).toMatchObject({ revision: 'one' });
    expect(await ledger.integrity()).toEqual([]);
  });
});
