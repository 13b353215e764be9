import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesFilter } from './filter.js';
import { EVERYONE, LOCAL_SCOPE, type ScopeInput, scopeFilter, scopeOf } from './scope.js';

const refusal = expect.objectContaining({ reason: 'SCOPE_INVALID' });

describe('scopeOf', () => {
  it('gives what is left out nothing: no groups, clearance 0, every project', () => {
    expect(scopeOf({ tenant: 'acme' })).toEqual({ tenant: 'acme', groups: [], clearance: 0 });
    expect(scopeOf({ tenant: 'acme', project: undefined, groups: undefined, clearance: undefined })).toEqual({
      tenant: 'acme',
      groups: [],
      clearance: 0,
    });
  });

  it('keeps what is stated', () => {
    const stated = { tenant: 'acme', project: 'p', groups: ['hr', 'it'], clearance: 3 };
    expect(scopeOf(stated)).toEqual(stated);
  });

  it('is the tenant default, no groups and clearance 0 for a call that states none', () => {
    expect(LOCAL_SCOPE).toEqual({ tenant: 'default', groups: [], clearance: 0 });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'acme'],
    ['a list', ['acme']],
    ['no tenant', {}],
    ['no tenant, but the rest', { groups: ['hr'], clearance: 9 }],
    ['a null tenant', { tenant: null }],
    ['an empty tenant', { tenant: '' }],
    ['a tenant that a database would cut', { tenant: 'acme\u0000x' }],
    ['a tenant that is stored as another', { tenant: 'acme\ud800' }],
    ['a tenant that is a list', { tenant: ['acme'] }],
    ['a null project', { tenant: 'acme', project: null }],
    ['null groups', { tenant: 'acme', groups: null }],
    ['one group as text', { tenant: 'acme', groups: 'hr' }],
    ['a group that is no text', { tenant: 'acme', groups: ['hr', 1] }],
    ['a hole in the groups', { tenant: 'acme', groups: new Array(1) }],
    ['a null clearance', { tenant: 'acme', clearance: null }],
    ['a clearance that is no number', { tenant: 'acme', clearance: Number.NaN }],
    ['an endless clearance', { tenant: 'acme', clearance: Number.POSITIVE_INFINITY }],
    ['a clearance as text', { tenant: 'acme', clearance: '1' }],
    ['a clearance between two', { tenant: 'acme', clearance: 1.5 }],
    ['a large integer', { tenant: 'acme', clearance: 1n }],
    ['an unknown key', { tenant: 'acme', role: 'admin' }],
  ])('refuses %s', (_, input) => {
    expect(() => scopeOf(input)).toThrow(refusal);
    expect(() => scopeFilter(input as ScopeInput)).toThrow(refusal);
  });

  it('names the key that was meant', () => {
    expect(() => scopeOf({ tenant: 'acme', clearence: 1 })).toThrow('Did you mean clearance?');
    expect(() => scopeOf({ tenant: 'acme', group: ['hr'] })).toThrow('Did you mean groups?');
  });

  it('is not changed by what the caller does to its object afterwards', () => {
    const groups = ['hr'];
    const scope = scopeOf({ tenant: 'acme', groups });
    groups.push('board');
    expect(scope.groups).toEqual(['hr']);
  });

  it('never admits more with less: each part that is left out admits a subset', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const scopes = fc.record({
      tenant: name,
      groups: fc.array(name),
      clearance: fc.integer({ min: 0, max: 3 }),
    });
    const records = fc.record({
      $tenant: name,
      $level: fc.integer({ min: 0, max: 3 }),
      $groups: fc.array(fc.constantFrom('a', 'b', 'c', EVERYONE)),
    });
    fc.assert(
      fc.property(scopes, records, fc.constantFrom('groups', 'clearance'), (scope, record, left) => {
        const { [left as 'groups']: _, ...less } = scope;
        const fields: Readonly<Record<string, string | number | readonly string[]>> = record;
        const admits = (asked: ScopeInput) => matchesFilter(scopeFilter(asked), (field) => fields[field]);
        expect(admits(less as ScopeInput) && !admits(scope)).toBe(false);
      }),
    );
  });
});
