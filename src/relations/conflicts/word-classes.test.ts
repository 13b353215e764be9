import { expect, test } from 'vitest';
import { termOf } from './word-classes.js';

test.each([
  ['allowed', 'permitted'],
  ['allows', 'permit'],
  ['allowance', 'budget'],
  ['allowances', 'budgets'],
  ['information', 'info'],
  ['informed', 'notified'],
  ['deleted', 'removes'],
])('words of one meaning have one term: %s and %s', (one, other) => expect(termOf(one)).toBe(termOf(other)));

test.each([
  ['allowed', 'budget'],
  ['allowance', 'permitted'],
  ['information', 'notified'],
  ['informs', 'info'],
])('and those that only begin alike do not: %s and %s', (one, other) =>
  expect(termOf(one)).not.toBe(termOf(other)),
);
