import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText, type Filter, matchesFilter } from '../../core/filter.js';
import { FILTER_RECORDS, FILTERS } from '../../testing/vector-store/filters.js';
import { record } from '../../testing/vector-store/records.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { orderedParts } from './filter-keys.js';
import { objectOf } from './object-codec.js';
import { classNameOf, objectId, shardNamed, shardOf } from './weaviate-names.js';
import { compileFilter, tenantsOf, toGraphQl, type Where } from './where-filter.js';

/** What the server makes of a condition. */
function holds(where: Where, properties: Readonly<Record<string, unknown>>): boolean {
  if ('operands' in where) {
    const parts = where.operands.map((part) => holds(part, properties));
    if (where.operator === 'Not') return !parts.some(Boolean);
    return where.operator === 'And' ? parts.every(Boolean) : parts.some(Boolean);
  }
  const values = [properties[where.path] ?? []].flat();
  return values.some((value) => {
    if ('texts' in where) return where.texts.includes(String(value));
    if ('number' in where) return Number(value) >= where.number;
    const text = String(value);
    if (where.operator === 'Like') return text.startsWith(where.text.slice(0, -1));
    return where.operator === 'GreaterThan' ? text > where.text : text >= where.text;
  });
}

const propertiesOf = (chunk: ReturnType<typeof record>) =>
  objectOf('C', chunk).properties as Readonly<Record<string, unknown>>;

function expectSame(filter: Filter, chunk: ReturnType<typeof record>): void {
  const expected = matchesFilter(filter, fieldLookup(storedChunkOf(chunk)));
  const where = compileFilter(filter, shardOf(chunk.tenant));
  expect(where !== undefined && holds(where, propertiesOf(chunk)), JSON.stringify(filter)).toBe(expected);
  const tenants = tenantsOf(filter);
  if (expected && tenants !== undefined) expect(tenants).toContain(chunk.tenant);
}

describe('compileFilter', () => {
  it('admits what the reference admits', () => {
    for (const filter of FILTERS) for (const chunk of FILTER_RECORDS) expectSame(filter, chunk);
  });

  it('is exact for ranges and prefixes of texts and numbers of any length', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', '\u{1f600}', '\uffee', '\u0000'),
      maxLength: 40,
    });
    const long = fc.integer({ min: 0, max: 70 }).map((length) => 'x'.repeat(length));
    const text = fc.tuple(long, part).map(([head, tail]) => head + tail);
    const value = fc.oneof(text, fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }));
    const field = fc.constantFrom('f', 'updatedAt');
    const bounds = fc.record({ gt: value, gte: value, lt: value, lte: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(field, value, bounds, text, (name, held, limits, start) => {
        const chunk = record('r', { metadata: { [name]: Object.is(held, -0) ? 0 : held } });
        expectSame({ op: 'range', field: name, ...limits }, chunk);
        expectSame({ op: 'prefix', field: name, value: start }, chunk);
      }),
      { numRuns: 500 },
    );
  });

  it('is exact for a tenant whose name does not fit the server', () => {
    const tenant = 'Ünïcode '.repeat(50);
    for (const filter of [
      { op: 'eq', field: '$tenant', value: tenant },
      { op: 'eq', field: '$tenant', value: `${tenant}x` },
      { op: 'prefix', field: '$tenant', value: 'Ünï' },
      { op: 'range', field: '$tenant', gt: tenant },
      { op: 'not', filter: { op: 'in', field: '$tenant', values: [tenant, 'other'] } },
    ] as const satisfies readonly Filter[])
      expectSame(filter, record('r', { tenant }));
  });

  it('refuses a text bound that would need too many looks', () => {
    const filter: Filter = { op: 'range', field: 'f', gt: '\u0000'.repeat(9_000) };
    expect(() => compileFilter(filter, shardOf('t'))).toThrow(
      expect.objectContaining({ reason: 'STORE_FILTER_UNSUPPORTED' }),
    );
  });

  it('lets no text of the caller into the query', () => {
    const hostile = '"}}{*?\\ \u0000';
    for (const op of ['eq', 'prefix', 'contains'] as const) {
      const where = compileFilter({ op, field: hostile, value: hostile }, shardOf('t'));
      expect(where === undefined ? '' : toGraphQl(where)).toMatch(/^[\w{}:[\]",*-]+$/);
    }
  });
});

describe('names and keys', () => {
  it('are different for different tenants, collections and chunks', () => {
    const texts = [
      'a',
      'A',
      'a-b',
      'a_b',
      'a_2db',
      '',
      ' ',
      't-a',
      'b-',
      'x'.repeat(63),
      'x'.repeat(64),
      'é',
    ];
    expect(new Set(texts.map((text) => shardOf(text).name)).size).toBe(texts.length);
    expect(new Set(texts.map(objectId)).size).toBe(texts.length);
    for (const text of texts) {
      expect(shardOf(text).name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect([text, undefined]).toContain(shardNamed(shardOf(text).name).tenant);
    }
    const pairs = ['a', 'a_', 'a_b', 'b'].flatMap((a) =>
      ['b', '_b', '2d', '-', 'B'].map((b) => classNameOf(a, b)),
    );
    // The server keeps classes in folders that may not tell case apart.
    expect(new Set(pairs.map((name) => name.toLowerCase())).size).toBe(pairs.length);
    for (const name of pairs) expect(name).toMatch(/^[A-Z][A-Za-z0-9_]*$/);
  });

  it('order short texts and numbers as they are', () => {
    const digits = (value: string | number) => orderedParts('f', value)[0]?.digits ?? '';
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 15 }),
        fc.string({ unit: 'binary', maxLength: 15 }),
        (a, b) => {
          expect(Math.sign(compareText(digits(a), digits(b)))).toBe(Math.sign(compareText(a, b)));
        },
      ),
    );
    const numbers = [
      Number.NEGATIVE_INFINITY,
      -1e300,
      -1,
      -5e-324,
      0,
      5e-324,
      0.1,
      1,
      1.5,
      1e21,
      Number.POSITIVE_INFINITY,
    ];
    expect(numbers.map(digits).toSorted()).toEqual(numbers.map(digits));
  });
});
