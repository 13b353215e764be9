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

describe('a date', () => {
  it.each([
    ['The audit of the plant is due on 3 March.', 'The audit of the plant is due on 3 May.'],
    ['The audit of the plant is due on 3 May.', 'The audit of the plant is due on 3 March.'],
    ['The audit of the plant is due on March 3.', 'The audit of the plant is due on May 3.'],
    [
      'The audit of the plant is due on the 3rd of March.',
      'The audit of the plant is due on the 3rd of May.',
    ],
    ['The audit of the plant is due on 3 March 2026.', 'The audit of the plant is due on 3 may 2026.'],
    ['The office moves to Oslo in March.', 'The office moves to Oslo in May.'],
    ['The freeze lasts from April to June.', 'The freeze lasts from May to June.'],
    ['Invoices of March 2025 are archived in the vault.', 'Invoices of May 2025 are archived in the vault.'],
  ])('in May is another one than in another month: %j, not %j', (source, claim) => {
    expect(checkSupport(claim, readEvidence([source])).score).toBeLessThan(SUPPORT_THRESHOLD);
    expect(checkSupport(source, readEvidence([source])).score).toBeGreaterThan(SUPPORT_THRESHOLD);
  });

  it('is none where something may be done', () => {
    const evidence = readEvidence(['Users may log in with 3 tokens. May I come in?']);
    expect(checkSupport('Users can log in with 3 tokens.', evidence).score).toBeGreaterThan(
      SUPPORT_THRESHOLD,
    );
  });
});

describe('an amount', () => {
  it.each([
    ['Backups take 47 minutes. Restarts take 15 minutes.', 'Restarts take 47 minutes.'],
    [
      'A backup takes 47 minutes. After an upgrade a restart takes 15 minutes.',
      'A restart takes 47 minutes.',
    ],
    ['Logs are kept for 30 days. Traces are kept for 7 days.', 'Traces are kept for 30 days.'],
    ['The plan costs 20 dollars. The setup costs 99 dollars.', 'The setup costs 20 dollars.'],
    ['Uploads may hold 50 MB. Exports may hold 2 GB.', 'Exports may hold 50 MB.'],
    ['Alerts fire after 5 minutes. Pages are escalated after 20 minutes.', 'Alerts fire after 20 minutes.'],
  ])('that the source says of something else is told: %j, not %j', (source, claim) => {
    const { score, problems } = checkSupport(claim, readEvidence([source]));
    expect(score).toBeLessThan(SUPPORT_THRESHOLD);
    expect(problems.join()).toContain('of something else');
  });

  it.each([
    ['Backups take 47 minutes. Restarts take 15 minutes.', 'Restarts take 15 minutes.'],
    [
      'Logs are kept for 30 days. Traces are kept for 7 days.',
      'Logs are kept for 30 days and traces for 7 days.',
    ],
    ['The timeout is 30 seconds. For uploads it is 60 seconds.', 'The timeout is 60 seconds for uploads.'],
    ['The limit is 1 GB. It was raised to 3 GB in June.', 'The limit is 3 GB.'],
    [
      'In 10 - 20 % of cases no cause is found. In 5 % of cases it is known.',
      'In 10-20 % of cases no cause is found.',
    ],
  ])('that the source says of the same is not: %j, %j', (source, claim) => {
    expect(checkSupport(claim, readEvidence([source])).score).toBeGreaterThan(SUPPORT_THRESHOLD);
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
