import { hasQueue } from '../assembly/open-queue.js';
import { RAGError } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import type { IndexStatus } from '../engine/engine.js';
import type { EngineResources } from '../engine/engine-resources.js';
import type { GenerationReader } from '../ledger/ledger.js';
import type { QueueCounts } from '../queue/work-queue.js';

/** A status waits for the queue's server no longer, in milliseconds. */
const ANSWER_MS = 2_000;

/** What is left to workers, by the ledger, and what the queue holds of it; undefined where no queue is configured. */
export async function readWork(
  resources: EngineResources,
  reader: Pick<GenerationReader, 'owed'>,
  scope: Scope,
): Promise<IndexStatus['work']> {
  if (!hasQueue(resources.config)) return undefined;
  const counts = (await reader.owed?.counts()) ?? [];
  const now = runtime().now();
  return {
    sources: counts
      .filter(({ tenant }) => tenant === scope.tenant)
      .map(({ source, items, held, since }) => ({
        source,
        waiting: items - held,
        active: held,
        oldestAt: since,
        oldestSeconds: Math.max(0, Math.round((now - Date.parse(since)) / 1_000)),
      })),
    queue: await queueCounts(resources),
  };
}

/** Undefined where its server does not answer, which is a state too. */
async function queueCounts(resources: EngineResources): Promise<QueueCounts | undefined> {
  try {
    const queue = await resources.queue();
    return await Promise.race([queue.counts(), sleep(ANSWER_MS).then(() => undefined)]);
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'QUEUE_UNAVAILABLE') return undefined;
    throw error;
  }
}
