import { describe, expect, it } from 'vitest';
import { type Asked, selectStores, withPassed } from './select-stores.js';
import type { StoreUnderTest } from './stores.js';

const suite = (name: string, changes: Partial<StoreUnderTest> = {}): StoreUnderTest => ({
  name,
  tests: `${name}/`,
  kind: 'real',
  ...changes,
});
const SUITES = [
  suite('daily', { when: 'npm test' }),
  suite('shared', { when: 'always' }),
  suite('same'),
  suite('changed'),
  suite('new'),
  suite('long', { isSlow: true }),
];
const ASKED: Asked = {
  names: [],
  all: false,
  tested: { same: 'hash of same', changed: 'an earlier one', shared: 'hash of shared' },
  hashOf: ({ name }) => `hash of ${name}`,
  hasServer: () => false,
};
const namesOf = (asked: Partial<Asked>): string[] =>
  selectStores(SUITES, { ...ASKED, ...asked }).chosen.map(({ name }) => name);

describe('a run of the suites of stores', () => {
  it('takes what always runs, what changed and what was never tested, and says of the others why not', () => {
    expect(namesOf({})).toEqual(['shared', 'changed', 'new']);
    expect(selectStores(SUITES, ASKED).leftOut).toEqual([
      { name: 'daily', reason: '`npm test` tests it' },
      { name: 'same', reason: 'unchanged since it was tested' },
      { name: 'long', reason: 'NOT TESTED though it changed, for it takes minutes: name it, or --all' },
    ]);
  });

  it('takes what is named, or everything, whatever was tested before', () => {
    expect(namesOf({ names: ['same', 'long'] })).toEqual(['same', 'long']);
    expect(namesOf({ all: true })).toEqual(SUITES.map(({ name }) => name));
  });

  it('takes a slow one whose server runs already', () => {
    expect(namesOf({ hasServer: ({ name }) => name === 'long' })).toContain('long');
  });

  it('records what passed, of suites that are looked up alone', () => {
    const [daily, shared, same] = SUITES as [StoreUnderTest, StoreUnderTest, StoreUnderTest];
    const before = { z: '1' };
    expect(withPassed(before, same, 'h', true)).toEqual({ same: 'h', z: '1' });
    for (const [one, passed] of [
      [same, false],
      [shared, true],
      [daily, true],
    ] as const)
      expect(withPassed(before, one, 'h', passed)).toBe(before);
  });
});
