import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import { record } from '../../testing/vector-store/records.js';
import { adoptCollection } from './adopt-collection.js';
import { createLibsqlStore } from './libsql-store.js';

const spec = (name: string) => ({ name, dimensions: 8, fingerprint: 'f' });
const TEXT = { terms: ['word'], topK: 50, filter: EVERYTHING };

let folder: string;
let from: string;
let into: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-adopt-'));
  from = join(folder, 'store.db');
  into = join(folder, 'ledger.db');
  await openLedger({ path: into }).close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function write(path: string, name: string, ids: readonly string[]): Promise<void> {
  const store = createLibsqlStore({ path });
  const collection = await store.open(spec(name));
  await collection.upsert([record('gone')]);
  await collection.upsert(ids.map((id) => record(id, { searchText: `word ${id}`, metadata: { id } })));
  await collection.delete({ op: 'eq', field: '$chunkId', value: 'gone' });
  await store.close();
}

async function contentOf(path: string, name: string) {
  const store = createLibsqlStore({ path, isShared: true });
  const collection = await store.open(spec(name));
  const ids = (await collection.list({ filter: EVERYTHING, limit: 50 })).chunks.map(({ id }) => id);
  const content = {
    chunks: await collection.get(ids, { includeVectors: true }),
    words: await collection.searchText?.(TEXT),
  };
  await store.close();
  return content;
}

describe('a collection in a file of its own', () => {
  it('moves into the ledger as it is, and the empty file goes', async () => {
    await write(from, 'mine', ['a', 'b']);
    const before = await contentOf(from, 'mine');
    expect(before.words).toHaveLength(2);
    expect(adoptCollection({ from, into, collection: 'mine' })).toBe(true);
    expect(existsSync(from)).toBe(false);
    expect(await contentOf(into, 'mine')).toEqual(before);
    await write(into, 'mine', ['c']);
    expect((await contentOf(into, 'mine')).words).toHaveLength(3);
    expect(await openLedger({ path: into, readOnly: true }).integrity()).toEqual([]);
  });

  it('leaves what others keep in that file', async () => {
    await write(from, 'mine', ['a']);
    await write(from, 'theirs', ['b']);
    adoptCollection({ from, into, collection: 'mine' });
    expect((await contentOf(from, 'theirs')).words).toHaveLength(1);
    expect((await contentOf(from, 'mine')).chunks).toEqual([]);
    expect((await contentOf(into, 'mine')).words).toHaveLength(1);
  });

  it('is not moved twice: a death before the old file was removed costs nothing that came after', async () => {
    await write(from, 'mine', ['a']);
    cpSync(from, `${from}.old`);
    adoptCollection({ from, into, collection: 'mine' });
    await write(into, 'mine', ['new']);
    cpSync(`${from}.old`, from);
    expect(adoptCollection({ from, into, collection: 'mine' })).toBe(false);
    expect(existsSync(from)).toBe(false);
    expect((await contentOf(into, 'mine')).chunks.map(({ id }) => id)).toEqual(['a', 'new']);
  });

  it('that is not there changes nothing', async () => {
    await write(from, 'theirs', ['a']);
    expect(adoptCollection({ from, into, collection: 'mine' })).toBe(false);
    expect((await contentOf(from, 'theirs')).chunks).toHaveLength(1);
  });
});
