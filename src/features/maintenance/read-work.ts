import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import type { TelemetryPayloads } from '../../core/telemetry.js';
import { resultWithin } from '../../core/with-deadline.js';
import type { GenerationReader } from '../../ledger/ledger.js';
import type { PendingCount } from '../../ledger/pending-work.js';
import type { IndexStatus } from '../../operations/engine.js';
import { hasQueue } from '../../resources/assembly/open-queue.js';
import type { EngineResources } from '../../resources/engine-resources.js';

/** A status waits for the queue's server no longer, in milliseconds. */
const ANSWER_MS = 2_000;

/** What is left to workers, by the ledger, and what the queue holds of it; undefined where no queue is configured. */
export async function readWork(
  resources: EngineResources,
  reader: Pick<GenerationReader, 'pendingWork'>,
  { scope, isAlone }: { readonly scope: Scope; readonly isAlone: boolean },
): Promise<IndexStatus['work']> {
  if (!hasQueue(resources.config)) return undefined;
  const counts = (await reader.pendingWork?.counts()) ?? [];
  const now = runtime().now();
  return {
    sources: [...bySource(counts, scope)].map(([source, { items, held, since }]) => ({
      source,
      waiting: items - held,
      active: held,
      oldestAt: since,
      oldestSeconds: Math.max(0, Math.round((now - Date.parse(since)) / 1_000)),
    })),
    // Of a tenant that is new nothing is indexed yet, and much may be pending.
    queue: await queueCounts(resources, isAlone && counts.every(({ tenant }) => tenant === scope.tenant)),
  };
}

/** The same of all tenants, by the ledger alone. */
export async function readAllWork(
  { config }: Pick<EngineResources, 'config'>,
  { pendingWork: pending }: Pick<GenerationReader, 'pendingWork'>,
): Promise<TelemetryPayloads['health']['work']> {
  if (!hasQueue(config) || pending === undefined) return undefined;
  const counts = await pending.counts();
  const sum = (of: (count: PendingCount) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const active = sum(({ held }) => held);
  const now = runtime().now();
  const oldest = Math.min(now, ...counts.map(({ since }) => Date.parse(since)));
  return {
    waiting: sum(({ items }) => items) - active,
    active,
    oldestSeconds: Math.round((now - oldest) / 1_000),
  };
}

type Pending = Pick<PendingCount, 'items' | 'held' | 'since'>;

/** What is pending of each source to the scope: to its project, or to all of its tenant. */
function bySource(counts: readonly PendingCount[], { tenant, project }: Scope): ReadonlyMap<string, Pending> {
  const pending = new Map<string, Pending>();
  for (const { source, ...count } of counts) {
    if (count.tenant !== tenant || (project !== undefined && count.project !== project)) continue;
    const { items, held, since } = pending.get(source) ?? { items: 0, held: 0, since: count.since };
    pending.set(source, {
      items: items + count.items,
      held: held + count.held,
      since: since < count.since ? since : count.since,
    });
  }
  return pending;
}

/** That its server does not answer is a state too. */
async function queueCounts(
  resources: EngineResources,
  isAlone: boolean,
): Promise<NonNullable<IndexStatus['work']>['queue']> {
  try {
    const queue = await resources.queue.open();
    const counts = await resultWithin(ANSWER_MS, queue.counts());
    return { isUp: counts !== undefined, ...(isAlone ? counts : {}) };
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'QUEUE_UNAVAILABLE') return { isUp: false };
    throw error;
  }
}
