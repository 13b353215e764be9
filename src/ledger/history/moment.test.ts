import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAsOf } from './moment.js';

const utc = (text: string) => ({ moment: Date.parse(text) });

describe('readAsOf', () => {
  it.each([
    ['2026-03-01', { ...utc('2026-03-01T00:00:00Z'), isDay: true }],
    ['2026-03-01T12:30Z', utc('2026-03-01T12:30:00Z')],
    ['2026-03-01 12:30:05+02:00', utc('2026-03-01T10:30:05Z')],
    ['2024-02-29T23:59:59.999Z', utc('2024-02-29T23:59:59.999Z')],
    ['v1.2', { name: 'v1.2' }],
    ['tag:2026-03-01', { name: '2026-03-01' }],
  ])('reads %s', (asOf, meant) => {
    expect(readAsOf(asOf)).toEqual(meant);
  });

  it.each([
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-11-31T08:00:00+01:00',
    '2026-13-01',
    '2026-03-01T24:00:00Z',
    '2026-03-01T25:61Z',
    '2026-03-01T12:00:00',
    '',
    'tag:',
  ])('refuses %j, and says what to write', (asOf) => {
    expect(() => readAsOf(asOf)).toThrow(/2026-03-01/);
  });

  it('never means another day than the one that is written', () => {
    const day = fc.tuple(
      fc.integer({ min: 1990, max: 2100 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    );
    fc.assert(
      fc.property(day, ([year, month, date]) => {
        const text = `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
        const exists = new Date(Date.UTC(year, month - 1, date)).getUTCDate() === date;
        for (const asOf of [text, `${text}T00:00:00Z`])
          if (exists)
            expect(readAsOf(asOf)).toEqual({
              ...utc(`${text}T00:00:00Z`),
              ...(asOf === text ? { isDay: true } : {}),
            });
          else expect(() => readAsOf(asOf)).toThrow('is no date');
      }),
    );
  });
});
