import assert from 'node:assert/strict';
import {
  and,
  contains,
  EVERYTHING,
  eq,
  exists,
  type Filter,
  type FilterOperator,
  matchesFilter,
  not,
  oneOf,
  or,
  prefix,
  range,
} from '../../core/filter.js';
import { fieldLookup } from '../../stores/record-fields.js';
import type { StoreCapabilities, VectorCollection } from '../../stores/vector-store.js';
import { rejectsWith } from '../assertions.js';
import type { ContractPart } from './contract.js';
import { axis, idsOf, record, stored } from './records.js';

/** Chunks whose fields differ in type, nesting, presence and awkward text. */
export const FILTER_RECORDS = [
  record('r01', {
    metadata: { state: 'open', points: 1, done: false, updatedAt: '2026-01-05T00:00:00.000Z' },
  }),
  record('r02', {
    metadata: { state: 'closed', points: 2.5, done: true, updatedAt: '2026-02-01T12:00:00.000Z' },
  }),
  record('r03', { metadata: { state: '1', points: '1', done: 'true' } }),
  record('r04', { metadata: { state: null, points: null, done: null, author: { name: 'Ada', team: null } } }),
  record('r05', {
    metadata: { author: { name: 'Alan', address: { city: 'Zürich' } }, 'author.name': 'Dotted' },
  }),
  record('r06', { metadata: { tags: ['a', 'b', 1, true, null], points: -1e-9 } }),
  record('r07', { metadata: { tags: [], points: -1e300, state: '' } }),
  record('r08', { metadata: { tags: ['A', '1', ['a'], { a: 1 }], points: 1e21, state: 'open ' } }),
  record('r09', { metadata: { state: "o'pen", path: '50%_off/\\*[x]', quote: '"' } }),
  record('r10', { metadata: { state: 'OPEN', path: '50X_off', tags: 'a' } }),
  record('r11', { metadata: { state: 'öpen', path: '50%Xoff', name: '\u{1f600} smile' } }),
  record('r12', { metadata: { state: 'o\u0308pen', name: '\uffee', path: '' } }),
  record('r13', { metadata: { state: 'line\nbreak\ttab', path: 'nul\u0000byte', 'odd key\n"\'': 'x' } }),
  record('r14', { project: 'apollo', documentId: 'd2', source: 'wiki', identifiers: ['AB-1', "O'1"] }),
  record('r15', { project: '', access: { groups: ['dev', 'ops'], level: 3 }, identifiers: ['AB-12'] }),
  record('r16', { tenant: 'globex', access: { groups: [], level: 1 }, metadata: { $tenant: 'acme' } }),
  record("r'17", {
    metadata: { points: 0, big: 9_007_199_254_740_991, nested: { list: [1, 2], empty: {} } },
  }),
  record('r18', {
    metadata: { points: 2, big: 9_007_199_254_740_990, nested: { list: ['x'], deep: { a: { b: 1 } } } },
  }),
];

/** Filters over them, each a different operator, type or trap. */
export const FILTERS: readonly Filter[] = [
  EVERYTHING,
  or(),
  not(EVERYTHING),
  eq('state', 'open'),
  eq('state', ''),
  eq('state', null),
  eq('state', "o'pen"),
  eq('state', "x' OR '1'='1"),
  eq('state', 'line\nbreak\ttab'),
  eq('state', 'o\u0308pen'),
  eq('path', 'nul\u0000byte'),
  eq('points', 1),
  eq('points', '1'),
  eq('points', -1e300),
  eq('big', 9_007_199_254_740_991),
  eq('done', true),
  eq('done', 'true'),
  eq('tags', 'a'),
  eq('missing', null),
  eq('author.name', 'Dotted'),
  eq('author.name', 'Ada'),
  eq('author.address.city', 'Zürich'),
  eq('nested.deep.a.b', 1),
  eq('odd key\n"\'', 'x'),
  eq('constructor', 'x'),
  eq('$tenant', 'acme'),
  eq('$project', 'apollo'),
  eq('$project', ''),
  eq('$project', null),
  eq('$chunkId', "r'17"),
  eq('$documentId', 'd2'),
  eq('$source', 'wiki'),
  eq('$level', 3),
  eq('$level', '3'),
  eq('$groups', 'dev'),
  not(eq('state', 'open')),
  not(eq('missing', 1)),
  not(eq('$project', 'apollo')),
  oneOf('state', ['open', 'closed', null]),
  oneOf('points', [1, '1', 2.5]),
  oneOf('state', []),
  oneOf('$chunkId', ['r01', "r'17", 'nobody']),
  oneOf('$level', [0, '3']),
  not(oneOf('done', [true, null])),
  range('points', { gte: 1 }),
  range('points', { gt: 1, lte: 2.5 }),
  range('points', { gt: '0' }),
  range('points', { lt: 0 }),
  range('points', { gte: 1, lt: 'z' }),
  range('points', { lte: Number.POSITIVE_INFINITY }),
  range('points', {}),
  range('big', { gt: 9_007_199_254_740_990 }),
  range('updatedAt', { gte: '2026-01-05', lt: '2026-02-01T12:00:00.000Z' }),
  range('state', { gt: 'OPEN', lt: 'oz' }),
  range('name', { gt: '\uffee' }),
  range('done', { gte: 0 }),
  range('tags', { gte: '' }),
  range('$level', { lte: 1 }),
  range('$level', { lte: Number.MAX_SAFE_INTEGER, gt: 0.5 }),
  range('$level', { lte: 'a' }),
  range('$chunkId', { gte: 'r02', lt: 'r05' }),
  not(range('points', { gte: 1 })),
  exists('state'),
  exists('author'),
  exists('author.team'),
  exists('nested.empty'),
  exists('nested.list'),
  exists('nested.list.0'),
  exists('$project'),
  exists('$tenant'),
  exists('$nothing'),
  not(exists('points')),
  contains('tags', 'a'),
  contains('tags', 1),
  contains('tags', '1'),
  contains('tags', null),
  contains('tags', true),
  contains('nested.list', 2),
  contains('state', 'open'),
  contains('$groups', 'ops'),
  contains('$groups', '*'),
  contains('$identifiers', "O'1"),
  contains('$tenant', 'acme'),
  not(contains('tags', 'a')),
  prefix('path', '50%'),
  prefix('path', '50%_'),
  prefix('path', '50_'),
  prefix('path', '50%_off/\\'),
  prefix('path', ''),
  prefix('name', '\u{1f600}'),
  prefix('author.name', 'A'),
  prefix('points', '1'),
  prefix('$chunkId', "r'"),
  prefix('$project', ''),
  not(prefix('state', 'open')),
  and(eq('state', 'open'), range('points', { lt: 2 })),
  or(eq('state', 'closed'), and(exists('tags'), not(contains('tags', 'a')))),
  not(or(eq('$tenant', 'globex'), exists('state'))),
];

/** Every filter against every record, in all five operations that take one. */
export const testFilters: ContractPart = (test) => {
  test('the operators that isolation and freshness rest on are supported', async ({ store }) => {
    for (const operator of ['and', 'or', 'not', 'eq', 'in', 'range', 'contains'] as const)
      assert.ok(store.capabilities.filterOperators.includes(operator), operator);
  });

  test('every filter admits what the reference admits, before and after optimize', async ({
    open,
    settle,
    store,
  }) => {
    const collection = await open();
    await collection.upsert(FILTER_RECORDS.slice(0, 9));
    await collection.upsert(FILTER_RECORDS.slice(9));
    await settle();
    for (const filter of FILTERS) await expectFilter(collection, filter, store.capabilities);
    await collection.optimize();
    for (const filter of FILTERS) await expectFilter(collection, filter, store.capabilities);
  });

  test('delete honours every filter', async ({ open, settle, store }) => {
    const collection = await open();
    for (const filter of FILTERS) {
      if (!canRun(filter, store.capabilities)) continue;
      await collection.upsert(FILTER_RECORDS);
      await settle();
      const doomed = expectedIds(filter);
      assert.equal(await collection.delete(filter), doomed.length, JSON.stringify(filter));
      await settle();
      const left = idsOf((await collection.list({ filter: EVERYTHING, limit: 100 })).chunks);
      const expected = expectedIds(EVERYTHING).filter((id) => !doomed.includes(id));
      assert.deepEqual(left, expected, JSON.stringify(filter));
    }
  });

  test('filters choose before topK cuts', async ({ open, settle }) => {
    const collection = await open();
    const near = Array.from({ length: 40 }, (_, i) => record(`near${i}`, { searchText: 'word' }));
    const far = record('far', { searchText: 'word and more words', vector: axis(1), source: 'wiki' });
    await collection.upsert([...near, far]);
    await settle();
    const query = { topK: 1, filter: eq('$source', 'wiki') };
    assert.deepEqual(idsOf(await collection.searchVector({ ...query, vector: axis(0) })), ['far']);
    const texts = await collection.searchText?.({ ...query, terms: ['word'] });
    if (texts !== undefined) assert.deepEqual(idsOf(texts), ['far']);
  });
};

/** Compares one filter with the reference in list, count, vector and text search; an undeclared operator must be refused. */
export async function expectFilter(
  collection: VectorCollection,
  filter: Filter,
  capabilities: StoreCapabilities,
): Promise<void> {
  if (!canRun(filter, capabilities)) {
    await rejectsWith('STORE_FILTER_UNSUPPORTED', () => collection.count(filter));
    return;
  }
  const said = JSON.stringify(filter);
  const expected = expectedIds(filter);
  const listed = await collection.list({ filter, limit: 100 });
  assert.deepEqual(idsOf(listed.chunks), expected, `list ${said}`);
  assert.equal(await collection.count(filter), expected.length, `count ${said}`);
  const hits = await collection.searchVector({ vector: axis(0), topK: 100, filter });
  assert.deepEqual(idsOf(hits), expected, `searchVector ${said}`);
  const texts = await collection.searchText?.({ terms: ['content'], topK: 100, filter });
  if (texts !== undefined) assert.deepEqual(idsOf(texts).sort(), [...expected].sort(), `searchText ${said}`);
}

const expectedIds = (filter: Filter): string[] =>
  stored(...FILTER_RECORDS)
    .filter((chunk) => matchesFilter(filter, fieldLookup(chunk)))
    .map((chunk) => chunk.id)
    .sort();

function canRun(filter: Filter, { filterOperators }: StoreCapabilities): boolean {
  return operatorsIn(filter).every((operator) => filterOperators.includes(operator));
}

function operatorsIn(filter: Filter): FilterOperator[] {
  if (filter.op === 'not') return ['not', ...operatorsIn(filter.filter)];
  if (filter.op === 'and' || filter.op === 'or') return [filter.op, ...filter.filters.flatMap(operatorsIn)];
  return [filter.op];
}
