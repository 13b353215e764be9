import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import { firstFailure } from '../test-concern.js';
import { FAULTS, type Fault } from './broken-stores.js';
import type { StoreFixture } from './contract.js';
import { sharedMemoryFixture } from './shared-memory-store.js';
import { testVectorStore } from './suite.js';

const DELAY_MS = 20;

testVectorStore({
  name: 'shared memory',
  runner: { describe, it },
  create: async () => sharedMemoryFixture(),
  randomFilters: 30,
});

testVectorStore({
  name: 'shared memory, seen late',
  runner: { describe, it },
  create: async () =>
    sharedMemoryFixture({
      change: seenLate(DELAY_MS),
      capabilities: { consistency: { eventualMs: 20 * DELAY_MS } },
    }),
  randomFilters: 30,
});

const failureIn = (concern: string, create: () => StoreFixture): Promise<string | undefined> =>
  firstFailure(concern, (runner) =>
    testVectorStore({ name: 'broken', runner, create: async () => create(), randomFilters: 30 }),
  );

describe.each(Object.entries(FAULTS))(
  'the contract turns red in "%s" for a store where',
  (concern, faults) => {
    it.each(Object.entries(faults))('%s', async (_, change) => {
      expect(await failureIn(concern, () => sharedMemoryFixture({ change }))).toBeDefined();
    });
  },
);

describe('the contract turns red for a store where', () => {
  it('writes are seen later than declared', async () => {
    const late: Fault = seenLate(10 * DELAY_MS);
    const capabilities = { consistency: { eventualMs: DELAY_MS } };
    expect(await failureIn('basic', () => sharedMemoryFixture({ change: late, capabilities }))).toBeDefined();
  });

  it('nothing survives its closing', async () => {
    const forgetful = (): StoreFixture => ({
      ...sharedMemoryFixture(),
      reopen: async () => ({
        ...createMemoryStore(),
        capabilities: { ...createMemoryStore().capabilities, persistent: true },
      }),
    });
    expect(await failureIn('persistence', forgetful)).toBeDefined();
  });
});

/** Writes are done in their order, each some time after it is said to be finished. */
function seenLate(delayMs: number): Fault {
  return (right: VectorCollection) => {
    let last: Promise<unknown> = Promise.resolve();
    const later = (write: () => Promise<unknown>): void => {
      // A collection that is closed meanwhile has no later reader.
      last = last
        .then(() => sleep(delayMs))
        .then(write, () => undefined)
        .catch(() => undefined);
    };
    return {
      upsert: async (records, signal) => {
        // Refused at once, by a batch that is tried on an empty collection of the same kind.
        const trial = await createMemoryStore().open(right.spec);
        await trial.upsert(records, signal);
        const copy = structuredClone(records);
        later(() => right.upsert(copy));
      },
      delete: async (filter, signal) => {
        await last;
        const deleted = await right.count(filter, signal);
        later(() => right.delete(filter));
        return deleted;
      },
    };
  };
}
