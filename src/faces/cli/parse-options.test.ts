import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { isoDate, numberBetween, parseFilter, wholeNumber } from './parse-options.js';

describe('option values', () => {
  test.each(['', '0', '-1', '1.5', '1e3', 'five', '0x10', '9'.repeat(20)])(
    '"%s" is no whole number from 1',
    (text) => {
      expect(() => wholeNumber(1)(text)).toThrow(InvalidArgumentError);
    },
  );

  test('whole numbers and bounded numbers', () => {
    expect(wholeNumber(0)('0')).toBe(0);
    expect(wholeNumber(1, 3)('3')).toBe(3);
    expect(() => wholeNumber(1, 3)('9')).toThrow('It must be a whole number from 1 to 3.');
    expect(numberBetween(0, 1)('.25')).toBe(0.25);
    for (const text of ['', ' ', 'x', '1.01', '-0.1', 'NaN'])
      expect(() => numberBetween(0, 1)(text)).toThrow(InvalidArgumentError);
  });

  test('a date alone is the whole day in UTC', () => {
    expect(isoDate('start')('2026-01-31').toISOString()).toBe('2026-01-31T00:00:00.000Z');
    expect(isoDate('end')('2026-01-31').toISOString()).toBe('2026-01-31T23:59:59.999Z');
    expect(isoDate('end')('2026-01-31T10:00:00+02:00').toISOString()).toBe('2026-01-31T08:00:00.000Z');
  });

  test.each([
    'yesterday',
    '2026',
    '2026-02-30',
    '2026-13-01',
    '31.1.2026',
    '2026-01-31T25:00:00Z',
    '2026-01-31T10:00',
  ])('"%s" is no date', (text) => {
    expect(() => isoDate('start')(text)).toThrow(InvalidArgumentError);
  });
});

describe('parseFilter', () => {
  test('compares text, and numbers and truth values where the text looks like one', () => {
    const valuesOf = (text: string) => {
      const filter = parseFilter(text);
      if (filter.op !== 'or') throw new Error('not an alternative');
      return filter.filters
        .map((part) => (part.op === 'eq' ? part.value : undefined))
        .filter((value) => value !== undefined);
    };
    expect(valuesOf('tags=payments')).toEqual(['payments']);
    expect(valuesOf('priority=2')).toEqual(['2', 2]);
    expect(valuesOf('done=true')).toEqual(['true', true]);
    expect(valuesOf('version=007')).toEqual(['007']);
    expect(valuesOf('note=a=b')).toEqual(['a=b']);
    expect(valuesOf('note=')).toEqual(['']);
  });

  test('matches a list that holds the value', () => {
    expect(parseFilter('tags=a')).toEqual({
      op: 'or',
      filters: [
        { op: 'eq', field: 'tags', value: 'a' },
        { op: 'contains', field: 'tags', value: 'a' },
      ],
    });
  });

  test.each(['', 'x', '=x', '$tenant=other'])('"%s" is refused', (text) => {
    expect(() => parseFilter(text)).toThrow(InvalidArgumentError);
  });
});
