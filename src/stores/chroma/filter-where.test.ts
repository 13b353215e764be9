import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkRecord } from '../../core/chunk.js';
import { and, eq, type Filter, matchesFilter, not, or } from '../../core/filter.js';
import { LOCAL_SCOPE, scopeFilter } from '../../core/scope.js';
import { FILTER_RECORDS, FILTERS } from '../../testing/vector-store/filters.js';
import { record } from '../../testing/vector-store/records.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { compileFilter, narrowingCondition } from './filter-where.js';
import { type FlatValue, filterKeys } from './metadata-keys.js';
import { type Condition, toWhere } from './where-condition.js';

type Flat = Readonly<Record<string, FlatValue>>;

/** What a Chroma server does with a condition, as measured on 1.5.9. */
function admits(condition: Condition, flat: Flat): boolean {
  if (typeof condition === 'boolean') return condition;
  if ('all' in condition) return condition.all.every((part) => admits(part, flat));
  if ('any' in condition) return condition.any.some((part) => admits(part, flat));
  const stored = flat[condition.key];
  const values: readonly (string | number)[] = 'values' in condition ? condition.values : [condition.value];
  const isEqual = values.some((value) => value === stored);
  const isHeld = Array.isArray(stored) && values.some((value) => stored.includes(String(value)));
  const order = typeof stored === 'number' ? stored - Number(values[0]) : Number.NaN;
  return {
    $eq: isEqual,
    $in: isEqual,
    $ne: !isEqual,
    $nin: !isEqual,
    $contains: isHeld,
    $not_contains: !isHeld,
    $gt: order > 0,
    $gte: order >= 0,
    $lt: order < 0,
    $lte: order <= 0,
  }[condition.operator];
}

const readerOf = (flats: readonly Flat[]) => async (condition: Condition, key: string) =>
  flats.flatMap((flat) => {
    const value = flat[key];
    return admits(condition, flat) && typeof value === 'string' ? [value] : [];
  });

async function found(
  filter: Filter,
  records: readonly ChunkRecord[],
  flats: readonly Flat[],
): Promise<string[]> {
  const condition = await compileFilter(filter, readerOf(flats));
  return records.flatMap(({ id }, i) => (admits(condition, flats[i] ?? {}) ? [id] : []));
}

const expected = (filter: Filter, records: readonly ChunkRecord[]): string[] =>
  records.flatMap((each) => (matchesFilter(filter, fieldLookup(storedChunkOf(each))) ? [each.id] : []));

// Each record carries the left-over keys of another: Chroma's upsert merges.
const merged = (records: readonly ChunkRecord[]): Flat[] =>
  records.map((each, i) => {
    const before = records.at(i - 1);
    return { ...(before === undefined ? {} : filterKeys(before)), ...filterKeys(each) };
  });

const LONG = 'x'.repeat(40);
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'a\u0000',
  '\u{1f600}',
  '\uffee',
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}ab`,
];
// A piece holds six bytes, the first of them with the type: texts that end at, before and behind the end of one.
const EDGES = [4, 5, 6, 11, 17, 18].flatMap((length) => ['a'.repeat(length), `${'a'.repeat(length)}b`]);
const NUMBERS = [
  0,
  -1,
  1,
  1.5,
  3,
  3.0000000000000004,
  1e300,
  -1e-300,
  5e-324,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 60),
];
const FIELDS = ['a', 'b', '$level', '$tenant', '$project', '$documentId', '$chunkId', '$groups'];

const scalars = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
);
const records = fc
  .array(
    fc.record({
      tenant: fc.constantFrom(...TEXTS),
      documentId: fc.constantFrom(...TEXTS),
      project: fc.option(fc.constantFrom(...TEXTS), { nil: undefined }),
      level: fc.constantFrom(...NUMBERS),
      groups: fc.array(fc.constantFrom('*', 'a'), { maxLength: 2 }),
      metadata: fc.dictionary(
        fc.constantFrom('a', 'b'),
        fc.oneof(scalars, fc.array(scalars, { maxLength: 2 })),
        {
          noNullPrototype: true,
        },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.map(({ level, groups, project, ...rest }, i) =>
      record(`${LONG}${i}`, {
        ...rest,
        access: { groups, level },
        ...(project === undefined ? {} : { project }),
      }),
    ),
  );
const bound = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS), fc.constant(-Infinity));
const field = fc.constantFrom(...FIELDS);
const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.record({ op: fc.constant('eq' as const), field, value: scalars }),
    fc.record({ op: fc.constant('in' as const), field, values: fc.array(scalars, { maxLength: 3 }) }),
    fc.record({ op: fc.constant('exists' as const), field }),
    fc.record({ op: fc.constant('contains' as const), field, value: scalars }),
    fc.record({ op: fc.constant('prefix' as const), field, value: fc.constantFrom(...TEXTS) }),
    fc
      .record({
        field,
        bounds: fc.record({ gt: bound, gte: bound, lt: bound, lte: bound }, { requiredKeys: [] }),
      })
      .map(({ field: name, bounds }): Filter => ({ op: 'range', field: name, ...bounds })),
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      filters: fc.array(tie('filter'), { maxLength: 3 }),
    }),
    tie('filter').map((filter): Filter => ({ op: 'not', filter })),
  ),
})).filter;

describe('compileFilter', () => {
  it('admits what the reference admits, whatever an earlier version of the record left behind', async () => {
    for (const flats of [FILTER_RECORDS.map(filterKeys), merged(FILTER_RECORDS)])
      for (const filter of FILTERS)
        expect(await found(filter, FILTER_RECORDS, flats), JSON.stringify(filter)).toEqual(
          expected(filter, FILTER_RECORDS),
        );
  });

  it('agrees with the reference on random filters and records', async () => {
    await fc.assert(
      fc.asyncProperty(filters, records, async (filter, all) => {
        expect(await found(filter, all, merged(all))).toEqual(expected(filter, all));
      }),
      { numRuns: 1_500, seed: 20_260_101 },
    );
  });

  it('compares every pair of texts and of numbers as the reference does, in metadata and as access level', async () => {
    const values = [...NUMBERS, ...EDGES];
    const all = values.map((value, i) => {
      const level = typeof value === 'number' ? value : 0;
      return record(`r${i}`, { access: { groups: [], level }, metadata: { a: value } });
    });
    const flats = merged(all);
    for (const value of values)
      for (const name of ['a', '$level'])
        for (const operator of ['gt', 'gte', 'lt', 'lte'] as const) {
          const filter: Filter = { op: 'range', field: name, [operator]: value };
          expect(await found(filter, all, flats), JSON.stringify(filter)).toEqual(expected(filter, all));
        }
  });

  it('asks one question for each part of a scope', async () => {
    const scope = scopeFilter({ tenant: 'acme', groups: [], clearance: 3 });
    expect(toWhere(await compileFilter(scope, readerOf([])))).toEqual({
      $and: [
        { tenant: { $eq: 'acme' } },
        { level: { $lte: 3 } },
        { facts: { $contains: '["$groups","*"]' } },
      ],
    });
  });

  it('needs no question where everything or nothing passes', async () => {
    const whereOf = async (filter: Filter) => toWhere(await compileFilter(filter, readerOf([])));
    expect(await whereOf({ op: 'and', filters: [] })).toBe(true);
    expect(await whereOf({ op: 'or', filters: [] })).toBe(false);
    expect(await whereOf({ op: 'exists', field: '$tenant' })).toBe(true);
    expect(await whereOf({ op: 'range', field: 'a', gt: 1, lt: 'b' })).toBe(false);
  });

  it('splits long lists of parts, which the database takes only 1,000 deep', async () => {
    const parts = Array.from({ length: 5_000 }, (_, i): Filter => ({ op: 'contains', field: 'a', value: i }));
    const where = toWhere(await compileFilter({ op: 'or', filters: parts }, readerOf([])));
    const widest = (value: unknown): number =>
      Array.isArray(value)
        ? Math.max(value.length, ...value.map(widest))
        : typeof value === 'object' && value !== null
          ? Math.max(0, ...Object.values(value).map(widest))
          : 0;
    expect(widest(where)).toBeLessThanOrEqual(100);
  });
});

describe('narrowingCondition', () => {
  it('is met by every record of a filter, whatever keys an upsert left over', () => {
    const flats = merged(FILTER_RECORDS);
    let narrowed = 0;
    for (const one of Object.values(FILTERS))
      for (const other of Object.values(FILTERS)) {
        const filter = and(one, other);
        const condition = narrowingCondition(filter);
        if (condition !== true) narrowed++;
        const missed = expected(filter, FILTER_RECORDS).filter((id) => {
          const index = FILTER_RECORDS.findIndex((each) => each.id === id);
          return !admits(condition, flats[index] ?? {});
        });
        expect(missed, JSON.stringify(filter)).toEqual([]);
      }
    expect(narrowed).toBeGreaterThan(0);
  });

  it('asks for values alone: no fact, no order, no tenant, nothing of an OR or a NOT', () => {
    const filter = and(
      scopeFilter(LOCAL_SCOPE),
      eq('bucket', 1),
      or(eq('a', 1), eq('b', 1)),
      not(eq('c', 1)),
    );
    expect(toWhere(narrowingCondition(filter))).toEqual({ 'v:bucket': { $eq: '1' } });
    expect(narrowingCondition(scopeFilter(LOCAL_SCOPE))).toBe(true);
  });
});
