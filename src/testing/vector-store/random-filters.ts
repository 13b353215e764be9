import assert from 'node:assert/strict';
import type * as FastCheck from 'fast-check';
import type { ChunkRecord } from '../../core/chunk.js';
import {
  ALL_FILTER_OPERATORS,
  type Filter,
  type FilterOperator,
  matchesFilter,
  type RangeBounds,
} from '../../core/filter.js';
import type { Metadata, MetadataScalar, MetadataValue } from '../../core/metadata.js';
import { fieldLookup } from '../../stores/record-fields.js';
import type { ContractPart } from './contract.js';
import { idsOf, record, stored } from './records.js';

/** The part of fast-check that is used; loaded with the test, so that importing the suite does not need it. */
type Generators = typeof FastCheck;

const RECORD_COUNT = 60;
const SEED = 20_260_101;
// Few keys and few values, so that random filters meet random records.
const KEYS = ['a', 'b', 'a.b', 'x y', "q'uote", '%', 'ключ'];
const FIELDS = [...KEYS, 'a.a', 'b.a.b', 'missing', '$tenant', '$project', '$level', '$groups', '$chunkId'];
const TEXTS = [
  '',
  'a',
  'ab',
  'b',
  'A',
  '1',
  'true',
  'null',
  'a_',
  'a%',
  "'",
  '\\',
  '\u{1f600}',
  '\uffee',
  'a\u0000',
  'é',
];
const NUMBERS = [0, 1, -1, 1.5, 2, 1e21, -1e-7, 0.1, 9_007_199_254_740_991];

/** Random filters over random records against the reference semantics. */
export const testRandomFilters: ContractPart = (test, options) => {
  test('agrees with the reference on random filters over random records', async ({ open, settle, store }) => {
    const fc = await import('fast-check');
    const records = fc.sample(recordsOf(fc), { numRuns: 1, seed: SEED })[0] ?? [];
    const collection = await open();
    await collection.upsert(records);
    await settle();
    const usable = ALL_FILTER_OPERATORS.filter((operator) =>
      store.capabilities.filterOperators.includes(operator),
    );
    const agrees = async (filter: Filter): Promise<void> => {
      const expected = stored(...records).filter((chunk) => matchesFilter(filter, fieldLookup(chunk)));
      const page = await collection.list({ filter, limit: RECORD_COUNT });
      assert.deepEqual(idsOf(page.chunks), expected.map((chunk) => chunk.id).sort());
    };
    const parameters = { numRuns: options.randomFilters ?? 150, seed: SEED };
    await fc.assert(fc.asyncProperty(filtersOf(fc, usable), agrees), parameters);
    await collection.optimize();
    await fc.assert(fc.asyncProperty(filtersOf(fc, usable), agrees), { ...parameters, seed: SEED + 1 });
  });
};

function scalarsOf(fc: Generators): FastCheck.Arbitrary<MetadataScalar> {
  return fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));
}

export function recordsOf(fc: Generators): FastCheck.Arbitrary<ChunkRecord[]> {
  const texts = fc.constantFrom(...TEXTS);
  const changes = fc.record({
    tenant: texts,
    source: texts,
    project: fc.option(texts, { nil: undefined }),
    groups: fc.array(texts, { maxLength: 3 }),
    level: fc.constantFrom(0, 1, 2, 5),
    metadata: metadataOf(fc),
  });
  return fc.array(changes, { minLength: RECORD_COUNT, maxLength: RECORD_COUNT }).map((all) =>
    all.map(({ groups, level, project, ...rest }, i) =>
      record(`r${String(i).padStart(2, '0')}`, {
        ...rest,
        ...(project === undefined ? {} : { project }),
        access: { groups, level },
      }),
    ),
  );
}

function metadataOf(fc: Generators): FastCheck.Arbitrary<Metadata> {
  const scalars = scalarsOf(fc);
  const { value } = fc.letrec<{ value: MetadataValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalars,
      fc.array(scalars, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 5, noNullPrototype: true });
}

export function filtersOf(fc: Generators, usable: readonly FilterOperator[]): FastCheck.Arbitrary<Filter> {
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => {
    const nested = fc.array(tie('filter'), { maxLength: 3 });
    return {
      filter: fc.oneof(
        { maxDepth: 3 },
        ...leavesOf(fc, usable),
        nested.map((filters): Filter => ({ op: 'and', filters })),
        nested.map((filters): Filter => ({ op: 'or', filters })),
        tie('filter').map((inner): Filter => ({ op: 'not', filter: inner })),
      ),
    };
  });
  return filter;
}

function leavesOf(fc: Generators, usable: readonly FilterOperator[]): FastCheck.Arbitrary<Filter>[] {
  const field = fc.constantFrom(...FIELDS);
  const value = scalarsOf(fc);
  const leaves: Partial<Record<FilterOperator, FastCheck.Arbitrary<Filter>>> = {
    eq: fc.record({ op: fc.constant('eq'), field, value }),
    in: fc.record({ op: fc.constant('in'), field, values: fc.array(value, { maxLength: 4 }) }),
    range: fc
      .record({ field, bounds: boundsOf(fc) })
      .map((parts): Filter => ({ op: 'range', field: parts.field, ...parts.bounds })),
    exists: fc.record({ op: fc.constant('exists'), field }),
    contains: fc.record({ op: fc.constant('contains'), field, value }),
    prefix: fc.record({ op: fc.constant('prefix'), field, value: fc.constantFrom(...TEXTS) }),
  };
  return usable.flatMap((operator) => leaves[operator] ?? []);
}

function boundsOf(fc: Generators): FastCheck.Arbitrary<RangeBounds> {
  const bound = fc.constantFrom<number | string>(...NUMBERS, ...TEXTS);
  return fc.record({ gt: bound, gte: bound, lt: bound, lte: bound }, { requiredKeys: [] });
}
