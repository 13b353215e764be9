import type { RAGError } from '../core/errors.js';
import { mapInOrder } from '../core/map-in-order.js';
import { runtime } from '../core/runtime.js';
import { cacheKeyer } from '../embedding/embedding-cache.js';
import { DEFAULT_RETRY_POLICY, nextAttemptAt } from '../operations/retry-policy.js';
import type { SourceItem } from '../sources/source.js';
import { deleteDocuments, deleteVanished } from './delete-documents.js';
import { finishDocument } from './finish-pushes.js';
import { IndexRun } from './index-run.js';
import { itemKey, keyAsRead } from './item-keys.js';
import type { Preparer } from './preparation/preparer.js';
import { type ItemRead, prepareItem, readItem, settleItem, withoutRepeats } from './read-item.js';
import { withoutExpired } from './retention.js';
import { orLeave, type SourcePass } from './source-pass.js';
import type { SourceTask } from './source-task.js';
import { type BatchDocument, writeBatch } from './write-batch.js';

/** One without a version could not even be listed: each listing looks at it again. */
export async function recordFailure(
  { itemId, error, version }: { itemId: string; error: RAGError; version?: string },
  task: SourceTask,
): Promise<void> {
  const { configured, targets, options } = task;
  const { source } = configured;
  const processingKey = itemKey(itemId, configured);
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
  const reads = mapInOrder(items, options.parallel, async (item) =>
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
  const { source } = configured;
  await targets.ledger.completeItems(
    reads
      .filter(({ failure }) => failure === undefined)
      .map(({ item, documents }) => ({
        tenant: options.scope.tenant,
        source: source.name,
        itemId: item.id,
        version: item.version,
        processingKey: keyAsRead(item.id, documents, configured),
      })),
  );
  for (const { item, failure } of reads) {
    if (failure !== undefined)
      await recordFailure({ itemId: item.id, error: failure, version: item.version }, task);
  }
  const changed = reads.flatMap(({ item: { id: itemId, listedVersion: version } }) =>
    version === undefined ? [] : [{ itemId, version }],
  );
  if (changed.length > 0)
    await targets.ledger.pendingWork?.settle(options.scope.tenant, source.name, changed);
}

/** What a dry run does with items in place of writing them: counts what would be written, and what that would cost. */
async function previewItems(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  await estimateEmbedding(reads, task);
  countPreview(reads, task);
  for (const { documents } of reads) for (const { batches } of documents) await batches.return?.();
}

/** What a hosted model will be asked to embed: texts of chunks that are neither indexed nor cached. */
async function estimateEmbedding(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  const { embedder, embedding, ledger } = task.targets;
  if (embedder.estimate === undefined) return;
  const texts = new Set<string>();
  for (const { documents } of reads) {
    for (const { documentId, batches } of documents) {
      const indexed = new Set((await ledger.chunks(documentId)).map(({ chunkId }) => chunkId));
      for await (const chunks of batches)
        for (const { record, indexedText } of chunks) if (!indexed.has(record.id)) texts.add(indexedText);
    }
  }
  const unique = [...texts];
  const keyOf = cacheKeyer(embedder.identity, 'document', embedding.owner);
  const cached = (await embedding.cache?.getMany(unique.map(keyOf), embedder.dimensions)) ?? [];
  const missing = unique.filter((_, index) => cached[index] === undefined);
  task.run.addEmbedding(await embedder.estimate(missing));
}

function countPreview(reads: readonly ItemRead[], { run }: SourceTask): void {
  for (const { item, documents, gone } of reads) {
    const tally = run.of(item.id);
    tally.documentsProcessed += documents.length;
    tally.documentsDeleted += gone.length;
    tally.chunksCreated += documents.reduce((sum, { sketches }) => sum + sketches.length, 0);
    run.itemDone(item.bytes ?? 1);
  }
}
