import { contentHash } from '../core/ids.js';
import { runtime } from '../core/runtime.js';
import type { GenerationReader } from '../ledger/ledger.js';
import { LISTING, type PendingBatch, type PendingItem } from '../ledger/pending-work.js';
import type { SourceState } from '../ledger/source-state.js';
import { isLeaseLost, type SourceKey } from './item-claims.js';
import type { SourceChanges } from './list-changes.js';
import { carryOutRetention } from './retention.js';
import type { SourcePass } from './source-pass.js';
import { type SourceTask, USUAL_BYTES } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

/** Items of one batch: few enough that work is spread well and little is done twice after a death. */
const BATCH_ITEMS = 32;
/** Bytes of one batch; a larger item is one of its own. */
const BATCH_BYTES = 512 * 1024;

/**
 * Waits until no other process lists the source, and says what is pending of it. Where hosts share the ledger, listings of one source follow
 * each other; a run that hands its work over waits as long as another one lists, any other run for as long as that one may be dead.
 */
export async function beginListing(task: SourceTask): Promise<ReadonlyMap<string, PendingItem>> {
  const { configured, targets, options, handOver } = task;
  const { pendingWork: pending } = targets.ledger;
  if (pending === undefined || options.dryRun || configured.source.itemIds !== undefined) return NOTHING;
  const { tenant } = options.scope;
  const { name } = configured.source;
  // Who goes on without it writes nothing down, and leaves alone what others have.
  if (!(await takeListing(task, handOver === undefined ? 2 : Infinity))) return NOTHING;
  return new Map((await pending.items(tenant, name)).map((item) => [item.itemId, item]));
}

const NOTHING: ReadonlyMap<string, PendingItem> = new Map();

/**
 * Writes down what of a listing is pending: what was pending before and is named in another version now, and what it calls gone. That is done while
 * no other process may list the source, so a younger listing that finds it there again reads it anew, however much it looks like what is
 * indexed. See `stillGone`.
 *
 * @param pending what `beginListing` gave
 * @returns what may be done; of a listing that was overtaken nothing of this, which is left for a new one
 */
export async function recordOrLeave(
  changes: SourceChanges,
  pending: ReadonlyMap<string, PendingItem>,
  pass: SourcePass,
): Promise<Pick<SourceChanges, 'toRead' | 'goneItemIds'>> {
  const { toRead, goneItemIds } = changes;
  if (pending === NOTHING) return changes;
  const gone = pass.targets.claims === undefined ? goneItemIds.filter((id) => pending.has(id)) : goneItemIds;
  const again = toRead.filter(({ id }) => pending.has(id));
  try {
    await recordListed({ ...changes, toRead: again, goneItemIds: gone }, pending, pass);
    return changes;
  } catch (error) {
    if (!isLeaseLost(error)) throw error;
    for (const id of [...gone, ...again.map(({ id }) => id)]) pass.left.set(id, []);
    return { toRead: toRead.filter(({ id }) => !pending.has(id)), goneItemIds: [] };
  }
}

/** Of items that this run holds and a listing called gone, those that no younger listing has found again since. */
export async function stillGone(
  itemIds: ReadonlySet<string>,
  pending: ReadonlyMap<string, PendingItem>,
  { configured, targets, options }: SourceTask,
): Promise<ReadonlySet<string>> {
  if (pending === NOTHING || targets.claims === undefined || itemIds.size === 0) return itemIds;
  const rows =
    (await targets.ledger.pendingWork?.items(options.scope.tenant, configured.source.name, {
      itemIds: [...itemIds],
    })) ?? [];
  return new Set(rows.flatMap(({ itemId, version }) => (version === undefined ? [itemId] : [])));
}

/** Has the listing of a source to itself; false where another process did not give it up for so many times its lease. */
export async function takeListing(
  { configured, targets: { claims, signal }, options, run }: SourceTask,
  leases: number,
): Promise<boolean> {
  if (claims === undefined) return true;
  const key = { tenant: options.scope.tenant, source: configured.source.name };
  if ((await claims.take(key, [LISTING])).size > 0) return true;
  if (leases === 0) return false;
  run.notice(`Another process lists "${key.source}"; this one waited for it.`);
  const deadline = runtime().elapsed() + leases * claims.leaseMs;
  return (await claims.takeAny(key, [LISTING], { deadline, signal })).size > 0;
}

export const giveUpListing = async (key: SourceKey, { claims }: WriteTargets): Promise<void> =>
  claims?.release(key, [LISTING]);

/** Records what a listing named: from then on any worker may do it, whatever becomes of this process. */
export async function recordListed(
  { toRead, goneItemIds }: SourceChanges,
  before: ReadonlyMap<string, PendingItem>,
  { configured, targets, options, run, handOver }: SourceTask,
): Promise<void> {
  const { pendingWork: pending } = targets.ledger;
  if (pending === undefined) return;
  const { processingKey } = configured;
  const { name } = configured.source;
  const { tenant, project } = options.scope;
  const isNew = ({ itemId, version }: Listed): boolean => {
    const known = before.get(itemId);
    return known === undefined || known.version !== version || known.processingKey !== processingKey;
  };
  const listed: Listed[] = [
    ...toRead.map(({ id, version, bytes }) => ({ itemId: id, version, bytes })),
    ...goneItemIds.map((itemId) => ({ itemId, bytes: 0 })),
  ];
  const place = JSON.stringify([targets.ledger.generation, tenant, project ?? null, name, processingKey]);
  const listedAt = targets.now();
  const items = [...batchesOf(listed.filter(isNew))].flatMap((items) => {
    const batch = contentHash(
      `${place} ${JSON.stringify(items.map(({ itemId, version }) => [itemId, version]))}`,
    );
    return items.map((item) => ({ ...item, processingKey, batch: batch.slice(0, 32), listedAt }));
  });
  await pending.add({ tenant, source: name, ...(project === undefined ? {} : { project }) }, items);
  // A run without workers does it itself.
  if (handOver !== undefined) run.handedOver += items.length;
}

/** Batches of a source with anything left. */
export async function pendingBatches(
  ledger: Pick<GenerationReader, 'pendingWork'>,
  { tenant, source }: SourceKey,
): Promise<PendingBatch[]> {
  return (await ledger.pendingWork?.batches(Number.MAX_SAFE_INTEGER, { tenant, source })) ?? [];
}

/** What follows the last of what was listed of a source. */
export interface SourceEnd {
  readonly task: SourceTask;
  /** Makes what was written quick to search, and learns of it. */
  readonly finish: () => Promise<void>;
}

/**
 * Ends the work on a source of which nothing is pending any more: retention, what makes searches quick, and its success. Called by
 * the worker that did the last item. Does nothing while another one lists the source, for that one ends it.
 */
export async function endSource({ task, finish }: SourceEnd): Promise<boolean> {
  const { configured, targets, options } = task;
  const key = { tenant: options.scope.tenant, source: configured.source.name };
  const isPending = async (): Promise<boolean> =>
    ((await targets.ledger.pendingWork?.batches(1, key)) ?? []).length > 0;
  if ((await isPending()) || !(await takeListing(task, 0))) return false;
  try {
    const state = (await targets.ledger.sourceStates(key.tenant)).get(key.source);
    if ((await isPending()) || isEnded(state)) return false;
    await carryOutRetention(key, task);
    await finish();
    if (state === undefined) return true;
    await targets.ledger.setSourceState(key.tenant, key.source, { ...state, succeededAt: targets.now() });
    return true;
  } finally {
    await giveUpListing(key, targets);
  }
}

/** Another process has ended what the last listing began. */
const isEnded = ({ listingFinishedAt, succeededAt }: SourceState = { failures: 0 }): boolean =>
  listingFinishedAt !== undefined && succeededAt !== undefined && succeededAt > listingFinishedAt;

interface Listed {
  readonly itemId: string;
  readonly version?: string;
  readonly bytes?: number | undefined;
}

function* batchesOf(items: readonly Listed[]): Generator<readonly Listed[]> {
  let batch: Listed[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = item.bytes ?? USUAL_BYTES;
    if (batch.length > 0 && (batch.length >= BATCH_ITEMS || bytes + more > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += more;
  }
  if (batch.length > 0) yield batch;
}
