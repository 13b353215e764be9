import type { FetchByMetadataOptions, UpsertOptions } from '@pinecone-database/pinecone';
import { describe, expect, it } from 'vitest';
import { compile, type Metadata } from '../../../tools/test-stores/pinecone/filter.js';
import type { ChunkRecord } from '../../core/chunk.js';
import { compareText, EVERYTHING, eq, type Filter } from '../../core/filter.js';
import { contentHash } from '../../core/ids.js';
import { listPages } from '../list-pages.js';
import { ServerCollection } from '../server-collection.js';
import type { VectorCollection } from '../vector-store.js';
import { FreshNamespace } from './fresh-namespace.js';
import { NamespaceRequests } from './namespace-requests.js';
import type { PineconeConnection } from './pinecone-connection.js';

const SPEC = { name: 'notes', dimensions: 2, fingerprint: 'm' };

interface Row {
  readonly id: string;
  readonly metadata: Metadata;
}

/** Puts rows in order of ids. */
type Order = (rows: Row[]) => Row[];

const byId: Order = (rows) => rows.sort((a, b) => compareText(a.id, b.id));

/** The orders in which a service may give what a filter admits. */
const ORDERS: Readonly<Record<string, Order>> = {
  'by id': byId,
  'from the last id': (rows) => byId(rows).reverse(),
  'as they were written': (rows) => rows,
};

/** A service that counts what it is asked, with a collection on it. */
function counting(
  order: Order,
  eventualMs = 60_000,
): {
  readonly asked: { requests: number; rows: number };
  readonly collection: VectorCollection;
} {
  const rows = new Map<string, Row>();
  const asked = { requests: 0, rows: 0 };
  let written = 0;
  const index = {
    upsert: async ({ records }: UpsertOptions) => {
      for (const { id, metadata } of records ?? []) rows.set(id, { id, metadata: metadata as Metadata });
      written++;
    },
    query: async () => ({ matches: [] }),
    listPaginated: async () => ({ vectors: [] }),
    deleteMany: async ({ filter }: { readonly filter?: object }) => {
      for (const { id, metadata } of rows.values()) if (compile(filter)(metadata)) rows.delete(id);
      written++;
    },
    fetchByMetadata: async ({ filter, limit = 100, paginationToken = '0' }: FetchByMetadataOptions) => {
      const admits = compile(filter);
      const found = order([...rows.values()].filter(({ metadata }) => admits(metadata)));
      const start = Number(paginationToken);
      const page = found.slice(start, start + limit);
      asked.requests++;
      asked.rows += page.length;
      const records = Object.fromEntries(page.map((row) => [row.id, { ...row, values: [1, 0] }]));
      const isLast = start + limit >= found.length;
      return { records, ...(isLast ? {} : { pagination: { next: String(start + limit) } }) };
    },
  };
  const connection = {
    begin: () => undefined,
    data: async (_place: unknown, _call: unknown, run: (index: unknown) => Promise<unknown>) => ({
      value: await run(index),
      headers: new Headers({
        'x-pinecone-request-lsn': String(written),
        'x-pinecone-max-indexed-lsn': String(written),
      }),
    }),
  } as unknown as PineconeConnection;
  const namespace = (name: string) =>
    new FreshNamespace(connection, { host: 'h', namespace: name }, { dimensions: 2, eventualMs });
  const requests = new NamespaceRequests(namespace('rows'), namespace('parts'), SPEC.name);
  return { asked, collection: new ServerCollection(SPEC, requests, { connection, maxTopK: 10_000 }) };
}

const chunk = (id: string, tenant = 'a'): ChunkRecord => ({
  id,
  documentId: 'd',
  tenant,
  source: 's',
  access: { groups: [], level: 0 },
  content: id,
  searchText: id,
  identifiers: [],
  metadata: {},
  vector: Float32Array.of(1, 0),
});

/** Ids as the engine makes them; every third is of another tenant. */
const hashed = (count: number): ChunkRecord[] =>
  Array.from({ length: count }, (_, i) => chunk(contentHash(String(i)).slice(0, 32), i % 3 ? 'a' : 'b'));

const sortedIds = (records: readonly ChunkRecord[]): string[] =>
  records.map(({ id }) => id).sort(compareText);

async function walked(collection: VectorCollection, filter: Filter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const chunks of listPages(collection, { filter, limit }))
    ids.push(...chunks.map(({ id }) => id));
  return ids;
}

describe.each(Object.entries(ORDERS))('a service that gives chunks %s', (_, order) => {
  it.each([
    ['everything', EVERYTHING],
    ['a tenant', eq('$tenant', 'a')],
  ])('a page of %s reads a part of the chunks alone', async (_of, filter) => {
    const { asked, collection } = counting(order);
    const records = hashed(2_400);
    await collection.upsert(records);
    const admitted = records.filter(({ tenant }) => filter === EVERYTHING || tenant === 'a');
    const { chunks } = await collection.list({ filter, limit: 10 });
    expect(chunks.map(({ id }) => id)).toEqual(sortedIds(admitted).slice(0, 10));
    // From the last id each look finds the greatest of what is left.
    if (order !== ORDERS['from the last id']) expect(asked.rows).toBeLessThanOrEqual(1_000);
    expect(asked.requests).toBeLessThanOrEqual(Math.ceil(admitted.length / 500) + 1);
  });

  it.each([10, 240])('pages of %i together read no chunk more than twice', async (limit) => {
    const { asked, collection } = counting(order);
    const records = hashed(2_400);
    await collection.upsert(records);
    expect(await walked(collection, EVERYTHING, limit)).toEqual(sortedIds(records));
    expect(asked.rows).toBeLessThanOrEqual(2 * records.length);
    const pages = records.length / limit;
    // All ids, then each page by its ids.
    expect(asked.requests).toBeLessThanOrEqual(records.length / 500 + pages * Math.ceil(limit / 500));
  });

  it('ids that begin alike, of any text, come once and in order', async () => {
    const { collection } = counting(order);
    const records = [
      ...Array.from({ length: 1_200 }, (_unused, i) => chunk(`chapter-number-${i}`)),
      ...Array.from({ length: 300 }, (_unused, i) => chunk(`é${'x'.repeat(i % 20)}\u0000${i}`)),
      ...['', ' ', '~', '\u{1F600}', 'chapter-nu', 'chapter-n'].map((id) => chunk(id)),
    ];
    await collection.upsert(records);
    expect(await walked(collection, EVERYTHING, 7)).toEqual(sortedIds(records));
  });
});

it('pages asked for long after each other show what is there then, each by its own reading', async () => {
  // Nothing that was read is shown again.
  const { asked, collection } = counting((rows) => rows, -1);
  const records = hashed(2_400);
  await collection.upsert(records);
  expect(await walked(collection, EVERYTHING, 100)).toEqual(sortedIds(records));
  expect(asked.rows).toBeLessThanOrEqual(3 * records.length);
});

it('a page shows what this process wrote and deleted since the one before', async () => {
  const { asked, collection } = counting(byId);
  const records = hashed(400);
  await collection.upsert(records);
  const ids = sortedIds(records);
  const first = await collection.list({ filter: EVERYTHING, limit: 10 });
  await collection.delete(eq('$chunkId', ids[12] ?? ''));
  asked.rows = 0;
  const second = await collection.list({ filter: EVERYTHING, limit: 10, cursor: first.cursor ?? '' });
  expect(second.chunks.map(({ id }) => id)).toEqual(ids.slice(10, 21).filter((id) => id !== ids[12]));
  // Of what had been read the part that the page needs is read again.
  expect(asked.rows).toBeLessThan(30);
});
