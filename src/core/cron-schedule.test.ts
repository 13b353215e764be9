import { expect, test } from 'vitest';
import { isTimezone, nextTurn, problemOfSchedule } from './cron-schedule.js';

/** Turns after a moment, as times of UTC. */
function turns(expression: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; ) {
    at = nextTurn({ expression, timezone }, at) ?? Number.NaN;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

test('a turn is after the moment, never at it', () => {
  expect(turns('0 2 * * *', 'UTC', '2026-01-01T02:00:00Z', 2)).toEqual([
    '2026-01-02T02:00',
    '2026-01-03T02:00',
  ]);
});

test('hours are those of the time zone', () => {
  expect(turns('0 2 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T20:30']);
});

test('a turn in an hour that clocks leave out comes after it, and one in a doubled hour once', () => {
  expect(turns('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(turns('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

test.each(['0 */6 * * *', '*/5 8-18 * * MON-FRI', '@daily', '0 0 29 2 *'])(
  '%s is a schedule',
  (expression) => {
    expect(problemOfSchedule(expression)).toBeUndefined();
  },
);

test.each([
  ['every day', 'must be a cron expression'],
  ['', 'must be a cron expression'],
  ['0 2 * *', 'must be a cron expression'],
  ['* * * * * *', 'must be a cron expression'],
  ['0 25 * * *', '"25" is no hour'],
  ['0 0 * * 8', '"8" is no day of the week'],
  ['0 0 31 2 *', 'never comes'],
  ['2001-01-01T00:00:00', 'never comes'],
])('%j is none, and an example is named', (expression, problem) => {
  const found = problemOfSchedule(expression);
  expect(found).toContain(problem);
  expect(found).toContain('"0 2 * * *" (every day at 2:00)');
});

test('time zones have IANA names', () => {
  expect(isTimezone('Europe/Berlin')).toBe(true);
  expect(isTimezone('Mars/Base')).toBe(false);
});
