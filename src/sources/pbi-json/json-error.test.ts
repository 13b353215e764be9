import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError, lineAndColumn, nestsDeeperThan } from './json-error.js';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('findJsonError', () => {
  it.each([
    ['', 0, 'truncated'],
    ['{"a": [1, 2', 11, 'truncated'],
    ['{"a": "open', 11, 'truncated'],
    ['{"a": "\\u00', 11, 'truncated'],
    ['{"a": tr', 8, 'truncated'],
    ['[-', 2, 'truncated'],
    ['{"a": }', 6, 'unexpected'],
    ['[1,]', 3, 'unexpected'],
    ['{a: 1}', 1, 'unexpected'],
    ['{"a" 1}', 5, 'unexpected'],
    ['[1}', 2, 'unexpected'],
    ['[1] [2]', 4, 'unexpected'],
    ['"\n"', 1, 'unexpected'],
    ['"\\x"', 1, 'unexpected'],
    ['[01]', 2, 'unexpected'],
  ])('%j fails at %i: %s', (text, offset, problem) => {
    expect(findJsonError(text)).toEqual({ offset, problem });
  });

  it('agrees with JSON.parse on damaged JSON', () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.nat(3),
        fc.constantFrom('', '"', '\\', '}', ']', ',', ':', '1', 'e', '.', '-', ' '),
      )
      .map(([json, at, removed, put]) => {
        const offset = at % (json.length + 1);
        return json.slice(0, offset) + put + json.slice(offset + removed);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        expect(findJsonError(text) === undefined).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('calls every proper prefix of an object truncated, at its end', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
        const json = JSON.stringify(value, null, 1);
        const prefix = json.slice(0, at % json.length);
        expect(findJsonError(prefix)).toEqual({ offset: prefix.length, problem: 'truncated' });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('nestsDeeperThan', () => {
  it('counts brackets outside of strings only', () => {
    expect(nestsDeeperThan('[[[]]]', 3)).toBe(false);
    expect(nestsDeeperThan('[[[]]]', 2)).toBe(true);
    expect(nestsDeeperThan('["[[[[\\"[[[\\\\"]', 1)).toBe(false);
    expect(nestsDeeperThan('["\\\\", [[]]]', 2)).toBe(true);
    expect(nestsDeeperThan(`"${'['.repeat(1000)}`, 1)).toBe(false);
  });

  it('equals the depth of the value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner)))
        : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const depth = depthOf(value);
        expect(nestsDeeperThan(JSON.stringify(value), depth)).toBe(false);
        if (depth > 0) expect(nestsDeeperThan(JSON.stringify(value), depth - 1)).toBe(true);
      }),
    );
  });
});

it('lineAndColumn is 1-based', () => {
  expect(lineAndColumn('a\nbc', 0)).toEqual({ line: 1, column: 1 });
  expect(lineAndColumn('a\nbc', 3)).toEqual({ line: 2, column: 2 });
});
