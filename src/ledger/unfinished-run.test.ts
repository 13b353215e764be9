import { expect, test } from 'vitest';
import type { Generation, GenerationState, RunRecord } from './ledger.js';
import { unfinishedRunNotice } from './unfinished-run.js';

const RUN = { startedAt: '2026-01-01T00:00:00.000Z' } as RunRecord;

const noticeWith = (states: readonly GenerationState[]) =>
  unfinishedRunNotice(RUN, {
    generations: async () => states.map((state, at) => ({ state, generation: at + 1 }) as Generation),
  });

test.each([
  ['a first run', ['building'], 'An index run'],
  ['a run', ['live'], 'An index run'],
  ['a run behind an interrupted first one', ['building', 'live'], 'An index run'],
  ['a rebuild', ['live', 'building'], 'A rebuild'],
] as const)('%s that has not ended is called what it is', async (_, states, begins) => {
  expect(await noticeWith(states)).toEqual([expect.stringContaining(begins)]);
});
