import { describe, expect, it } from 'vitest';
import { eq } from '../core/filter.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { record } from '../testing/vector-store/records.js';
import { chunkReader } from './read-chunks.js';
import { chunk } from './test-candidates.js';

async function collectionOf(...ids: string[]): Promise<{ collection: VectorCollection; calls: string[][] }> {
  const whole = await createMemoryStore().open({ name: 'c', dimensions: 8, fingerprint: 'f' });
  await whole.upsert(ids.map((id) => record(id)));
  const calls: string[][] = [];
  const get: VectorCollection['get'] = (wanted, options) => {
    calls.push([...wanted]);
    return whole.get(wanted, options);
  };
  return {
    collection: Object.create(whole, {
      get: { value: get },
      delete: { value: whole.delete.bind(whole) },
    }) as VectorCollection,
    calls,
  };
}

const found = (...ids: string[]) => ids.map((id) => ({ chunk: { id }, score: 1 }));
const READ = { includeVectors: false, signal: undefined };

describe('chunkReader', () => {
  it('reads each record once, in the order given, and keeps what the list says beside it', async () => {
    const { collection, calls } = await collectionOf('a', 'b', 'c');
    const read = chunkReader(collection, READ);
    const list = await read(found('c', 'a'));
    expect(list.map(({ chunk: { id, content }, score }) => [id, content, score])).toEqual([
      ['c', 'Content of c', 1],
      ['a', 'Content of a', 1],
    ]);
    await read(found('a'));
    expect(calls).toEqual([['c', 'a']]);
  });

  it('reads all of it again where more is needed, so that one moment is seen', async () => {
    const { collection, calls } = await collectionOf('a', 'b', 'c');
    const read = chunkReader(collection, READ);
    await read(found('a'));
    await collection.delete(eq('$chunkId', 'a'));
    expect((await read(found('a', 'b'))).map(({ chunk: { id } }) => id)).toEqual(['b']);
    expect(calls).toEqual([['a'], ['a', 'b']]);
  });

  it('says when something is gone, and asks for nothing that is whole', async () => {
    const { collection, calls } = await collectionOf('a');
    let losses = 0;
    const read = chunkReader(collection, { ...READ, onLost: () => losses++ });
    expect(await read([{ chunk: chunk('whole') }])).toHaveLength(1);
    expect(calls).toEqual([]);
    expect(await read(found('a', 'gone'))).toHaveLength(1);
    expect(losses).toBe(1);
  });

  it('gives of a document that is being written one revision, that of the best passage', async () => {
    const collection = await createMemoryStore().open({ name: 'c', dimensions: 8, fingerprint: 'f' });
    const of = (id: string, documentId: string, revision: string) => ({
      ...record(id),
      documentId,
      metadata: { ...record(id).metadata, revision },
    });
    const written = [
      of('a', 'lamp', 'new'),
      of('b', 'lamp', 'old'),
      of('c', 'door', 'old'),
      of('d', 'lamp', 'new'),
    ];
    await collection.upsert(written);
    const read = chunkReader(collection, READ);
    const ids = async (...wanted: string[]) => (await read(found(...wanted))).map(({ chunk: { id } }) => id);
    expect(await ids('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    expect(await ids('b', 'a', 'c', 'd')).toEqual(['b', 'c']);
    // Lanes that give whole records were asked one after the other.
    const whole = await collection.get(['b', 'a']);
    expect((await read(whole.map((chunk) => ({ chunk })))).map(({ chunk: { id } }) => id)).toEqual(['b']);
  });
});
