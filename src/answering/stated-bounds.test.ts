import { describe, expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const check = (source: string, claim: string) => checkSupport(claim, readEvidence([source]));

it.each([
  ['The queue holds up to 100 jobs.', 'The queue never holds more than 100 jobs.'],
  ['Logs are kept for 30 days, then deleted.', 'No log is kept longer than 30 days.'],
  ['An upload may be at most 5 MB.', 'An upload must not be larger than 5 MB.'],
  ['A team has at most 20 users.', 'No team has more than 20 users.'],
  ['The request takes less than 2 seconds.', 'The request never takes longer than 2 seconds.'],
  ['A build runs for 40 minutes at most.', 'A build does not run for more than 40 minutes.'],
  ['At least 3 nodes must be up.', 'No fewer than 3 nodes must be up.'],
  ['The temperature must stay under 30 degrees.', 'The temperature must not rise above 30 degrees.'],
  ['Passwords have 12 characters or more.', 'Passwords must not be shorter than 12 characters.'],
  ['The price may rise by up to 3 % a year.', 'The price may not rise by more than 3 % a year.'],
  ['The tool never uses more than 4 threads.', 'The tool uses at most 4 threads.'],
  ['No user may hold more than 2 keys.', 'A user may hold up to 2 keys.'],
  ['The memory must not exceed 512 MB.', 'The memory is limited to 512 MB.'],
  ['Titles are limited to 80 characters.', 'Titles cannot be longer than 80 characters.'],
  ['Bids are accepted until 12:00.', 'Bids are not accepted after 12:00.'],
  ['Applications must arrive before the 20th of May.', 'Applications must not arrive after the 20th of May.'],
])('a bound that denies the other side is the same: %j, %j', (source, claim) => {
  const { score, contradiction } = check(source, claim);
  expect(contradiction).toBeUndefined();
  expect(score).toBeGreaterThan(SUPPORT_THRESHOLD);
});

it.each([
  ['The queue holds up to 100 jobs.', 'The queue holds more than 100 jobs.'],
  ['The queue holds up to 100 jobs.', 'The queue never holds less than 100 jobs.'],
  ['The queue never holds more than 100 jobs.', 'The queue holds more than 100 jobs.'],
  ['The queue never holds more than 100 jobs.', 'The queue never holds more than 200 jobs.'],
  ['Logs are kept for at least 30 days.', 'No log is kept longer than 30 days.'],
  ['The memory must not exceed 512 MB.', 'The memory must exceed 512 MB.'],
  ['No user may hold more than 2 keys.', 'A user may hold more than 2 keys.'],
  ['Applications must arrive before the 20th.', 'Applications may arrive as early as the 20th.'],
  ['Applications must arrive before the 20th of May.', 'Applications may arrive from the 20th of May on.'],
  ['The offer is valid until 1 June.', 'The offer is valid from 1 June.'],
  ['It works on version 3 and later.', 'It works on version 3 and earlier.'],
  ['Entry is possible until 18:00.', 'Entry is possible from 18:00 on.'],
  ['Bids are accepted until 12:00.', 'Bids are not accepted before 12:00.'],
  ['The key is valid no later than 5 May.', 'The key is valid no earlier than 5 May.'],
])('the other side is not: %j, not %j', (source, claim) => {
  expect(check(source, claim).score).toBeLessThan(SUPPORT_THRESHOLD);
});

it('a place that is denied is no bound', () => {
  const { problems } = check(
    'Below 0 °C the pack delivers power but refuses to charge.',
    'The pack is not charged at temperatures under 0 °C.',
  );
  expect(problems.join()).not.toContain('other side');
});

describe('bounds of a time before something', () => {
  it.each([
    [
      'Leave requests are filed at least two weeks ahead.',
      'Leave requests are filed no later than two weeks before.',
    ],
    [
      'Requests must be filed at least two weeks before the leave.',
      'File a request no later than two weeks before the leave.',
    ],
    ['Book the room at least 3 days in advance.', 'The room must be booked no later than 3 days before.'],
    [
      'Notify tenants at least 48 hours ahead of the outage.',
      'Tenants are notified no later than 48 hours before the outage.',
    ],
    ['Tickets may be bought at most 30 days ahead.', 'Tickets may be bought no earlier than 30 days before.'],
    [
      'Check-in opens no earlier than 24 hours before departure.',
      'Check-in is open at most 24 hours before departure.',
    ],
    [
      'Reports are due no later than 10 days after the incident.',
      'Reports are due at most 10 days after the incident.',
    ],
    [
      'Reports are due within 10 days of the incident.',
      'Reports are due no later than 10 days after the incident.',
    ],
    [
      'The backup runs at least 6 hours after the close.',
      'The backup runs no earlier than 6 hours after the close.',
    ],
    ['Cancel at least 5 days before the start.', 'Cancellation is possible until 5 days before the start.'],
    [
      'Cancel no later than 5 days before the start.',
      'Cancellation needs at least 5 days of notice before the start.',
    ],
    [
      'The notice must arrive at least 4 weeks prior to the meeting.',
      'The notice must arrive no later than 4 weeks before the meeting.',
    ],
    [
      'Access is not possible until 5 days before the start.',
      'Access is possible at most 5 days before the start.',
    ],
  ])('are compared by what they mean: %j, %j', (source, claim) => {
    const { score, contradiction } = check(source, claim);
    expect(contradiction).toBeUndefined();
    expect(score).toBeGreaterThanOrEqual(SUPPORT_THRESHOLD);
  });

  it.each([
    [
      'Leave requests are filed at least two weeks ahead.',
      'Leave requests are filed at most two weeks ahead.',
    ],
    [
      'Leave requests are filed at least two weeks ahead.',
      'Leave requests are filed no earlier than two weeks before.',
    ],
    [
      'Reports are due no later than 10 days after the incident.',
      'Reports are due at least 10 days after the incident.',
    ],
    ['Tickets may be bought at most 30 days ahead.', 'Tickets must be bought no later than 30 days before.'],
    [
      'Check-in opens no earlier than 24 hours before departure.',
      'Check-in opens at least 24 hours before departure.',
    ],
  ])('are not turned round: %j, %j', (source, claim) => {
    expect(check(source, claim).contradiction).toBeDefined();
  });
});

describe('a limit of the source', () => {
  it.each([
    ['Shipping costs are refunded only for faulty goods.', 'Shipping costs are refunded.'],
    ['The token is renewed every hour unless the session was closed.', 'The token is renewed every hour.'],
    [
      'Unless the cache is warm, the first request is answered from disk.',
      'The first request is answered from disk.',
    ],
    [
      'Unless the cache is warm, the first request is answered from disk.',
      'If the cache is warm, the first request is answered from disk.',
    ],
  ])('is not left out or turned round: %j, not %j', (source, claim) => {
    expect(check(source, claim).problems.join()).toContain('the source limits it');
  });

  it.each([
    ['Shipping costs are refunded only for faulty goods.', 'Shipping costs are refunded for faulty goods.'],
    [
      'Unless the cache is warm, the first request is answered from disk.',
      'If the cache is not warm, the first request is answered from disk.',
    ],
    [
      'The token is renewed every hour unless the session was closed.',
      'Tokens are renewed hourly while a session is open.',
    ],
  ])('is said in other words: %j, %j', (source, claim) => {
    expect(check(source, claim).problems.join()).not.toContain('limits it');
  });
});
