import { RAGError } from '../core/errors.js';
import { madeWhenAsked } from '../core/made-once.js';
import { isoNow } from '../core/runtime.js';
import { LOCAL_SCOPE, scopeOf } from '../core/scope.js';
import { eraseTries } from '../features/forgetting/erase-tries.js';
import { listGenerations, tenantsOf } from '../indexing/list-generations.js';
import type { Generation } from '../ledger/ledger.js';
import type { Engine, EngineView, WorkPlan } from '../operations/engine.js';
import { monitoringPlanOf } from '../operations/monitoring-plan.js';
import { checkedGeneration, checkedName } from '../operations/requests/request-fields.js';
import { syncPlanOf } from '../operations/sync-plan.js';
import { checkedReembedding } from '../operations/upgrade-types.js';
import { dropGeneration } from '../resources/open-collection.js';
import type { VectorStoreManager } from '../stores/failover/store-manager.js';
import type { CachedSources } from './cached-sources.js';
import { type EngineCore, PATIENT_WAIT_MS } from './engine-core.js';

// What a search does without is loaded when it is first asked for.
const generations = madeWhenAsked(() => import('../features/maintenance/take-back.js'));
const batches = madeWhenAsked(async () => ({
  ...(await import('./cached-sources.js')),
  ...(await import('./work-requests.js')),
}));

/** What an engine does with the index of all its scopes. */
export function wholeIndex(core: EngineCore): Omit<Engine, keyof EngineView | 'as'> {
  const { config, work } = core;
  return {
    health: (options = {}) =>
      work.run(undefined, async () => {
        const { checkHealth } = await import('../features/maintenance/check-health.js');
        return checkHealth(core.resources, options);
      }),
    syncPlan: () => syncPlanOf(config),
    monitoringPlan: () => monitoringPlanOf(config),
    workPlan: () => workPlanOf(core),

    generations: () =>
      work.run(undefined, async () => {
        const ledger = await core.resources.ledger.reading();
        return ledger === undefined ? [] : listGenerations(ledger);
      }),

    async useGeneration(wanted) {
      const generation = checkedGeneration(wanted);
      await work.run(undefined, (outer) =>
        core.locked('generations use', { signal: outer }, async (signal) => {
          const ledger = await core.existingLedger();
          const { findRetired, takeBack } = await generations();
          const facts = await findRetired(ledger, generation);
          const { embedder } = await core.resources.models.embedderOf(facts);
          const storeOf = (of: Generation) => core.resources.stores.of(of);
          const tenants = await tenantsOf(ledger);
          await takeBack(facts, { ledger, storeOf, embedder, tenants, signal, now: isoNow });
        }),
      );
    },

    async dropGeneration(wanted) {
      const generation = checkedGeneration(wanted);
      await work.run(undefined, (signal) =>
        core.locked('generations drop', { signal }, async () => {
          const ledger = await core.existingLedger();
          const { findGeneration } = await generations();
          const facts = await findGeneration(ledger, generation);
          if (facts.state === 'live') return ledger.drop(generation);
          return dropGeneration(facts, ledger, (of) => core.resources.stores.of(of));
        }),
      );
    },

    stores: () => work.run(undefined, async () => (await core.resources.stores.manager())?.status()),

    async switchStore(given) {
      const name = checkedName(given);
      await work.run(undefined, async () => (await managerOf(core)).switchStore(name));
    },

    syncStores: (given) =>
      work.run(given, async (signal) => {
        const manager = await managerOf(core);
        await manager.catchUp(signal);
        return manager.status();
      }),

    async rebuildStore(given) {
      const name = checkedName(given);
      await work.run(undefined, async () => (await managerOf(core)).rebuild(name));
    },

    async reembed(given = {}, stated = LOCAL_SCOPE) {
      const scope = scopeOf(stated);
      const request = checkedReembedding(given);
      return work.run(request.signal, async (signal) => {
        const { reembed } = await import('../features/upgrading/reembed.js');
        const options = { waitMs: PATIENT_WAIT_MS };
        return reembed(request, scope, {
          config,
          resources: core.resources,
          cwd: core.cwd,
          activeQueries: core.resources.activeQueries,
          alone: (subject, change) =>
            core.locked('reembed', { signal, options, subject, isBrief: true }, async () =>
              change(await core.existingLedger()),
            ),
          signal,
        });
      });
    },

    async rotateEncryption() {
      const sealing = await core.resources.stores.sealing.open();
      return work.run(undefined, async (signal) => {
        const [tries] = sealing.fields.length === 0 ? [] : await eraseTries(config.dataDir);
        const removed = tries === undefined ? {} : { removedTries: tries.count };
        if (tries !== undefined && (await core.resources.ledger.reading()) === undefined)
          return { documents: 0, rewritten: 0, ...removed };
        await core.existingLedger();
        const { eraseAllCopies } = await import('../features/forgetting/erase-copies.js');
        const { rotateEncryption } = await import('../features/maintenance/rotate-encryption.js');
        const options = { waitMs: PATIENT_WAIT_MS };
        const rotated = await rotateEncryption({
          sealing,
          eraseCopies: (ledger) => eraseAllCopies(ledger, signal, core),
          storeOf: (facts) => core.resources.stores.of(facts),
          embedderOf: async (facts) => (await core.resources.models.embedderOf(facts)).embedder,
          signal,
          now: isoNow,
          alone: (change) =>
            core.locked('encryption rotate', { signal, options }, async () =>
              change(await core.existingLedger()),
            ),
        });
        return { ...rotated, ...removed };
      });
    },

    clear: () => work.run(undefined, (signal) => core.locked('clear', { signal }, () => clearIndex(core))),
    close: () => core.close(),
  };
}

/** A worker waits this long for who writes the whole, in milliseconds, before it says so. */
const WORKER_WAIT_MS = 10_000;

function workPlanOf(core: EngineCore): WorkPlan {
  const { config, work } = core;
  let sources: CachedSources | undefined;
  return {
    runtime: config.own?.runtime,
    queue: () => core.resources.queue.open(),
    prepare: () =>
      work.run(undefined, async () => {
        await core.resources.ledger.writing({ check: false });
        await core.resources.models.embedder();
      }),
    pendingWork: () =>
      work.run(undefined, async () => (await core.resources.ledger.live())?.reader.pendingWork),
    work: (batch, given) =>
      work.run(given, (signal) =>
        // Batches claim what they write, so they go on side by side, and make room for who needs the whole.
        core.withLock(
          { command: 'ragstone worker', subject: 'items', waitMs: WORKER_WAIT_MS, signal, givesWay: true },
          async (writing, held) => {
            const { CachedSources, workOnBatch } = await batches();
            sources ??= new CachedSources(config);
            return workOnBatch(batch, { signal: writing, ...held, sources }, core);
          },
        ),
      ),
    release: () => sources?.close(),
  };
}

async function managerOf({ resources }: EngineCore): Promise<VectorStoreManager> {
  const manager = await resources.stores.manager();
  if (manager !== undefined) return manager;
  throw new RAGError(
    'USAGE',
    'The index is kept in one store. Name a second one in `rag.failover` (docs/failover.md).',
  );
}

async function clearIndex(core: EngineCore): Promise<void> {
  const { config, resources } = core;
  const { forgetResults } = await import('../features/forgetting/erase-copies.js');
  const { eraseUnused } = await import('../features/forgetting/unused-copies.js');
  let held: Generation[] = [];
  try {
    held = (await (await resources.ledger.reading())?.generations()) ?? [];
    // A store that nobody has is found out before anything is forgotten.
    for (const facts of held) await resources.stores.of(facts);
    if (held.length > 0) await forgetResults(core, 'ragstone clear');
    // First, so that no search finds what is being removed, and other processes see at once that nothing is indexed.
    if (held.length > 0) await (await resources.ledger.writing({ check: true })).clear();
    else await resources.discardLedger();
  } catch (error) {
    // Emptying a file takes room, removing it gives some.
    const isFull = isFullDisk(error) && config.rag.ledger.type === 'sqlite';
    const { isLedgerDamage } = await import('../features/maintenance/verify-index.js');
    if (!isFull && !isLedgerDamage(error)) throw error;
    // Nothing in a damaged ledger can be trusted; what its stores hold cannot be known.
    if (!isFull) held = [];
    await resources.discardLedger();
  }
  for (const facts of held) await (await resources.stores.of(facts)).drop(facts.collection);
  await eraseTries(config.dataDir);
  await eraseUnused(held, core);
}

const isFullDisk = (error: unknown): boolean =>
  RAGError.isInstance(error) && error.reason === 'INDEX_DISK_FULL';
