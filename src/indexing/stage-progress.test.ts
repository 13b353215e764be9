import { expect, it } from 'vitest';
import { SYSTEM_RUNTIME, withRuntime } from '../core/runtime.js';
import { StageProgress } from './index-run.js';

/** The times left that are told while items of these sizes are done, one a second. */
function timesLeft(bytesTotal: number, sizes: readonly number[]): (number | undefined)[] {
  let now = 0;
  return withRuntime({ ...SYSTEM_RUNTIME, elapsed: () => now }, () => {
    const progress = new StageProgress();
    progress.expect(sizes.length, bytesTotal);
    return sizes.map((bytes) => {
      now += 1000;
      progress.done(bytes);
      return progress.etaMs;
    });
  });
}

it('tells the time left by bytes, once several items are done', () => {
  const told = timesLeft(
    1000,
    Array.from({ length: 10 }, () => 100),
  );
  expect(told.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  expect(told.slice(5)).toEqual([4000, 3000, 2000, 1000, undefined]);
});

it('tells none of a few small files of much', () => {
  expect(
    timesLeft(
      100_000,
      Array.from({ length: 20 }, () => 90),
    ).every((eta) => eta === undefined),
  ).toBe(true);
});
