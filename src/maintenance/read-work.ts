import { hasQueue } from '../assembly/open-queue.js';
import { RAGError } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import type { IndexStatus } from '../engine/engine.js';
import type { EngineResources } from '../engine/engine-resources.js';
import type { GenerationReader } from '../ledger/ledger.js';

/** A status waits for the queue's server no longer, in milliseconds. */
const ANSWER_MS = 2_000;

/** What is left to workers, by the ledger, and what the queue holds of it; undefined where no queue is configured. */
export async function readWork(
  resources: EngineResources,
  reader: Pick<GenerationReader, 'owed'>,
  { scope, isAlone }: { readonly scope: Scope; readonly isAlone: boolean },
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
    queue: await queueCounts(resources, isAlone),
  };
}

/** That its server does not answer is a state too. */
async function queueCounts(
  resources: EngineResources,
  isAlone: boolean,
): Promise<NonNullable<IndexStatus['work']>['queue']> {
  try {
    const queue = await resources.queue();
    const counts = await Promise.race([queue.counts(), sleep(ANSWER_MS).then(() => undefined)]);
    return { isUp: counts !== undefined, ...(isAlone ? counts : {}) };
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'QUEUE_UNAVAILABLE') return { isUp: false };
    throw error;
  }
}
