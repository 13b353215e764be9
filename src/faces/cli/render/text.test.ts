import { expect, it } from 'vitest';
import { formatCount } from './text.js';

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567, '1,234,567'],
  [-1_000, '-1,000'],
  [999.6, '1,000'],
])('%d is written %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});
