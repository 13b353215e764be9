import { RAGError } from '../core/errors.js';
import type { LedgerItem } from '../ledger/ledger.js';
import type { PendingBatch, PendingItem } from '../ledger/pending-work.js';
import { DEFAULT_RETRY_POLICY, failedAlike, isAhead } from '../operations/retry-policy.js';
import { deleteGone } from './delete-documents.js';
import { type ItemProcessing, isReadAlike, itemKey } from './item-keys.js';
import { leaveOut } from './read-item.js';
import { keyOf, nothingWritten, orLeave, type SourcePass, takeLeft } from './source-pass.js';
import { type SourceTask, USUAL_BYTES } from './source-task.js';
import { readAndWrite, recordFailure } from './write-items.js';

/** Who died over an item so often reads it alone from then on, so that it takes no others along. */
const ALONE_AFTER = 1;
/** So many beginnings without an end are a failure of the item. */
const MOST_BEGINNINGS = 4;
/** The same of one that failed in this version before. */
const MOST_AGAIN = 2;
/** Documents that a lost lease left half written are mended so often in one go. */
const MOST_ROUNDS = 10;

/** What became of a batch. */
export interface WorkedBatch {
  /** Items that were dealt with: read, deleted, failed, or found to be done. */
  readonly items: number;
  /** Items of it that another process holds, or that this one must not do. */
  readonly left: number;
  /** They are processed by other settings here than where they were listed. */
  readonly isForeign: boolean;
}

/**
 * Does what is pending of one batch: claims its items, asks again what is pending of them now, and does that. What was done meanwhile is
 * found to be done, and nothing is done twice. Whatever moment the process dies, what it had not finished is still pending.
 */
export async function workBatch(
  task: SourceTask,
  { batch }: Pick<PendingBatch, 'batch'>,
): Promise<WorkedBatch> {
  const { targets } = task;
  const { claims, ledger } = targets;
  const key = keyOf(task);
  const { pendingWork: pending } = ledger;
  if (pending === undefined || claims === undefined)
    throw new RAGError('INTERNAL', 'Batches are worked on beside other writers only.');
  const listed = await pending.items(key.tenant, key.source, { batch });
  const own = listed.filter(({ processingKey }) => processingKey === task.configured.processingKey);
  const held = await claims.take(
    key,
    own.map(({ itemId }) => itemId),
  );
  const pass: SourcePass = { ...task, since: undefined, left: new Map(), seenDocuments: new Set() };
  let mine: readonly string[] = [...held];
  let items = 0;
  // A lost lease may have ended with another one's work: its documents are written again whatever is pending.
  for (let round = 0; mine.length > 0 && round < MOST_ROUNDS; round++) {
    items += await workItems(mine, pass, { isMended: round > 0 });
    await claims.release(
      key,
      mine.filter((id) => !pass.left.has(id)),
    );
    mine = [...(await takeLeft(pass))];
  }
  return {
    items,
    left: listed.length - held.size + pass.left.size,
    isForeign: own.length < listed.length,
  };
}

/** Deals with items that this process holds; how many. */
async function workItems(
  itemIds: readonly string[],
  pass: SourcePass,
  { isMended }: { readonly isMended: boolean },
): Promise<number> {
  const { ledger } = pass.targets;
  const { tenant, source } = keyOf(pass);
  const pending = (await ledger.pendingWork?.items(tenant, source, { itemIds })) ?? [];
  const present = await ledger.items(tenant, source, itemIds);
  const work = sortPending(pending, present, pass);
  if (isMended) work.toRead.push(...outdatedOf(present, pending));
  for (const { itemId } of work.blocked) leaveOut(itemId, itemId, pass);
  await ledger.pendingWork?.settle(tenant, source, [...work.blocked, ...work.done]);
  for (const { itemId, version, begun } of work.deadly) {
    const error = deadlyError(itemId, begun);
    pass.run.of(itemId).fail({ source, item: itemId, reason: error.reason, message: error.message });
    await orLeave(nothingWritten([itemId]), pass, () =>
      recordFailure({ itemId, version: version ?? '', error }, pass),
    );
  }
  if (work.gone.length > 0) await deleteGone(work.gone, pass);
  const suspects = work.toRead.filter(({ begun }) => begun >= ALONE_AFTER);
  const others = work.toRead.filter(({ begun }) => begun < ALONE_AFTER);
  for (const group of [others, ...suspects.map((one) => [one])]) await readGroup(group, pass);
  return pending.length - pass.left.size;
}

/** What was mended and is pending no more, because another writer had written it meanwhile. */
function outdatedOf(
  present: ReadonlyMap<string, LedgerItem>,
  pending: readonly PendingItem[],
): readonly ReadItem[] {
  const isPending = new Set(pending.map(({ itemId }) => itemId));
  return [...present.values()].flatMap(({ itemId, status, version }) =>
    status === 'outdated' && version !== undefined && !isPending.has(itemId)
      ? [{ itemId, version, begun: 0 }]
      : [],
  );
}

type ReadItem = Pick<PendingItem, 'itemId' | 'version' | 'bytes' | 'begun'>;

interface SortedWork {
  readonly toRead: ReadItem[];
  readonly gone: string[];
  /** Already done, or not to be tried now. */
  readonly done: PendingItem[];
  readonly blocked: PendingItem[];
  /** Their reader died. */
  readonly deadly: PendingItem[];
}

function sortPending(
  pending: readonly PendingItem[],
  present: ReadonlyMap<string, LedgerItem>,
  { configured, blocked, options: { retry = DEFAULT_RETRY_POLICY } }: SourcePass,
): SortedWork {
  const work: SortedWork = { toRead: [], gone: [], done: [], blocked: [], deadly: [] };
  for (const item of pending) {
    const { itemId, version } = item;
    const known = present.get(itemId);
    if (version === undefined) work.gone.push(itemId);
    else if (blocked?.hasItem(itemId) === true) work.blocked.push(item);
    else if (known !== undefined && isDone(known, { version, attempts: retry.attempts }, configured))
      work.done.push(item);
    else if (item.begun >= (known?.status === 'failed' ? MOST_AGAIN : MOST_BEGINNINGS))
      work.deadly.push(item);
    else work.toRead.push(item);
  }
  return work;
}

function isDone(
  known: LedgerItem,
  of: { readonly version: string; readonly attempts: number },
  processing: ItemProcessing,
): boolean {
  const { itemId } = known;
  if (known.status === 'indexed')
    return known.version === of.version && isReadAlike(known.processingKey, itemId, processing);
  const processingKey = itemKey(itemId, processing);
  if (!failedAlike(known, { version: of.version, processingKey })) return false;
  return known.attempts >= of.attempts || isAhead(known.error?.nextAttemptAt);
}

const deadlyError = (itemId: string, begun: number): RAGError =>
  new RAGError(
    'DOCUMENT_INVALID',
    `${JSON.stringify(itemId)} was begun ${begun} times by workers that ended before they were done with it: it may take more memory than they have.`,
  );

/** Counts the beginning first, so that a crash is remembered; a graceful stop takes it back. */
async function readGroup(group: readonly ReadItem[], pass: SourcePass): Promise<void> {
  if (group.length === 0) return;
  const { ledger } = pass.targets;
  const { tenant, source } = keyOf(pass);
  const itemIds = group.map(({ itemId }) => itemId);
  pass.run.checkAborted();
  await ledger.pendingWork?.begin(tenant, source, itemIds, 1);
  const items = group.map(({ itemId: id, version = '', bytes }) => ({
    id,
    version,
    ...(bytes === undefined ? {} : { bytes }),
  }));
  const bytes = items.reduce((sum, item) => sum + (item.bytes ?? USUAL_BYTES), 0);
  pass.run.expect(items.length, bytes);
  pass.configured.source.expectReads?.(items);
  try {
    await readAndWrite(items, pass, pass.preparerFor(bytes));
  } catch (error) {
    // A fault of the work itself, which would come again, counts as a death over it.
    const isInnocent = RAGError.isInstance(error) && (error.retryable || error.reason === 'ABORTED');
    // What cannot be taken back is one attempt fewer.
    if (isInnocent) await ledger.pendingWork?.begin(tenant, source, itemIds, -1).catch(() => undefined);
    throw error;
  }
}
