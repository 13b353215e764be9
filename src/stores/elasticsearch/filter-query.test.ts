import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkRecord } from '../../core/chunk.js';
import {
  and,
  compareText,
  contains,
  EVERYTHING,
  eq,
  exists,
  type Filter,
  matchesFilter,
  not,
  oneOf,
  or,
  prefix,
  range,
} from '../../core/filter.js';
import type { MetadataValue } from '../../core/metadata.js';
import { record } from '../../testing/vector-store/records.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { facetKeys, SEGMENT_CODE_POINTS } from './facet-keys.js';
import { compileFilter, FACETS, type Query } from './filter-query.js';

/** What a server makes of a compiled query, with Lucene's order of terms (UTF-8 bytes, so code points). */
function admits(query: Query, keys: readonly string[]): boolean {
  const [kind, body] = Object.entries(query)[0] ?? [];
  const part = body as Record<string, unknown>;
  switch (kind) {
    case 'match_all':
      return true;
    case 'match_none':
      return false;
    case 'terms':
      return (part[FACETS] as string[]).some((key) => keys.includes(key));
    case 'range':
      return keys.some((key) => isWithin(key, part[FACETS] as Record<string, string>));
    case 'bool': {
      const queries = (name: string): Query[] => (part[name] ?? []) as Query[];
      const should = queries('should');
      return (
        queries('filter').every((inner) => admits(inner, keys)) &&
        !queries('must_not').some((inner) => admits(inner, keys)) &&
        (should.length === 0 || should.some((inner) => admits(inner, keys)))
      );
    }
    default:
      throw new Error(`unknown query ${kind}`);
  }
}

const TESTS: Readonly<Record<string, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

const isWithin = (key: string, bounds: Record<string, string>): boolean =>
  Object.entries(bounds).every(([operator, bound]) => TESTS[operator]?.(compareText(key, bound)));

function expectAgreement(filter: Filter, chunk: ChunkRecord): void {
  const expected = matchesFilter(filter, fieldLookup(storedChunkOf(chunk)));
  expect(admits(compileFilter(filter), facetKeys(chunk)), JSON.stringify(filter).slice(0, 300)).toBe(
    expected,
  );
}

const withValue = (value: MetadataValue): ChunkRecord => record('r', { metadata: { f: value } });

describe('a compiled filter admits what the reference admits', () => {
  const full = 'x'.repeat(SEGMENT_CODE_POINTS);
  // Around the cuts: one short, just full, one more, two segments; and characters of every length of UTF-8.
  const longText = fc
    .tuple(
      fc.constantFrom('', full.slice(1), full, `${full}${full}`, '\u{1f600}'.repeat(SEGMENT_CODE_POINTS - 1)),
      fc.array(fc.constantFrom('a', 'x', 'é', '\uffee', '\u{1f600}', '\u{10ffff}', '\u0000', '\ud7ff'), {
        maxLength: 3,
      }),
    )
    .map(([start, rest]) => start + rest.join(''));
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -0, 5e-324, -1e300),
  );
  const scalar = fc.oneof(longText, number, fc.boolean(), fc.constant(null));
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({}));

  it('for texts of any length', () => {
    const filterOf = (text: string): Filter[] => [
      eq('f', text),
      oneOf('f', ['a', text]),
      contains('f', text),
      prefix('f', text),
      range('f', { gt: text }),
      range('f', { gte: text }),
      range('f', { lt: text }),
      range('f', { lte: text, gte: 'a' }),
    ];
    fc.assert(
      fc.property(value, longText, (stored, text) => {
        for (const filter of filterOf(text)) expectAgreement(filter, withValue(stored));
      }),
      { numRuns: 300 },
    );
  });

  it('for numbers, whatever their sign and size', () => {
    fc.assert(
      fc.property(value, number, number, (stored, a, b) => {
        for (const filter of [
          eq('f', a),
          range('f', { gt: a, gte: b }),
          range('f', { lt: a, lte: b, gt: b }),
          range('f', {}),
        ])
          expectAgreement(filter, withValue(stored));
      }),
    );
  });

  it('a number is found by itself in both spellings of zero', () => {
    expectAgreement(eq('f', -0), withValue(0));
    expectAgreement(eq('f', 0), withValue(-0));
    expectAgreement(
      range('f', { gte: Number.NEGATIVE_INFINITY, lte: Number.POSITIVE_INFINITY }),
      withValue(1),
    );
  });

  it('for any combination', () => {
    const leafFilter = fc.constantFrom<Filter>(
      eq('f', 1),
      exists('f'),
      exists('g'),
      contains('f', 's'),
      range('f', {}),
      or(),
    );
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => {
      const parts = fc.array(tie('filter'), { maxLength: 3 });
      return {
        filter: fc.oneof(
          { maxDepth: 4 },
          leafFilter,
          tie('filter').map(not),
          parts.map((filters): Filter => ({ op: 'and', filters })),
          parts.map((filters): Filter => ({ op: 'or', filters })),
        ),
      };
    });
    const chunks = [1, 's', null, ['s']].map(withValue).concat(record('r'));
    fc.assert(
      fc.property(filter, (combined) => {
        for (const chunk of chunks) expectAgreement(combined, chunk);
      }),
      { numRuns: 500 },
    );
  });

  it('no field is taken for another', () => {
    const chunk = record('r', {
      metadata: { f: 'a', 'f=s0:a': 'b', 'f=': '', $tenant: 'other', ['p'.repeat(300)]: 'long', list: ['s'] },
    });
    for (const field of [
      'f',
      'f=',
      'f=s0',
      'f=s0:a',
      '$tenant',
      '',
      'p'.repeat(300),
      'p'.repeat(301),
      'list',
    ])
      for (const text of ['a', 'b', '', 'acme', 'other', 'long', 's'])
        for (const filter of [eq(field, text), exists(field), contains(field, text), prefix(field, text)])
          expectAgreement(filter, chunk);
  });
});

describe('the shape of a query', () => {
  it('alternatives of keys are one terms query, however many groups a scope has', () => {
    const groups = Array.from({ length: 5_000 }, (_, i) => contains('$groups', `g${i}`));
    expect(Object.keys(compileFilter(or(...groups)))).toEqual(['terms']);
  });

  it('more values than one terms query may have are several', () => {
    const query = compileFilter(
      oneOf(
        '$chunkId',
        Array.from({ length: 120_000 }, (_, i) => `c${i}`),
      ),
    );
    expect(query).toMatchObject({ bool: { should: { length: 3 } } });
  });

  it('what is decided without a chunk is decided here', () => {
    expect(compileFilter(EVERYTHING)).toEqual({ match_all: {} });
    expect(compileFilter(and(eq('a', 1), or()))).toEqual({ match_none: {} });
    expect(compileFilter(not(or()))).toEqual({ match_all: {} });
    expect(compileFilter(range('a', { gt: 1, lt: 'b' }))).toEqual({ match_none: {} });
  });

  it('a filter that no server would take is refused', () => {
    const deep = (levels: number): Filter => {
      let filter: Filter = eq('a', 1);
      for (let i = 0; i < levels; i++) filter = not(filter);
      return filter;
    };
    expect(() => compileFilter(deep(14))).not.toThrow();
    expect(() => compileFilter(deep(30))).toThrow(
      expect.objectContaining({ reason: 'STORE_FILTER_UNSUPPORTED' }),
    );
  });
});
