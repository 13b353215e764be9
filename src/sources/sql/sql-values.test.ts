import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentOf } from '../../core/moment.js';
import { exactNumber, jsonValueOf } from './sql-values.js';

describe('values of a database', () => {
  it('makes numbers of decimals only where nothing is lost', () => {
    expect(exactNumber('42')).toBe(42);
    expect(exactNumber('1.50')).toBe(1.5);
    expect(exactNumber('9007199254740993')).toBe('9007199254740993');
    expect(exactNumber('0.1234567890123456789')).toBe('0.1234567890123456789');
  });

  it('keeps every whole number that a double holds', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        expect(exactNumber(n.toString())).toBe(Number(n.toString()));
      }),
    );
  });

  it('reads moments with and without a zone, as text and as seconds or milliseconds', () => {
    expect(momentOf('2024-05-01 10:00:00')).toBe('2024-05-01T10:00:00.000Z');
    expect(momentOf('2024-05-01 10:00:00.123456+02')).toBe('2024-05-01T08:00:00.123Z');
    expect(momentOf('2024-05-01')).toBe('2024-05-01T00:00:00.000Z');
    expect(momentOf(1714557600n)).toBe('2024-05-01T10:00:00.000Z');
    expect(momentOf(1714557600000)).toBe('2024-05-01T10:00:00.000Z');
    expect(momentOf('soon')).toBeUndefined();
    expect(momentOf('2024-13-45')).toBeUndefined();
  });

  it('leaves bytes out and keeps nested values as JSON', () => {
    expect(jsonValueOf({ a: [1n, new Date(0)], b: new Uint8Array(2) })).toEqual({
      a: [1, '1970-01-01T00:00:00.000Z'],
    });
  });
});
