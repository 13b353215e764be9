import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { type TelemetryPayloads, traced } from '../core/telemetry.js';
import { withDeadline } from '../core/with-deadline.js';
import type { EngineHealth, HealthOptions, PartHealth } from '../engine/engine.js';
import type { EngineResources } from '../engine/engine-resources.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';
import { readAllWork } from './read-work.js';

/** Reads once from ledger and store, which costs little however large they are. What fails is said, never thrown. */
export function checkHealth(
  resources: EngineResources,
  { counts = false }: HealthOptions = {},
): Promise<EngineHealth> {
  const payload: TelemetryPayloads['health'] = {};
  return traced('health', payload, async () => {
    const health = await checkParts(resources);
    payload.parts = health.parts.map(({ part, ok }) => ({ part, ok }));
    const { stores } = health;
    if (stores !== undefined) {
      payload.stores = stores.stores.map(({ name, state, lag }) => ({
        name,
        isReady: state === 'ready',
        lag,
      }));
      payload.journalBytes = stores.journal.bytes;
    }
    if (!counts || !health.ok) return health;
    const work = await countWork(resources);
    if (work !== undefined) payload.work = work;
    const chunks = await countChunks(resources);
    if (chunks === undefined) return health;
    payload.chunks = chunks;
    return { ...health, chunks };
  });
}

async function checkParts(resources: EngineResources): Promise<EngineHealth> {
  const live = () => resources.live();
  const parts = [
    await check('ledger', resources, live),
    await check('store', resources, async () => {
      if ((await live()) === undefined) return;
      const { collection } = await resources.collection();
      // Vectors are in the store itself, also where an index beside it gives the rest.
      await collection.get([''], { includeVectors: true });
    }),
  ];
  const stores = await statesOfStores(resources);
  return { ok: parts.every(({ ok }) => ok), parts, ...(stores === undefined ? {} : { stores }) };
}

/** Undefined where there is one store, or where the ledger does not say which. */
async function statesOfStores(resources: EngineResources): Promise<StoresStatus | undefined> {
  try {
    return await inTime(resources, async () => (await resources.storeManager())?.status());
  } catch {
    return undefined;
  }
}

/** Of all tenants; undefined where the store does not count in time. */
async function countChunks(resources: EngineResources): Promise<number | undefined> {
  try {
    return await inTime(resources, async () => {
      if ((await resources.live()) === undefined) return 0;
      return (await resources.collection()).collection.count(EVERYTHING);
    });
  } catch {
    return undefined;
  }
}

/** What is left to workers; undefined where nothing is, or where the ledger does not count in time. */
async function countWork(resources: EngineResources): Promise<TelemetryPayloads['health']['work']> {
  try {
    return await inTime(resources, async () => {
      const live = await resources.live();
      return live === undefined ? undefined : readAllWork(resources, live.reader);
    });
  } catch {
    return undefined;
  }
}

function inTime<Result>({ config }: EngineResources, read: () => Promise<Result>): Promise<Result> {
  const timeoutMs = config.rag.retrieval.laneDeadlineMs;
  const lateError = () => new RAGError('STORE_TIMEOUT', `It did not answer within ${timeoutMs} ms.`);
  return withDeadline({ timeoutMs, lateError }, read);
}

async function check(
  part: PartHealth['part'],
  resources: EngineResources,
  read: () => Promise<unknown>,
): Promise<PartHealth> {
  try {
    await inTime(resources, read);
    return { part, ok: true, detail: 'It answers.' };
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return { part, ok: false, detail: error.message };
  }
}
