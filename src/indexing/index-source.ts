import type { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { LedgerItem } from '../ledger/ledger.js';
import type { OwedBatch } from '../ledger/owed.js';
import type { SourceItem } from '../sources/source.js';
import { deleteDocuments } from './delete-documents.js';
import { deleteGone, deleteVanished } from './delete-gone.js';
import { finishDocument } from './finish-pushes.js';
import { IndexRun } from './index-run.js';
import { beingWritten } from './item-claims.js';
import { listChanges, onlyOf, type SourceChanges } from './list-changes.js';
import { mapConcurrently } from './map-concurrently.js';
import { beginListing, giveUpListing, owedBatches, oweListed, oweOrLeave, stillGone } from './owed-work.js';
import type { Preparer } from './preparation/preparer.js';
import { previewItems } from './preview-items.js';
import { type ItemRead, leaveOut, prepareItem, readItem, settleItem, withoutRepeats } from './read-item.js';
import { carryOutRetention, withoutExpired } from './retention.js';
import { DEFAULT_RETRY_POLICY, nextAttemptAt } from './retry-policy.js';
import { assertNotShrunk } from './shrink-guard.js';
import { keyOf, nothingWritten, orLeave, type SourcePass, takeLeft } from './source-pass.js';
import { type SourceTask, USUAL_BYTES } from './source-task.js';
import { type BatchDocument, writeBatch } from './write-batch.js';

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

/** What is owed is written down, so the next listing goes on after this one. */
async function endHandOver(
  { configured, targets, options }: SourceTask,
  cursor: string | undefined,
): Promise<Pick<ListedSource, 'isThrough' | 'isRecorded' | 'handedOver'>> {
  const { name } = configured.source;
  const { tenant } = options.scope;
  if (cursor !== undefined) await targets.ledger.setSourceCursor(tenant, name, cursor);
  const handedOver = await owedBatches(targets.ledger, { tenant, source: name });
  return { isThrough: handedOver.length === 0, isRecorded: true, handedOver };
}

/** What came of a run over one source. */
export interface ListedSource {
  /** When its listing was complete, ISO-8601 UTC. */
  readonly listedAt: string;
  /** Everything that it named was dealt with; false where another process is at it. */
  readonly isThrough: boolean;
  /** Everything that it named was dealt with, or is written down as owed: nothing has to be listed again for it. */
  readonly isRecorded: boolean;
  /** Batches that workers are to do; absent where the run did its work itself. */
  readonly handedOver?: readonly OwedBatch[] | undefined;
}

/** Lists a source and does what has to be done, for all items or some; where the next listing goes on. */
async function indexListed(
  pass: SourcePass,
  only?: ReadonlySet<string>,
): Promise<{ readonly cursor: string | undefined; readonly listedAt: string }> {
  const { configured, targets, options, run, since, live } = pass;
  const { source, processingKey } = configured;
  const { tenant } = options.scope;
  const { ledger, signal } = targets;
  const owed = await beginListing(pass);
  const held = await live?.items(tenant, source.name);
  run.enter('listing', source.name);
  const listed = await run.timedAsync('list', () =>
    listChanges(source, {
      tenant,
      ledger,
      processingKey,
      force: options.force,
      retry: options.retry,
      retried: options.retried?.get(source.name),
      signal,
      since,
      onItem: () => run.itemListed(),
      keptOut: pass.keptOut,
      owed,
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
    await oweListed(changes, owed, pass);
    return { cursor: changes.cursor, listedAt };
  }
  const { toRead, goneItemIds } = await oweOrLeave(changes, owed, pass);
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
  for (const share of sharesOf(goneItemIds, pass)) {
    const mine = await takeUnchanged(share, changes, pass);
    const gone = await stillGone(mine, owed, pass);
    for (const id of mine) if (!gone.has(id)) pass.left.set(id, []);
    await deleteGone([...gone], pass);
    await targets.claims?.release(keyOf(pass), [...mine]);
  }
  return { cursor: changes.cursor, listedAt };
}

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
    ...listed.keptOutItemIds,
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
  const { allowShrink = false } = options;
  if (source.listing === 'incremental' || source.itemIds !== undefined) return;
  if (allowShrink === true || (allowShrink !== false && allowShrink.includes(source.name))) return;
  assertNotShrunk(configured, changes, held);
}

const idsOf = (items: readonly SourceItem[]): string[] => items.map(({ id }) => id);

export const bytesOf = (items: readonly SourceItem[], usual = 1): number =>
  items.reduce((sum, { bytes }) => sum + (bytes ?? usual), 0);

/** All together where nobody else writes. */
function* sharesOf<T>(items: readonly T[], { targets }: SourcePass): Generator<readonly T[]> {
  const size = targets.claims === undefined ? Infinity : CLAIMED_AT_ONCE;
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

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
  for (const itemId of changes.keptOutItemIds) leaveOut(itemId, itemId, task);
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
  const counts = new Map<string, number>();
  for (const { itemId } of await ledger.documentsOfItems(tenant, source.name, unchangedItemIds))
    counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
  return counts;
}

/** One without a version could not even be listed: each listing looks at it again. */
export async function recordFailure(
  { itemId, error, version }: { itemId: string; error: RAGError; version?: string },
  task: SourceTask,
): Promise<void> {
  const { configured, targets, options } = task;
  const { processingKey, source } = configured;
  const retrying =
    version === undefined
      ? {}
      : { version, processingKey, ...(await nextAttempt({ itemId, version }, task)) };
  await targets.ledger.failItem(
    { tenant: options.scope.tenant, source: source.name, itemId },
    { reason: error.reason, message: error.message, at: targets.now(), ...retrying },
  );
}

/** Nothing after the last attempt, and where a program decides when it hands the item in again. */
async function nextAttempt(
  { itemId, version }: { readonly itemId: string; readonly version: string },
  { configured, targets, options }: SourceTask,
): Promise<{ readonly nextAttemptAt?: string }> {
  const { retry = DEFAULT_RETRY_POLICY, scope } = options;
  const { name, itemIds } = configured.source;
  if (itemIds !== undefined) return {};
  const before = (await targets.ledger.items(scope.tenant, name, [itemId])).get(itemId);
  const failures = 1 + (before?.error?.version === version ? before.attempts : 0);
  return failures >= retry.attempts ? {} : { nextAttemptAt: nextAttemptAt(retry, failures) };
}

/** A batch that is not full is written after so long, so that a run that is killed again and again comes forward. In milliseconds. */
const FLUSH_MS = 5_000;

const chunksOf = ({ documents }: ItemRead): number =>
  documents.reduce((sum, { sketches }) => sum + sketches.length, 0);

/** Reads and prepares items a few at a time and writes them in batches; while one batch is being written the next is being prepared. */
export async function readAndWrite(
  items: readonly SourceItem[],
  task: SourcePass,
  preparer: Preparer,
): Promise<void> {
  const { options, run } = task;
  const vanished: SourceItem[] = [];
  let batch: ItemRead[] = [];
  let chunks = 0;
  let flushedAt = runtime().elapsed();
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    const ready = batch;
    batch = [];
    chunks = 0;
    flushedAt = runtime().elapsed();
    writing = writeItems(ready, task);
    // A failure surfaces at the next await; without this it could be unhandled until then.
    writing.catch(() => undefined);
  };
  const reads = mapConcurrently(items, options.parallel, async (item) =>
    prepareItem(await readItem(item, task), task, preparer),
  );
  try {
    for (;;) {
      // What is timed is the waiting: reads go on behind all other work.
      const next = await run.timedAsync('read', () => reads.next());
      if (next.done === true) break;
      run.checkAborted();
      if (next.value.isGone === true) {
        const { item } = next.value;
        vanished.push({ ...item, version: item.listedVersion ?? item.version });
        continue;
      }
      const kept = withoutExpired(next.value, task);
      const read = withoutRepeats(await settleItem(kept, task), task.seenDocuments, run);
      batch.push(read);
      chunks += chunksOf(read);
      const isLate = runtime().elapsed() - flushedAt >= FLUSH_MS;
      if (chunks >= options.batchSize || batch.length >= options.batchSize || isLate) await flush();
    }
  } finally {
    await reads.return(undefined);
    await writing;
  }
  await flush();
  await writing;
  await deleteVanished(vanished, task);
}

async function writeItems(reads: readonly ItemRead[], task: SourcePass): Promise<void> {
  const { options } = task;
  if (options.dryRun) {
    return previewItems(reads, task);
  }
  const unsure = reads.map(({ item, documents, gone }) => ({
    itemId: item.id,
    documentIds: [...documents, ...gone].map(({ documentId }) => documentId),
  }));
  await orLeave(unsure, task, () => writeClaimed(reads, task));
}

async function writeClaimed(reads: readonly ItemRead[], task: SourcePass): Promise<void> {
  const { targets, options, run } = task;
  await targets.giveWay?.();
  if (options.force) {
    for (const { item } of reads) await targets.ledger.markChunksMissing(await knownChunks(item, task));
  }
  if (task.isPush === true) await finishBefore(reads, task);
  await writeBatch(
    reads.flatMap((read) => batchDocuments(read, task)),
    targets,
    run,
  );
  const gone = reads.flatMap((read) => read.gone);
  await deleteDocuments(
    gone.map(({ documentId }) => documentId),
    { ...targets, items: gone },
    run,
  );
  for (const read of reads) run.of(read.item.id).documentsDeleted += read.gone.length;
  await run.timedAsync('ledger', () => settleItems(reads, task));
  for (const { item } of reads) run.itemDone(item.bytes ?? 1);
}

/**
 * A push over one that died: that one is finished or taken back before, for of two that died in a row over one document the store would hold no
 * whole revision, and nobody can read it again.
 */
async function finishBefore(reads: readonly ItemRead[], { targets }: SourcePass): Promise<void> {
  const run = new IndexRun(undefined, targets.signal);
  for (const { unfinished } of reads)
    for (const document of unfinished) await finishDocument(document, targets, run);
}

const batchDocuments = (
  { item, documents }: ItemRead,
  { configured, options }: SourceTask,
): BatchDocument[] =>
  documents.map((prepared) => ({
    prepared,
    tenant: options.scope.tenant,
    source: configured.source.name,
    sourceType: configured.sourceType,
    itemId: item.id,
  }));

async function knownChunks(
  item: SourceItem,
  { configured, targets, options }: SourceTask,
): Promise<string[]> {
  const { ledger } = targets;
  const documents = await ledger.documentsOfItems(options.scope.tenant, configured.source.name, [item.id]);
  const chunks = await Promise.all(documents.map(({ documentId }) => ledger.chunks(documentId)));
  return chunks.flat().map(({ chunkId }) => chunkId);
}

/** Records which items are complete at their version, and which failed. */
async function settleItems(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  const { configured, targets, options } = task;
  const { processingKey, source } = configured;
  await targets.ledger.completeItems(
    reads
      .filter(({ failure }) => failure === undefined)
      .map(({ item }) => ({
        tenant: options.scope.tenant,
        source: source.name,
        itemId: item.id,
        version: item.version,
        processingKey,
      })),
  );
  for (const { item, failure } of reads) {
    if (failure !== undefined)
      await recordFailure({ itemId: item.id, error: failure, version: item.version }, task);
  }
  const changed = reads.flatMap(({ item: { id: itemId, listedVersion: version } }) =>
    version === undefined ? [] : [{ itemId, version }],
  );
  if (changed.length > 0) await targets.ledger.owed?.settle(options.scope.tenant, source.name, changed);
}
