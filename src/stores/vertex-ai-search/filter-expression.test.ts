import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../tests/fakes/services/vertex-search/filter-grammar.js';
import type { ChunkRecord } from '../../core/chunk.js';
import {
  ALL_FILTER_OPERATORS,
  and,
  contains,
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
import { filtersOf, recordsOf } from '../../testing/vector-store/random-filters.js';
import { record } from '../../testing/vector-store/records.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { documentOf } from './document-codec.js';
import { candidatesOf, literal } from './filter-expression.js';

/** Whether the service would find a record. */
function finds(filter: Filter, of: ChunkRecord): boolean {
  const expression = candidatesOf(filter);
  if (typeof expression === 'boolean') return expression;
  const { facts } = documentOf(of, 'stamp').data;
  return parseFilter(expression, (field) => field === 'facts')(() => (Array.isArray(facts) ? facts : []));
}

const admits = (filter: Filter, of: ChunkRecord): boolean =>
  matchesFilter(filter, fieldLookup(storedChunkOf(of)));

describe('a filter as the service is asked', () => {
  it('never loses a chunk that the filter admits', () => {
    fc.assert(
      fc.property(recordsOf(fc), filtersOf(fc, ALL_FILTER_OPERATORS), (records, filter) => {
        for (const of of records) if (admits(filter, of)) expect(finds(filter, of)).toBe(true);
      }),
    );
  });

  const one = record('a', {
    tenant: 'acme',
    metadata: { state: 'open', n: 5, tags: ['x', 'y'], title: 'Alpha "beta"' },
  });
  for (const [what, filter] of [
    ['equality', eq('state', 'closed')],
    ['another tenant', eq('$tenant', 'other')],
    ['membership', oneOf('state', ['closed', 'new'])],
    ['presence', exists('nothing')],
    ['elements', contains('tags', 'z')],
    ['a negation', not(eq('state', 'open'))],
    ['a conjunction of one that cannot be asked', and(range('n', { gt: 1 }), eq('state', 'closed'))],
    ['a range over a field of no order', range('tags', { gt: 1 })],
    ['nothing', or()],
  ] as const)
    it(`${what} is decided there`, () => {
      expect(admits(filter, one)).toBe(false);
      expect(finds(filter, one)).toBe(false);
    });

  it('what is only known here is asked for as less, also where it is negated', () => {
    expect(finds(range('n', { gt: 9 }), one)).toBe(true);
    expect(finds(prefix('title', 'Beta'), one)).toBe(true);
    expect(finds(not(prefix('title', 'Beta')), one)).toBe(true);
    expect(finds(not(not(range('n', { gt: 9 }))), one)).toBe(true);
  });

  it('too long a list is left out, and never makes the rest weaker than what it stands with', () => {
    const long = oneOf(
      'state',
      Array.from({ length: 1_000 }, (_, i) => `s${i}`),
    );
    expect(candidatesOf(long)).not.toContain('s999');
    expect(finds(and(long, eq('$tenant', 'acme')), one)).toBe(true);
    expect(finds(and(long, eq('$tenant', 'other')), one)).toBe(false);
    expect(finds(not(long), one)).toBe(true);
  });

  it('too long a conjunction is asked in part, and not at all where it is negated', () => {
    const others = Array.from({ length: 150 }, (_, i) => `s${i}`);
    const nearly = and(oneOf('state', ['open', ...others]), oneOf('title', others));
    expect(admits(nearly, one)).toBe(false);
    expect(finds(nearly, one)).toBe(true);
    expect(finds(not(nearly), one)).toBe(true);
  });

  it('a text cannot leave its quotes', () => {
    expect(literal('a" OR facts: ANY("b\\')).toBe('"a\\" OR facts: ANY(\\"b\\\\"');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseFilter(`key: ANY(${literal(text)})`, () => true)(() => [text])).toBe(true);
      }),
    );
  });
});
