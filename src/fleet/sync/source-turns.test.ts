import { expect, test } from 'vitest';
import { type Moment, SourceTurns } from './source-turns.js';

const MINUTE = 60_000;
const START = Date.parse('2026-05-01T00:00:00Z');
const after = (ms: number): Moment => ({ now: START + ms, elapsed: ms });

const turnsOf = (expression?: string): SourceTurns =>
  new SourceTurns(
    {
      source: 'a',
      atStart: expression === undefined,
      schedules: expression === undefined ? [] : [{ expression, timezone: 'UTC' }],
    },
    { settleMs: 500, moment: after(0) },
  );

function failing(): SourceTurns {
  const turns = turnsOf();
  turns.begin('start', after(0));
  turns.end(after(100), 'It is not there.', START + 30 * MINUTE);
  return turns;
}

test('the first turn of a schedule is one of the schedule', () => {
  expect(turnsOf('10 * * * *').next(after(10 * MINUTE))).toEqual({ inMs: 0, trigger: 'schedule' });
});

test.each(['changed', 'returned'] as const)(
  'files that %s end the wait of a source that failed',
  (change) => {
    const turns = failing();
    expect(turns.next(after(MINUTE))).toEqual({ inMs: 29 * MINUTE, trigger: 'retry' });
    turns.noticed(change, after(MINUTE));
    expect(turns.next(after(MINUTE))).toEqual({ inMs: 500, trigger: 'watch' });
  },
);

test('an interval does not', () => {
  const turns = failing();
  turns.noticed('interval', after(MINUTE));
  expect(turns.next(after(MINUTE))?.inMs).toBe(29 * MINUTE);
});
