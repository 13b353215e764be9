import assert from 'node:assert/strict';
import type { CollectionSpec } from '../../stores/vector-store.js';
import { testBasics } from './basic.js';
import { testConcurrency } from './concurrency.js';
import type { ContractContext, ContractPart, StoreContractOptions, StoreFixture } from './contract.js';
import { testErrors } from './errors.js';
import { testFaults } from './faults.js';
import { testFilters } from './filters.js';
import { testHostileInput } from './hostile.js';
import { testLargeBatches } from './large.js';
import { testPersistence } from './persistence.js';
import { testRandomFilters } from './random-filters.js';
import { testRanking } from './ranking.js';
import { withRanksChecked } from './ranks-checked.js';
import { DIMENSIONS } from './records.js';
import { testScopes } from './tenancy.js';
import { WriteTracker } from './write-tracker.js';

const PARTS: Readonly<Record<string, ContractPart>> = {
  basic: testBasics,
  filters: testFilters,
  'random filters': testRandomFilters,
  tenancy: testScopes,
  ranking: testRanking,
  concurrency: testConcurrency,
  errors: testErrors,
  persistence: testPersistence,
  'hostile input': testHostileInput,
  'large batches': testLargeBatches,
  faults: testFaults,
};

/**
 * Registers the contract that every `VectorStore` must keep. A backend's test file is a few lines:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testVectorStore({ name: 'memory', runner: { describe, it }, create: async () => ({ store: createMemoryStore() }) });
 * ```
 *
 * Needs `fast-check` (a peer) for the random filters. Failures are `AssertionError`s of `node:assert`.
 */
export function testVectorStore(options: StoreContractOptions): void {
  const { describe, it } = options.runner;
  describe(`VectorStore contract: ${options.name}`, () => {
    declareDifferences(options);
    for (const [concern, registerPart] of partsFor(options))
      describe(concern, () => {
        registerPart((title, run) => {
          it(title, () => runWithStore(options, run), options.timeoutMs ?? 60_000);
        }, options);
      });
  });
}

/** A store without a server has none that could fail. */
const partsFor = ({ server }: StoreContractOptions): [string, ContractPart][] =>
  Object.entries(PARTS).filter(([, part]) => part !== testFaults || server !== undefined);

/** Shows in every report of a run what the store does otherwise. The parts of the contract assert it. */
function declareDifferences({ runner, differences = {} }: StoreContractOptions): void {
  const declared = Object.entries(differences);
  if (declared.length === 0) return;
  runner.describe('declared differences', () => {
    for (const [name, reason] of declared)
      runner.it(`${name}: ${reason}`, async () => {
        assert.ok(typeof reason === 'string' && reason.trim() !== '', 'a difference has a reason');
      });
  });
}

async function runWithStore(
  options: StoreContractOptions,
  run: (context: ContractContext) => Promise<void>,
): Promise<void> {
  const fixture = await options.create();
  try {
    await run(contextOf(fixture, options));
  } finally {
    await fixture.store.close();
    await fixture.cleanup?.();
  }
}

function contextOf(fixture: StoreFixture, options: StoreContractOptions): ContractContext {
  const writes = new WriteTracker(fixture.store.capabilities);
  const spec: CollectionSpec = { name: 'contract', dimensions: DIMENSIONS, fingerprint: 'model-a@1:8' };
  return {
    ...fixture,
    store: writes.followStore(fixture.store),
    options,
    open: async (changes) =>
      withRanksChecked(writes.follow(await fixture.store.open({ ...spec, ...changes }))),
    follow: (collection) => writes.follow(collection),
    settle: () => writes.settle(),
  };
}
