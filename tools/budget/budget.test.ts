import { describe, expect, it } from 'vitest';
import { figuresOf, inCommon, judge, recordedFigures, withParts } from './budget.js';

const BUDGET = { loops: 100, parts: { 'a.test.ts': 60, 'b.test.ts': 39.6 } };

describe('a budget of processor time', () => {
  it('is kept by a run that takes as long, whatever the clock says of its files', () => {
    const slow = figuresOf(104, { 'a.test.ts': 6_000, 'b.test.ts': 4_000 });
    expect(judge('test', slow, BUDGET)).toEqual({
      lines: ['processor time of test: 104 loops, 1.04 of its budget of 100'],
      isExceeded: false,
    });
  });

  it('is noticed above it and fails beyond 1.5 times, with the files that grew, the most first', () => {
    const durations = { 'a.test.ts': 60, 'b.test.ts': 55, 'new.test.ts': 25 };
    const above = judge('test', figuresOf(140, durations), BUDGET);
    expect(above.isExceeded).toBe(false);
    expect(above.lines.slice(1)).toEqual([
      '  new.test.ts: 25 loops, not named before',
      '  b.test.ts: 55 loops, 39.6 before',
    ]);
    expect(judge('test', figuresOf(151, durations), BUDGET).isExceeded).toBe(true);
    expect(judge('test', figuresOf(150, durations), BUDGET).isExceeded).toBe(false);
  });

  it('that is not there fails nothing and is said', () => {
    const { lines, isExceeded } = judge('test', { loops: 5, parts: {} }, undefined);
    expect({ lines, isExceeded }).toEqual({
      lines: ['processor time of test: 5 loops; tests/budget.json has none'],
      isExceeded: false,
    });
  });

  it('is recorded with the files above half a percent, by name', () => {
    const figures = figuresOf(1_000, { 'z.test.ts': 499.5, 'a.test.ts': 496, 'small.test.ts': 4.5 });
    expect(recordedFigures(figures)).toEqual({
      loops: 1_000,
      parts: { 'a.test.ts': 496, 'z.test.ts': 500 },
    });
    expect(Object.keys(recordedFigures(figures).parts)).toEqual(['a.test.ts', 'z.test.ts']);
  });

  it('holds a run that takes some parts against these alone', () => {
    const ran = { loops: 50, parts: { 'a.test.ts': 45, 'new.test.ts': 5 } };
    expect(inCommon(ran, BUDGET)).toEqual([
      { loops: 45, parts: { 'a.test.ts': 45 } },
      { loops: 60, parts: { 'a.test.ts': 60 } },
    ]);
    expect(inCommon({ loops: 5, parts: { 'new.test.ts': 5 } }, BUDGET)[1]).toBeUndefined();
  });

  it('keeps what was recorded of parts that a run does not take', () => {
    expect(withParts({ loops: 9, parts: { b: 4, c: 5 } }, { c: 7.1234, a: 1 })).toEqual({
      loops: 12.1,
      parts: { a: 1, b: 4, c: 7.12 },
    });
  });
});
