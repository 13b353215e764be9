import { describe, expect, test } from 'vitest';
import { NOT_LOGGED, withoutEncrypted } from './logged-filters.js';

const V = 'zirconflorin';
const F = 'salary_band';
const FIELDS = [F, 'pay.base'];

const logged = (stated: object, fields: readonly string[] = FIELDS): object =>
  withoutEncrypted(stated, fields);

const deep = (depth: number): unknown =>
  depth === 0 ? { op: 'eq', field: F, value: V } : { op: 'not', filter: deep(depth - 1) };
const round: Record<string, unknown> = { op: 'not', value: V };
round.filter = round;

describe('of what names an encrypted field nothing is logged but that it does', () => {
  test.each<[string, unknown]>([
    ['its name', { metadata: { [F]: V } }],
    ['beside another one', { metadata: { state: 'New', [F]: V } }],
    ['a part of it', { metadata: { [`${F}.from`]: V } }],
    ['a path that ends in it', { metadata: { [`metadata.${F}`]: V } }],
    ['a longer path', { metadata: { [`a.${F}.b`]: V } }],
    ['a path in it with several parts', { metadata: { 'metadata.pay.base': V } }],
    ['what it is a part of', { metadata: { pay: V } }],
    ['an object in metadata', { metadata: { metadata: { [F]: V } } }],
    ['an object that makes a path', { metadata: { pay: { base: V } } }],
    ['an object in a list', { metadata: { a: [{ [F]: V }] } }],
    ['a list as metadata', { metadata: [{ [F]: V }] }],
    ['a key of its own', { [F]: V }],
    ['folded metadata', { knowledgeMetadata: { [F]: V } }],
    ['a path of folded metadata', { metadata: { 'knowledgeMetadata.a': V } }],
    ['what is folded and was not lifted', { metadata: { 'metadata.knowledgeRest.a': V } }],
    ['what is encrypted', { metadata: { 'sealed.a': V } }],
    ['another case', { metadata: { Salary_Band: V } }],
    ['brackets', { metadata: { [`metadata['${F}']`]: V } }],
    ['a slash', { metadata: { [`metadata/${F}`]: V } }],
    ['a text of JSON', { metadata: { metadata: JSON.stringify({ [F]: V }) } }],
    ['a key with spaces', { metadata: { [` ${F} `]: V } }],
    ['a text', `${F}=${V}`],
    ['a list', [F, V]],
    ['an unknown key', { value: V }],
    ['a wrong type', { tags: V }],
    ['a map', new Map([[F, V]])],
  ])('filters: %s', (_, filters) => {
    const stated = logged({ filters });
    expect(stated).toEqual({ filters: NOT_LOGGED });
  });

  test.each<[string, unknown]>([
    ['eq', { op: 'eq', field: F, value: V }],
    ['in', { op: 'in', field: F, values: [V] }],
    ['range', { op: 'range', field: F, gte: V }],
    ['prefix', { op: 'prefix', field: `${F}.from`, value: V }],
    ['a path that ends in it', { op: 'eq', field: `metadata.${F}`, value: V }],
    ['what it is a part of', { op: 'eq', field: 'pay', value: V }],
    ['folded metadata', { op: 'contains', field: 'knowledgeMetadata', value: V }],
    [
      'beside another one',
      {
        op: 'and',
        filters: [
          { op: 'eq', field: 'a', value: 'b' },
          { op: 'eq', field: F, value: V },
        ],
      },
    ],
    ['in another one', deep(3)],
    ['in many', deep(300)],
    ['in too many', deep(2_000)],
    ['in itself', round],
    ['a key', { [F]: V }],
    ['path', { op: 'eq', path: F, value: V }],
    ['path, unnamed', { op: 'eq', path: 'x', value: V }],
    ['a list as field', { op: 'eq', field: ['metadata', F], value: V }],
    ['args', { op: 'and', args: [{ op: 'eq', field: F, value: V }] }],
    ['an unknown operator', { op: 'like', field: 'state', value: V }],
    ['an object as value', { op: 'eq', field: 'state', value: { [F]: V } }],
    ['a text', `${F}=${V}`],
    ['a text without it', `${V}`],
    ['a list', [{ op: 'eq', field: F, value: V }]],
    ['null', null],
  ])('filter: %s', (_, filter) => {
    expect(logged({ filter })).toEqual({ filter: NOT_LOGGED });
  });
});

test('whatever does not name one is logged as it was stated', () => {
  const filters = {
    ...{ tags: ['x'], source: ['wiki'], sourceType: ['md'] },
    dateRange: { start: new Date('2026-01-01T00:00:00Z') },
    metadata: { state: ['New', 'Open'], salary_bandit: 1, bandsalary_band2: null, payment: 'a', 'a.base': 2 },
  };
  const filter = {
    op: 'and',
    filters: [
      { op: 'eq', field: '$tenant', value: 'acme' },
      { op: 'not', filter: { op: 'range', field: 'year', gte: 2020 } },
    ],
  };
  expect(logged({ filters, filter })).toEqual({ filters, filter });
});

test('one of the two is logged where the other one is not', () => {
  const filters = { metadata: { state: 'New' } };
  expect(logged({ filters, filter: { op: 'eq', field: F, value: V } })).toEqual({
    filters,
    filter: NOT_LOGGED,
  });
});

test('where no field is encrypted, only what is encrypted still is left out', () => {
  const filters = { anything: [V] };
  expect(logged({ filters, filter: 'a=b' }, [])).toEqual({ filters, filter: 'a=b' });
  const open = { op: 'eq', field: 'sealed-by', value: 'sealed' };
  expect(logged({ filter: open }, [])).toEqual({ filter: open });
  expect(logged({ filter: { op: 'exists', field: 'sealed.a' } }, [])).toEqual({ filter: NOT_LOGGED });
});
