import { describe, expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { numbersOf, statedNumbers } from './claim-parts.js';
import { countingAgreement, placesOf, polarityAgreement } from './claim-places.js';
import { readEvidence } from './support-features.js';

describe('numbers', () => {
  it.each([
    ['1,200 users and 1 200 more', ['1200']],
    ['from 10-20 %', ['10', '20']],
    ['twenty-five of thirty', ['25', '30']],
    ['version 1.22.3, at 03:00', ['1.22.3', '03', '00']],
    ['in 2019, 20 people', ['2019', '20']],
    ['3. Restart it.', []],
    ['Do as follows: 1.', []],
    ['-5 and 5.0', ['-5', '5']],
    ['at first, a second one', []],
  ])('stated by %j', (text, numbers) => {
    expect([...statedNumbers(text)]).toEqual(numbers);
  });

  it('are found in words that may be numbers, but nothing is missing where those are', () => {
    expect(numbersOf('half of the first').has('50')).toBe(true);
    expect(
      checkSupport(
        'At first the cache is warmed by the loader.',
        readEvidence(['The loader warms the cache.']),
      ).problems,
    ).toEqual([]);
  });
});

describe('a sentence', () => {
  const evidence = readEvidence([
    'Audit logs are kept for 30 days in the eu-west region. They are not sent to customers. Up to fifteen replicas run.',
  ]);
  it.each([
    ['Audit logs are kept for 30 days in the eu-west region.', true],
    ['Audit logs are kept for 31 days in the eu-west region.', false],
    ['Audit logs are kept for 3 days in the eu-west region.', false],
    ['Up to 15 replicas run.', true],
    ['Up to fifty replicas run.', false],
  ])('%j is supported: %j', (claim, isSupported) => {
    expect(checkSupport(claim, evidence).score >= SUPPORT_THRESHOLD).toBe(isSupported);
  });
});

describe('places', () => {
  it('tell a denial from what is said', () => {
    const evidence = placesOf('Logs are not sent to customers.');
    expect(polarityAgreement(placesOf('Logs are sent to customers.'), evidence)).toBeLessThan(1);
    expect(polarityAgreement(placesOf('Logs are not sent to customers.'), evidence)).toBe(1);
  });

  it('tell which number counts what, by the worst of a sentence', () => {
    const evidence = placesOf('Keep 30 days of logs and 7 copies of backups.');
    expect(countingAgreement(placesOf('30 days of logs'), evidence)).toBe(1);
    expect(countingAgreement(placesOf('30 days of logs, 7 users'), evidence)).toBeLessThan(1);
    expect(countingAgreement(placesOf('no number'), evidence)).toBe(1);
  });
});
