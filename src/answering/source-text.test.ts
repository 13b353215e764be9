import { expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const RECORD = `Bug ID: BUG-002
Root Cause: The timeout of search-api to the index was lowered from 10 seconds to 2 seconds by a shared template.
Resolved By: Dana Petrov

- **Known Issue:** The indexer needs 40 minutes for a full rebuild.
  Next Review Date: 2026-03-01`;
const check = (claim: string) => checkSupport(claim, readEvidence([RECORD]));

it.each([
  'In BUG-002 the timeout of search-api to the index was lowered from 10 seconds to 2 seconds by a shared template.',
  'In BUG-002 the indexer needs 40 minutes for a full rebuild.',
  'BUG-002 was resolved by Dana Petrov.',
])('the label of a field is no name that a claim could contradict: %s', (claim) => {
  expect(check(claim)).toMatchObject({ problems: [] });
  expect(check(claim).score).toBeGreaterThanOrEqual(SUPPORT_THRESHOLD);
});

it('nor the label of a line inside of an item', () => {
  expect(check('The next review of BUG-002 is on 2026-03-01.')).not.toHaveProperty('contradiction');
});

it.each([
  'In BUG-002 the indexer needs 90 minutes for a full rebuild.',
  'In BUG-002 the timeout of search-api to the index was lowered from 2 seconds to 10 seconds by a shared template.',
  'In BUG-002 the timeout of checkout-api to the index was lowered from 10 seconds to 2 seconds by a shared template.',
])('a claim contradicts the value of a field: %s', (claim) => {
  expect(check(claim)).toHaveProperty('contradiction');
});

it('one word before a colon may be the name of what is told of', () => {
  const evidence = readEvidence(['Checkout: payments are tried again every 30 seconds by the worker.']);
  const { score } = checkSupport(
    'In Billing payments are tried again every 30 seconds by the worker.',
    evidence,
  );
  expect(score).toBeLessThan(SUPPORT_THRESHOLD);
});
