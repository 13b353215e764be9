import { expect, it } from 'vitest';
import { EVERYTHING, eq } from '../core/filter.js';
import { axis, record } from '../testing/vector-store/records.js';
import { storedChunkOf } from './record-fields.js';
import { type ServerChunks, ServerCollection } from './server-collection.js';
import { StoreConnection } from './store-connection.js';

const SPEC = { name: 'notes', dimensions: 8, fingerprint: 'm' };
const CHUNKS = ['b', 'a', 'c'].map((id) => storedChunkOf(record(id)));

/** A server of three chunks; nothing passes a filter on `nobody`. */
function openCollection(server: Partial<ServerChunks<object>> = {}) {
  const asked: string[] = [];
  const noted =
    <T>(name: string, result: T) =>
    async (): Promise<T> => {
      asked.push(name);
      return result;
    };
  const connection = new StoreConnection('Test', 'http://here');
  const chunks: ServerChunks<object> = {
    compile: async (filter) => ('value' in filter && filter.value === 'nobody' ? undefined : {}),
    write: noted('write', undefined),
    byIds: noted('byIds', CHUNKS),
    delete: noted('delete', 3),
    count: noted('count', 3),
    page: noted('page', { chunks: CHUNKS }),
    nearest: noted(
      'nearest',
      CHUNKS.map((chunk) => ({ chunk, score: 0.5 })),
    ),
    indexes: async () => ({ vectorIndex: 'v', textIndex: 'none' }),
    ...server,
  };
  return { asked, connection, collection: new ServerCollection(SPEC, chunks, { connection, maxTopK: 10 }) };
}

const search = { vector: axis(0), topK: 2, filter: EVERYTHING };

it('a filter that nothing passes asks the server for nothing', async () => {
  const { asked, collection } = openCollection();
  const filter = eq('x', 'nobody');
  expect(await collection.list({ filter, limit: 5 })).toEqual({ chunks: [] });
  expect(await collection.count(filter)).toBe(0);
  expect(await collection.delete(filter)).toBe(0);
  expect(await collection.searchVector({ ...search, filter })).toEqual([]);
  await collection.upsert([]);
  expect(asked).toEqual([]);
});

it('ties are put in order of ids and cut, chunks given in the order asked for', async () => {
  const { collection } = openCollection();
  expect((await collection.searchVector(search)).map(({ chunk }) => chunk.id)).toEqual(['a', 'b']);
  expect((await collection.get(['c', 'x', 'a', 'c'])).map(({ id }) => id)).toEqual(['c', 'a', 'c']);
});

it('chunks without a direction are looked for where they may be among the best, and only then', async () => {
  const zero = storedChunkOf(record('zero'));
  const server = {
    withoutDirection: () => ({ isZero: true }),
    page: async () => ({ chunks: [zero] }),
  };
  const found = async (score: number): Promise<string[]> => {
    const nearest = async () => CHUNKS.map((chunk) => ({ chunk, score }));
    const { collection } = openCollection({ ...server, nearest });
    return (await collection.searchVector(search)).map(({ chunk }) => chunk.id);
  };
  expect(await found(0.1)).toEqual(['a', 'b']);
  expect(await found(-0.1)).toEqual(['zero', 'a']);
});

it('a query of zeros scores the first ids 0 and compares nothing', async () => {
  const { asked, collection } = openCollection();
  const hits = await collection.searchVector({ ...search, vector: new Float32Array(8) });
  expect(hits.map(({ score }) => score)).toEqual([0, 0, 0]);
  expect(asked).toEqual(['page']);
});

it('text is searched where the server does it, and nothing is once the store is closed', async () => {
  expect(openCollection().collection.searchText).toBeUndefined();
  const { connection, collection } = openCollection({ searchText: async () => [] });
  const query = { terms: ['x'], topK: 1, filter: EVERYTHING };
  expect(await collection.searchText?.(query)).toEqual([]);
  await connection.close();
  await expect(collection.searchText?.(query)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
  await expect(collection.count(EVERYTHING)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
});
