import { describe, expect, it } from 'vitest';
import { SYSTEM_RUNTIME, withRuntime } from './runtime.js';
import { TimeLeft } from './time-left.js';

type Step = readonly [afterMs: number, amount: number];

/** What is told of `left` after steps, by a clock that only they move. */
function toldAfter(steps: readonly Step[], left = 100): number | undefined {
  let now = 0;
  return withRuntime({ ...SYSTEM_RUNTIME, elapsed: () => now }, () => {
    const timeLeft = new TimeLeft();
    for (const [after, amount] of steps) {
      now += after;
      timeLeft.add(amount);
    }
    return timeLeft.of(left);
  });
}

const steady = (steps: number): Step[] => Array.from({ length: steps }, () => [1000, 10]);

describe('the time that work takes', () => {
  it('is that of the pace so far', () => {
    expect(toldAfter(steady(6))).toBe(10_000);
    expect(toldAfter(steady(60))).toBe(10_000);
  });

  it('does not count what starts before the first step is done', () => {
    expect(toldAfter([[30_000, 10], ...steady(5)])).toBe(10_000);
  });

  it('is not told of fewer than five steps behind the first', () => {
    expect(toldAfter([])).toBeUndefined();
    expect(toldAfter([[3500, 1]])).toBeUndefined();
    expect(toldAfter(steady(5))).toBeUndefined();
  });

  it('takes what ends at once for one step', () => {
    const batch: Step[] = [[3000, 5], ...Array.from({ length: 20 }, (): Step => [1, 5])];
    expect(toldAfter(batch)).toBeUndefined();
    expect(toldAfter([...batch, ...batch])).toBeUndefined();
    expect(toldAfter(Array.from({ length: 6 }, () => batch).flat(), 105)).toBeCloseTo(3020, -1);
  });

  it('is not told of two seconds or less', () => {
    expect(toldAfter(Array.from({ length: 10 }, (): Step => [200, 10]))).toBeUndefined();
  });

  it('is not told where nothing is left, or where nothing that counts was done', () => {
    expect(toldAfter(steady(9), 0)).toBeUndefined();
    expect(toldAfter(Array.from({ length: 9 }, (): Step => [1000, 0]))).toBeUndefined();
  });
});
