import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contains, eq, type Filter, matchesFilter, not, oneOf, range } from '../../core/filter.js';
import type { MetadataValue } from '../../core/metadata.js';
import { compileFilter, demandedIdentifier, readsBody, reduceByProfile } from './row-filter.js';

const FIELDS = ['$tenant', '$level', '$groups', '$chunkId', '$identifiers', 'state', 'missing'];
const values = fc.constantFrom('a', 'b', 1, 2, null, true);

const filters = fc.letrec<{ filter: Filter }>((tie) => {
  const field = fc.constantFrom(...FIELDS);
  const parts = fc.array(tie('filter'), { maxLength: 3 });
  return {
    filter: fc.oneof(
      { maxDepth: 4 },
      fc.record({ op: fc.constant('eq' as const), field, value: values }),
      fc.record({ op: fc.constant('contains' as const), field, value: values }),
      fc.record({ op: fc.constant('exists' as const), field }),
      fc.record({ op: fc.constant('in' as const), field, values: fc.array(values, { maxLength: 20 }) }),
      fc.record({ op: fc.constant('range' as const), field, gte: fc.constantFrom(1, 'a') }),
      parts.map((all): Filter => ({ op: 'and', filters: all })),
      parts.map((all): Filter => ({ op: 'or', filters: all })),
      tie('filter').map((filter): Filter => ({ op: 'not', filter })),
    ),
  };
}).filter;

const chunks = fc.record({
  $tenant: values,
  $level: fc.constantFrom(0, 1, 2),
  $groups: fc.array(values, { maxLength: 2 }),
  $chunkId: values,
  $identifiers: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  state: values,
});

describe('a filter for scans', () => {
  it('means the same compiled, and reduced by the profile of the chunk', () => {
    fc.assert(
      fc.property(filters, chunks, (filter, chunk) => {
        const lookup = (field: string) => new Map<string, MetadataValue>(Object.entries(chunk)).get(field);
        const expected = matchesFilter(filter, lookup);
        expect(compileFilter(filter)(lookup)).toBe(expected);
        // Only profile fields may be asked for while reducing: the result is used for other chunks too.
        const profile = (field: string) => {
          expect(['$tenant', '$level', '$groups']).toContain(field);
          return lookup(field);
        };
        const reduced = reduceByProfile(filter, profile);
        expect(typeof reduced === 'boolean' ? reduced : matchesFilter(reduced, lookup)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('demands an identifier only where every chunk that it admits has it', () => {
    let demands = 0;
    fc.assert(
      fc.property(filters, chunks, (filter, chunk) => {
        const demand = demandedIdentifier(filter);
        if (demand === undefined) return;
        demands++;
        const lookup = (field: string) => new Map<string, MetadataValue>(Object.entries(chunk)).get(field);
        const isHolder = chunk.$identifiers.some((held) => held === demand.identifier);
        expect(isHolder && matchesFilter(demand.rest, lookup)).toBe(matchesFilter(filter, lookup));
      }),
      { numRuns: 5_000, seed: 7 },
    );
    expect(demands).toBeGreaterThan(20);
  });

  it('is decided for a whole profile where it asks for nothing else', () => {
    const scope: Filter = {
      op: 'and',
      filters: [eq('$tenant', 'a'), range('$level', { lte: 1 }), not(contains('$groups', 'x'))],
    };
    const profile = (field: string) => ({ $tenant: 'a', $level: 1, $groups: [] })[field];
    expect(reduceByProfile(scope, profile)).toBe(true);
    expect(reduceByProfile(scope, (field) => (field === '$tenant' ? 'b' : profile(field)))).toBe(false);
  });

  it('reads bodies only for metadata and identifiers', () => {
    expect(readsBody(not(oneOf('$chunkId', ['a'])))).toBe(false);
    expect(readsBody({ op: 'or', filters: [eq('$tenant', 'a'), eq('state', 'x')] })).toBe(true);
    expect(readsBody(contains('$identifiers', 'A-1'))).toBe(true);
  });
});
