import { expect, test } from 'vitest';
import { SYSTEM_RUNTIME, withRuntime } from '../../../core/runtime.js';
import { ReaderThreads } from './reader-threads.js';

/** Each look at the clock takes two seconds. */
function slowRuntime() {
  let elapsed = 0;
  return { ...SYSTEM_RUNTIME, elapsed: () => (elapsed += 2_000) };
}

test.each([
  ['for a second, of as many characters as there are', undefined, false],
  ['all, however long it takes', Number.POSITIVE_INFINITY, true],
])('reads %s', async (_, longestMs, isAll) => {
  const passages = Array.from({ length: 12 }, (_, at) => `Backups of shelf ${at} run at ${at} o'clock.`);
  const { passages: read } = await withRuntime(slowRuntime(), () =>
    new ReaderThreads().read({ passages, characters: Number.POSITIVE_INFINITY, longestMs }),
  );
  expect(read.every((vector) => vector !== undefined)).toBe(isAll);
});
