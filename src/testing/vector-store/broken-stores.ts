import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { and, EVERYTHING, eq, type Filter, matchesFilter, not } from '../../core/filter.js';
import { fieldLookup } from '../../stores/record-fields.js';
import type { VectorCollection, VectorQuery } from '../../stores/vector-store.js';

/** What a broken collection does otherwise than the right one it is given. */
export type Fault = (right: VectorCollection) => Partial<VectorCollection>;

/** Faults that real stores have had or may have, by the concern of the contract that must turn red for each of them. */
export const FAULTS: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  basic: {
    'delete says that nothing was deleted': (right) => ({
      delete: async (filter, signal) => 0 * (await right.delete(filter, signal)),
    }),
    'delete leaves the last match': (right) => ({
      delete: async (filter, signal) => {
        const { chunks } = await right.list({ filter, limit: 10_000 });
        const last = chunks.at(-1)?.id;
        const kept: Filter = not({ op: 'eq', field: '$chunkId', value: last ?? '' });
        return (
          (await right.delete({ op: 'and', filters: [filter, kept] }, signal)) + (last === undefined ? 0 : 1)
        );
      },
    }),
    'a batch drops its last record': (right) => ({
      upsert: (records, signal) => right.upsert(records.length > 1 ? records.slice(0, -1) : records, signal),
    }),
    'upsert merges metadata': (right) => ({
      upsert: async (records, signal) => {
        const old = new Map((await right.get(records.map(({ id }) => id))).map((chunk) => [chunk.id, chunk]));
        const merged = records.map((record) => ({
          ...record,
          metadata: { ...old.get(record.id)?.metadata, ...record.metadata },
        }));
        await right.upsert(merged, signal);
      },
    }),
    'vectors are kept in eight bits': (right) =>
      changed(right, ({ vector }) => ({
        vector: vector.map((component) => Math.round(component * 127) / 127),
      })),
    'a page skips the record after it': (right) => ({
      list: async (query) => {
        const page = await right.list({ ...query, limit: query.limit + 1 });
        return page.chunks.length <= query.limit ? page : { ...page, chunks: page.chunks.slice(0, -1) };
      },
    }),
    'a write is seen by the read after the next': (right) => stale(right),
    'optimize forgets a record': (right) => ({
      optimize: async (signal) => {
        await right.optimize(signal);
        const { chunks } = await right.list({ filter: EVERYTHING, limit: 1 });
        await right.delete({ op: 'in', field: '$chunkId', values: chunks.map(({ id }) => id) });
      },
    }),
  },
  filters: {
    'a range is off by one': (right) => withFilters(right, closeRange),
    'in forgets its last value': (right) =>
      withFilters(right, (leaf) => (leaf.op === 'in' ? { ...leaf, values: leaf.values.slice(0, -1) } : leaf)),
    'eq takes "1" for 1': (right) =>
      withFilters(right, (leaf) =>
        leaf.op === 'eq' && typeof leaf.value === 'number'
          ? { op: 'in', field: leaf.field, values: [leaf.value, String(leaf.value)] }
          : leaf,
      ),
    'contains takes a scalar for a list': (right) =>
      withFilters(right, (leaf) =>
        leaf.op === 'contains' ? { op: 'or', filters: [leaf, { ...leaf, op: 'eq' }] } : leaf,
      ),
    'topK cuts before the filter chooses': (right) => ({
      searchVector: async (query) =>
        admitted(await right.searchVector({ ...query, filter: EVERYTHING }), query),
    }),
  },
  tenancy: {
    'delete ignores the tenant': (right) => ({
      delete: (filter, signal) => right.delete(mapLeaves(filter, widenTenant), signal),
    }),
    'tenants are compared without case': (right) =>
      withFilters(right, (leaf) =>
        leaf.op === 'eq' && leaf.field === '$tenant' && typeof leaf.value === 'string'
          ? {
              op: 'in',
              field: '$tenant',
              values: [leaf.value, leaf.value[0]?.toUpperCase() + leaf.value.slice(1)],
            }
          : leaf,
      ),
    'text search ignores the filter': (right) => ({
      searchText: async (query) => (await right.searchText?.({ ...query, filter: EVERYTHING })) ?? [],
    }),
    'the access level is lost': (right) =>
      changed(right, ({ access }) => ({ access: { groups: access.groups, level: 0 } })),
  },
  ranking: {
    'the cosine has the wrong sign': (right) => ({
      searchVector: async (query) => {
        const vector = query.vector.map((component) => -component);
        return right.searchVector({ ...query, vector });
      },
    }),
    'scores are distances': (right) => ({
      searchVector: async (query) =>
        (await right.searchVector(query)).map(({ chunk, score }) => ({ chunk, score: 1 - score })),
    }),
    'text search ignores weights': (right) => ({
      searchText: async ({ weights: _, ...query }) => (await right.searchText?.(query)) ?? [],
    }),
    'text is weighed by the chunks of all tenants': (right) => ({
      searchText: async ({ tenant, filter, ...query }) =>
        (await right.searchText?.({
          ...query,
          filter: tenant === undefined ? filter : and(eq('$tenant', tenant), filter),
        })) ?? [],
    }),
    'ties come in any order': (right) => ({
      searchVector: async (query) =>
        (await right.searchVector(query)).toSorted(
          (a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? 1 : -1),
        ),
    }),
    'topK gives one more': (right) => ({
      searchVector: (query) => right.searchVector({ ...query, topK: query.topK + 1 }),
    }),
  },
  errors: {
    'a missing filter means everything': (right) => withFilters(right, (leaf) => leaf, EVERYTHING),
    'a bad record is left out of its batch': (right) => ({
      upsert: (records, signal) =>
        right.upsert(
          records.filter(
            ({ vector }) => vector.length === right.spec.dimensions && vector.every(Number.isFinite),
          ),
          signal,
        ),
    }),
    'signals are not looked at': (right) => ({
      upsert: (records) => right.upsert(records),
      count: (filter) => right.count(filter),
      searchVector: ({ signal: _, ...query }) => right.searchVector(query),
    }),
  },
  'hostile input': {
    'ids are normalised': (right) => ({
      upsert: (records, signal) =>
        right.upsert(
          records.map((record) => ({ ...record, id: record.id.normalize('NFC') })),
          signal,
        ),
    }),
    'null in metadata is lost': (right) => changed(right, (record) => ({ metadata: withoutNull(record) })),
    'long content is cut': (right) =>
      changed(right, ({ content }) => ({ content: content.slice(0, 65_536) })),
  },
  'large batches': {
    'a batch ends at 5,000 records': (right) => ({
      upsert: (records, signal) => right.upsert(records.slice(0, 5_000), signal),
    }),
  },
};

type Leaf = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' }>;

function mapLeaves(filter: Filter, change: (leaf: Leaf) => Filter): Filter {
  switch (filter?.op) {
    case 'and':
    case 'or':
      return { ...filter, filters: filter.filters.map((part) => mapLeaves(part, change)) };
    case 'not':
      return { ...filter, filter: mapLeaves(filter.filter, change) };
    case undefined:
      return filter;
    default:
      return change(filter);
  }
}

const widenTenant = (leaf: Leaf): Filter => (leaf.field === '$tenant' ? EVERYTHING : leaf);

function closeRange(leaf: Leaf): Filter {
  if (leaf.op !== 'range' || leaf.lt === undefined) return leaf;
  const { lt, ...rest } = leaf;
  return { ...rest, lte: lt };
}

function withFilters(
  right: VectorCollection,
  change: (leaf: Leaf) => Filter,
  missing?: Filter,
): Partial<VectorCollection> {
  const changed = (filter: Filter): Filter => mapLeaves(filter ?? missing, change);
  return {
    delete: (filter, signal) => right.delete(changed(filter), signal),
    count: (filter, signal) => right.count(changed(filter), signal),
    list: (query) => right.list({ ...query, filter: changed(query.filter) }),
    searchVector: (query) => right.searchVector({ ...query, filter: changed(query.filter) }),
    searchText: async (query) =>
      (await right.searchText?.({ ...query, filter: changed(query.filter) })) ?? [],
  };
}

const admitted = (hits: readonly ScoredChunk[], { filter }: VectorQuery): ScoredChunk[] =>
  hits.filter(({ chunk }) => matchesFilter(filter, fieldLookup(chunk)));

const changed = (
  right: VectorCollection,
  change: (record: ChunkRecord) => Partial<ChunkRecord>,
): Partial<VectorCollection> => ({
  upsert: (records, signal) =>
    right.upsert(
      // What must be refused goes through as it is.
      records.map((record) =>
        record.vector.every(Number.isFinite) ? { ...record, ...change(record) } : record,
      ),
      signal,
    ),
});

const withoutNull = ({ metadata }: ChunkRecord): ChunkRecord['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));

/** Answers `get` from what there was before the last write. */
function stale(right: VectorCollection): Partial<VectorCollection> {
  let before: readonly StoredChunk[] | undefined;
  return {
    upsert: async (records, signal) => {
      before = (await right.list({ filter: EVERYTHING, limit: 100_000 })).chunks;
      await right.upsert(records, signal);
    },
    get: async (ids, options) => {
      const seen = before;
      before = undefined;
      if (seen === undefined) return right.get(ids, options);
      return ids.flatMap((id) => seen.find((chunk) => chunk.id === id) ?? []);
    },
  };
}
