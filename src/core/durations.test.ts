import { expect, test } from 'vitest';
import { DURATION, durationMs } from './durations.js';

test('durations are a number and a unit', () => {
  expect(['250ms', '1.5s', '15m', '6 h', '7d', 'never'].map(durationMs)).toEqual([
    250,
    1_500,
    900_000,
    21_600_000,
    604_800_000,
    Infinity,
  ]);
});

test('what is no duration is refused', () => {
  for (const text of ['', '7', 'd', '-1d', '1w', '1h30m', '7 days']) expect(DURATION.test(text)).toBe(false);
});
