import { toRAGError } from '../core/errors.js';
import { occurrencesOf } from '../core/occurrences.js';
import { runtime } from '../core/runtime.js';
import { slicesOf } from '../core/slices.js';
import type { LedgerItem } from '../ledger/ledger.js';
import type { PendingBatch } from '../ledger/pending-work.js';
import type { SourceItem } from '../sources/source.js';
import type { BlockedItems } from './blocked-items.js';
import { deleteOrMove } from './delete-documents.js';
import type { IndexPipeline } from './index-pipeline.js';
import type { IndexRun } from './index-run.js';
import { beingWritten } from './item-claims.js';
import { listChanges, onlyOf, type SourceChanges } from './list-changes.js';
import {
  beginListing,
  endSource,
  giveUpListing,
  pendingBatches,
  recordListed,
  recordOrLeave,
  type SourceEnd,
  stillGone,
  takeListing,
} from './pending-work.js';
import { leaveOut } from './read-item.js';
import { carryOutRetention } from './retention.js';
import { assertNotShrunk, isEmptied, mayShrink } from './shrink-guard.js';
import { keyOf, nothingWritten, orLeave, type SourcePass, takeLeft } from './source-pass.js';
import { type ListedSource, SourceRecord } from './source-record.js';
import { type ConfiguredSource, type SourceTask, USUAL_BYTES } from './source-task.js';
import type { WriteTargets } from './write-batch.js';
import { readAndWrite, recordFailure } from './write-items.js';

/** Indexes a source, unless another process has listed it meanwhile or it waits after a failure; leaves batches to workers where there are any. */
export async function indexListedSource(
  source: ConfiguredSource,
  targets: WriteTargets,
  pipeline: IndexPipeline &
    Pick<SourceTask, 'preparerFor' | 'live'> &
    Pick<SourceEnd, 'finish'> & { readonly blocked: (source: string) => BlockedItems },
  run: IndexRun,
): Promise<void> {
  const { options, contextualiser, preparerFor, live } = pipeline;
  // What a call named on this host is nothing that others can read.
  const handOver = pipeline.configuredNames.has(source.source.name) ? pipeline.handOver : undefined;
  const blocked = pipeline.blocked(source.source.name);
  const parts = { preparerFor, contextualiser, blocked, handOver, isPush: pipeline.isPush };
  const task = { configured: source, targets, options, run, live, ...parts };
  const since = options.unlessListedSince;
  try {
    if (since !== undefined) await takeListing(task, Infinity);
    const batches = (await indexUnlessListed(task)) ?? [];
    if (batches.length === 0) return;
    await giveUpListing({ tenant: options.scope.tenant, source: source.source.name }, targets);
    await handOver?.(batches, (problem) => run.notice(problem));
    // A worker that had done the last of them while the source was still listed left its end to this run.
    await endSource({ task, finish: pipeline.finish });
  } finally {
    // An error that keeps it from being given back is told before this one.
    await giveUpListing({ tenant: options.scope.tenant, source: source.source.name }, targets).catch(
      () => undefined,
    );
  }
}

/** Batches that are left to workers, where any are. */
async function indexUnlessListed(task: SourceTask): Promise<readonly PendingBatch[] | undefined> {
  const { configured: source, targets, options, run } = task;
  const record = await SourceRecord.open({ configured: source, targets, options });
  if (options.unlessListedSince !== undefined && record.wasListedSince(options.unlessListedSince)) {
    run.notice(`"${source.source.name}" was listed by another process meanwhile.`);
    return undefined;
  }
  if (options.heedBackoff === true && record.isWaiting) {
    run.notice(record.waitingNotice);
    return undefined;
  }
  const since = await record.begin();
  try {
    const listed = await indexSource(task, since);
    await record.succeed(listed, since);
    return listed.handedOver;
  } catch (error) {
    const failure = toRAGError(error, 'INTERNAL', `The source "${source.source.name}" could not be indexed.`);
    if (!failure.reason.startsWith('SOURCE_')) throw failure;
    await record.fail(failure);
    run.errors.push({ source: source.source.name, reason: failure.reason, message: failure.message });
    return undefined;
  }
}

/** Items that are claimed together: a share that another writer can work beside. */
const CLAIMED_AT_ONCE = 256;

/**
 * Brings the index in step with one source: new and changed items are indexed, deleted ones removed, failures recorded.
 *
 * Beside other writers a run claims items a share at a time, and writes those that are as they were before it listed the source.
 * The others it comes back to when they are free, with a new listing: that is younger than whatever was written meanwhile, so an
 * old listing never undoes what a younger one has done.
 *
 * @param since where the listing begins; undefined lists everything
 */
export async function indexSource(task: SourceTask, since: string | undefined): Promise<ListedSource> {
  const { configured, targets, options, run } = task;
  const { ledger } = targets;
  const { name } = configured.source;
  const { tenant } = options.scope;
  const pass: SourcePass = { ...task, since, left: new Map(), seenDocuments: new Set() };
  const { cursor, listedAt } = await indexListed(pass);
  const state = configured.source.listedState?.();
  if (task.handOver !== undefined && !options.dryRun)
    return { listedAt, ...(await endHandOver(task, cursor)) };
  await indexLeft(pass);
  if (pass.left.size > 0 && pass.live !== undefined) throw beingWritten([...pass.left.keys()]);
  await carryOutRetention(keyOf(task), task);
  if (pass.left.size > 0)
    run.notice(
      `${pass.left.size} items of "${name}" are being written by another process, which finishes them.`,
    );
  // Last of all: a run that is stopped before lists the same changes again. What failed is remembered item by item.
  else if (cursor !== undefined && !options.dryRun) await ledger.setSourceCursor(tenant, name, cursor);
  if (pass.left.size === 0) await markState(task, state);
  return { listedAt, isThrough: pass.left.size === 0, isRecorded: pass.left.size === 0 };
}

/** From now on the index holds this state of the source. */
async function markState(
  { configured, targets, options }: SourceTask,
  mark: string | undefined,
): Promise<void> {
  const { history } = targets;
  if (mark === undefined || history === undefined || options.dryRun) return;
  await history.mark(options.scope.tenant, { source: configured.source.name, mark, at: runtime().now() });
}

/** What is pending is written down, so the next listing goes on after this one. */
async function endHandOver(
  { configured, targets, options }: SourceTask,
  cursor: string | undefined,
): Promise<Pick<ListedSource, 'isThrough' | 'isRecorded' | 'handedOver'>> {
  const { name } = configured.source;
  const { tenant } = options.scope;
  if (cursor !== undefined) await targets.ledger.setSourceCursor(tenant, name, cursor);
  const handedOver = await pendingBatches(targets.ledger, { tenant, source: name });
  return { isThrough: handedOver.length === 0, isRecorded: true, handedOver };
}

/** Lists a source and does what has to be done, for all items or some; where the next listing goes on. */
async function indexListed(
  pass: SourcePass,
  only?: ReadonlySet<string>,
): Promise<{ readonly cursor: string | undefined; readonly listedAt: string }> {
  const { configured, targets, options, run, since, live } = pass;
  const { source, processingKey, formats } = configured;
  const { tenant } = options.scope;
  const { ledger, signal } = targets;
  const pending = await beginListing(pass);
  const held = await live?.items(tenant, source.name);
  run.enter('listing', source.name);
  const listed = await run.timedAsync('list', () =>
    listChanges(source, {
      tenant,
      ledger,
      processingKey,
      formats,
      force: options.force,
      retry: options.retry,
      retried: options.retried?.get(source.name),
      signal,
      since,
      onItem: () => run.itemListed(),
      blocked: pass.blocked,
      pending,
      held,
    }),
  );
  const listedAt = targets.now();
  guardShrink(listed, held ?? listed.known, pass);
  const changes = only === undefined ? listed : onlyOf(listed, only);
  if (only === undefined) await leaveNewcomers(listed, pass);
  if (only === undefined) {
    for (const notice of source.listingNotices?.() ?? []) run.notice(notice);
    run.countSkipped(source.name, source.listingSkipped?.() ?? {});
  }
  await recordListing(changes, pass);
  if (pass.handOver !== undefined && !options.dryRun) {
    await recordListed(changes, pending, pass);
    return { cursor: changes.cursor, listedAt };
  }
  const { toRead, goneItemIds } = await recordOrLeave(changes, pending, pass);
  await giveUpListing(keyOf(pass), targets);
  run.enter('indexing', source.name);
  run.expect(toRead.length, bytesOf(toRead));
  source.expectReads?.(toRead);
  const preparer = pass.preparerFor(bytesOf(toRead, USUAL_BYTES));
  for (const share of sharesOf(toRead, pass)) {
    const mine = await takeUnchanged(idsOf(share), changes, pass);
    await orLeave(nothingWritten(mine), pass, () => announceNew([...mine], changes, pass));
    await readAndWrite(
      share.filter(({ id }) => mine.has(id) && !pass.left.has(id)),
      pass,
      preparer,
    );
    await targets.claims?.release(keyOf(pass), [...mine]);
  }
  const deletedBefore = run.total().documentsDeleted;
  for (const share of sharesOf(goneItemIds, pass)) {
    const mine = await takeUnchanged(share, changes, pass);
    const gone = await stillGone(mine, pending, pass);
    for (const id of mine) if (!gone.has(id)) pass.left.set(id, []);
    await deleteOrMove([...gone], pass);
    await targets.claims?.release(keyOf(pass), [...mine]);
  }
  const deleted = run.total().documentsDeleted - deletedBefore;
  if (deleted > 0 && pass.isPush !== true && isEmptied(configured, listed))
    run.notice(emptiedNotice(source.name, deleted, options.dryRun));
  return { cursor: changes.cursor, listedAt };
}

const emptiedNotice = (name: string, documents: number, dryRun: boolean): string =>
  `The source "${name}" is empty now: ${documents === 1 ? 'its document' : `all ${documents} documents of it`} ${dryRun ? 'would be' : documents === 1 ? 'was' : 'were'} deleted from the index. If that is not meant (a disk that is not mounted, files that were moved), put the files back and run \`ragstone index\` again.`;

/**
 * Before they are read: what is read now may be gone a moment later, and a listing of another run that no longer names it has to know that
 * somebody is writing it.
 */
async function announceNew(
  itemIds: readonly string[],
  { known }: SourceChanges,
  { configured, options, targets: { claims, ledger } }: SourcePass,
): Promise<void> {
  if (claims === undefined || configured.source.itemIds !== undefined) return;
  const unknown = itemIds.filter((id) => !known.has(id));
  if (unknown.length > 0) await ledger.announce?.(options.scope.tenant, configured.source.name, unknown);
}

/** What others have begun to write since the listing began, and it does not name: it may be gone, and is listed again. */
async function leaveNewcomers(listed: SourceChanges, pass: SourcePass): Promise<void> {
  const { configured, options, targets, left } = pass;
  const { name, itemIds } = configured.source;
  if (targets.claims === undefined || itemIds !== undefined) return;
  const named = new Set([
    ...idsOf(listed.toRead),
    ...listed.unreadable.map(({ id }) => id),
    ...listed.blockedItemIds,
  ]);
  const present = await targets.ledger.items(options.scope.tenant, name);
  for (const id of present.keys())
    if (!listed.known.has(id) && !named.has(id) && !id.endsWith('/')) left.set(id, []);
}

/** Documents that a program names are deleted as it says. */
function guardShrink(
  changes: SourceChanges,
  held: ReadonlyMap<string, LedgerItem>,
  { configured, options }: SourcePass,
): void {
  const { source } = configured;
  if (source.listing === 'incremental' || source.itemIds !== undefined) return;
  if (mayShrink(source.name, options)) return;
  assertNotShrunk(configured, changes, held);
}

const idsOf = (items: readonly SourceItem[]): string[] => items.map(({ id }) => id);

export const bytesOf = (items: readonly SourceItem[], usual = 1): number =>
  items.reduce((sum, { bytes }) => sum + (bytes ?? usual), 0);

/** All together where nobody else writes. */
const sharesOf = <T>(items: readonly T[], { targets }: SourcePass): Generator<readonly T[]> =>
  slicesOf(items, targets.claims === undefined ? Infinity : CLAIMED_AT_ONCE);

/** Claims items; those that are held now and are as they were before the listing. The others are left for later. */
async function takeUnchanged(
  itemIds: readonly string[],
  { known }: SourceChanges,
  pass: SourcePass,
): Promise<ReadonlySet<string>> {
  const { claims, ledger } = pass.targets;
  if (claims === undefined) return new Set(itemIds);
  const key = keyOf(pass);
  const taken = await claims.take(key, itemIds);
  const present = await ledger.items(key.tenant, key.source, [...taken]);
  const mine = new Set([...taken].filter((id) => isSameState(known.get(id), present.get(id))));
  await claims.release(
    key,
    [...taken].filter((id) => !mine.has(id)),
  );
  for (const id of itemIds) if (!mine.has(id)) pass.left.set(id, []);
  return mine;
}

const isSameState = (before: LedgerItem | undefined, now: LedgerItem | undefined): boolean =>
  before?.status === now?.status &&
  before?.version === now?.version &&
  before?.processingKey === now?.processingKey &&
  before?.attempts === now?.attempts;

/** Comes back to what is left when others let go of it, until nothing is or nobody lets go. */
async function indexLeft(pass: SourcePass): Promise<void> {
  for (;;) {
    const free = await takeLeft(pass);
    if (free.size === 0) return;
    await indexListed(pass, free);
    await pass.targets.claims?.release(keyOf(pass), [...free]);
  }
}

async function recordListing(changes: SourceChanges, task: SourcePass): Promise<void> {
  const { configured, targets, options, run } = task;
  const { name } = configured.source;
  for (const { error } of changes.waived) run.notice(error.message);
  for (const itemId of changes.blockedItemIds) leaveOut(itemId, itemId, task);
  const counts = await countsOfUnchanged(changes, task);
  for (const itemId of changes.unchangedItemIds) run.of(itemId).documentsUnchanged += counts.get(itemId) ?? 0;
  const unreadable = changes.unreadable.map(({ id }) => id);
  // What another one holds is read by it, and its failure recorded.
  const mine = (await targets.claims?.take(keyOf(task), unreadable)) ?? new Set(unreadable);
  for (const { id, error } of changes.unreadable) {
    run.of(id).fail({ source: name, item: id, reason: error.reason, message: error.message });
    if (!options.dryRun && mine.has(id))
      await orLeave(nothingWritten([id]), task, () => recordFailure({ itemId: id, error }, task));
  }
  await targets.claims?.release(keyOf(task), [...mine]);
  for (const item of changes.deadLetters) {
    run.of(item.itemId).fail({
      source: name,
      item: item.itemId,
      reason: item.error?.reason ?? 'DOCUMENT_INVALID',
      message: `${failureText(item)} Given up after ${attemptsOf(item)}; it is tried again when it changes, with --force, or by "ragstone failures retry".`,
    });
  }
  for (const item of changes.waiting)
    run.of(item.itemId).fail({
      source: name,
      item: item.itemId,
      reason: item.error?.reason ?? 'DOCUMENT_INVALID',
      message: `${failureText(item)} Failed after ${attemptsOf(item)}; it is tried again after ${item.error?.nextAttemptAt}, when it changes, with --force, or by "ragstone failures retry".`,
    });
}

const failureText = ({ error }: LedgerItem): string => error?.message ?? 'It could not be read.';

const attemptsOf = ({ attempts }: LedgerItem): string =>
  attempts === 1 ? '1 attempt' : `${attempts} attempts`;

/** How many documents there are of each unchanged item. */
async function countsOfUnchanged(
  { unchangedItemIds }: SourceChanges,
  { configured: { source }, targets: { ledger }, options }: SourceTask,
): Promise<ReadonlyMap<string, number>> {
  const { tenant } = options.scope;
  if (source.itemIds === undefined) return ledger.documentCounts(tenant, source.name);
  const documents = await ledger.documentsOfItems(tenant, source.name, unchangedItemIds);
  return occurrencesOf(documents.map(({ itemId }) => itemId));
}
