import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  and,
  contains,
  EVERYTHING,
  eq,
  exists,
  type Filter,
  not,
  oneOf,
  or,
  prefix,
  range,
} from '../../core/filter.js';
import { compileFilter } from './filter-sql.js';
import { Parameters } from './sql-text.js';

const target = { keyType: 'bytea', keyOf: (id: string) => `key of ${id}` };

function compile(filter: Filter) {
  const parameters = new Parameters();
  const text = parameters.render(compileFilter(filter, target));
  return { text, values: parameters.values };
}

describe('a filter as SQL', () => {
  it('has its values bound, each once', () => {
    expect(compile(eq('state', "o'pen"))).toEqual({
      text: '(metadata -> $1::text) = $2::jsonb',
      values: ['state', '"o\'pen"'],
    });
    expect(compile(range('a.b', { gte: 1, lt: 2 })).values).toEqual(['a.b', 'a', 'b', '1', '2']);
    expect(compile(oneOf('$chunkId', ['x', 'y']))).toEqual({
      text: 'key = ANY($1::bytea[]) AND id = ANY($2::text[])',
      values: [
        ['key of x', 'key of y'],
        ['x', 'y'],
      ],
    });
  });

  it('orders text by code point, whatever the collation of the database', () => {
    for (const filter of [range('a', { gt: 'x' }), range('$source', { lte: 'x' })])
      expect(compile(filter).text).toContain('COLLATE "C"');
  });

  it('negates at the leaves, where NULL is false', () => {
    expect(compile(not(and(eq('$tenant', 'a'), not(eq('$project', 'p'))))).text).toBe(
      '((tenant = ANY($1::text[])) IS NOT TRUE) OR (project = ANY($2::text[]))',
    );
  });

  it('binds nothing for what is decided already', () => {
    expect(compile(EVERYTHING)).toEqual({ text: 'TRUE', values: [] });
    expect(compile(and(eq('a', 1), or())).values).toEqual([]);
    expect(compile(or(prefix('a', 'x'), exists('$tenant')))).toEqual({ text: 'TRUE', values: [] });
    for (const filter of [
      eq('$groups', 'a'),
      eq('$project', null),
      eq('$level', '3'),
      contains('$tenant', 'a'),
      range('a', { gt: 1, lt: 'b' }),
      range('$level', { lt: 'b' }),
      eq('n', Number.POSITIVE_INFINITY),
    ])
      expect(compile(filter).text).toBe('FALSE');
  });

  it('writes NUL as the store keeps it, in values and keys', () => {
    expect(compile(eq('k\0', 'v\0')).values).toEqual(['k\u0001\u0001', '"v\\u0001\\u0001"']);
    expect(compile(eq('$source', '\0')).values).toEqual([['\u0001\u0001']]);
  });

  it('refuses more values than a statement can have', () => {
    const many = or(...Array.from({ length: 40_000 }, (_, i) => eq(`field${i}`, i)));
    expect(() => compile(many)).toThrow(expect.objectContaining({ reason: 'STORE_FILTER_UNSUPPORTED' }));
  });

  it('never holds a text of the filter', () => {
    const marker = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 5 })
      .map((text) => `§${text}'"$1;--§`);
    const leaf = fc.oneof(
      fc.tuple(marker, marker).map(([field, value]) => eq(field, value)),
      fc.tuple(marker, marker).map(([field, value]) => oneOf(field, [value, 1])),
      fc.tuple(marker, marker).map(([field, value]) => prefix(field, value)),
      fc.tuple(marker, marker).map(([field, value]) => contains(field, value)),
      fc.tuple(marker, marker).map(([field, value]) => range(field, { gte: value })),
      marker.map((value) => eq('$chunkId', value)),
      marker.map((value) => range('$source', { lt: value })),
      marker.map((field) => exists(`${field}.x`)),
    );
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 5 }), (leaves) => {
        const { text, values } = compile(not(or(...leaves)));
        expect(text).not.toContain('§');
        const placeholders = new Set(text.match(/\$\d+/g) ?? []);
        expect(placeholders.size).toBe(values.length);
      }),
    );
  });
});
