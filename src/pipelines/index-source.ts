import type { RAGError } from '../core/errors.js';
import { cacheKeyer } from '../embedding/embedding-cache.js';
import type { SourceItem } from '../sources/source.js';
import { deleteDocuments, deleteItems } from './delete-documents.js';
import { listChanges, MAX_ATTEMPTS, type SourceChanges } from './list-changes.js';
import { mapConcurrently } from './map-concurrently.js';
import { type ItemRead, prepareItem, readItem, withoutRepeats } from './read-item.js';
import type { SourceTask } from './source-task.js';
import { type BatchDocument, writeBatch } from './write-batch.js';

/** Brings the index in step with one source: new and changed items are indexed, deleted ones removed, failures recorded. */
export async function indexSource(task: SourceTask): Promise<void> {
  const { configured, targets, options, run } = task;
  const { source, processingKey } = configured;
  const { tenant } = options.scope;
  const { ledger, signal } = targets;
  run.enter('listing', source.name);
  const since = options.force ? undefined : ledger.sourceCursor(tenant, source.name);
  const changes = await run.timedAsync('list', () =>
    listChanges(source, {
      tenant,
      ledger,
      processingKey,
      force: options.force,
      signal,
      ...(since === undefined ? {} : { since }),
    }),
  );
  recordListing(changes, task);
  run.enter('indexing', source.name);
  run.expect(
    changes.toRead.length,
    changes.toRead.reduce((sum, item) => sum + (item.bytes ?? 1), 0),
  );
  source.expectReads?.(changes.toRead);
  await readAndWrite(changes.toRead, task);
  const gone = { tenant, source: source.name, itemIds: changes.goneItemIds, dryRun: options.dryRun };
  await deleteItems(gone, targets, run);
  // Last of all: a run that is stopped before lists the same changes again. What failed is remembered item by item.
  if (changes.cursor !== undefined && !options.dryRun)
    ledger.setSourceCursor(tenant, source.name, changes.cursor);
}

function recordListing(changes: SourceChanges, task: SourceTask): void {
  const { configured, targets, options, run } = task;
  const { name } = configured.source;
  for (const notice of configured.source.listingNotices?.() ?? []) run.notice(notice);
  for (const { error } of changes.waived) run.notice(error.message);
  const counts = targets.ledger.documentCounts(options.scope.tenant, name);
  for (const itemId of changes.unchangedItemIds) run.documentsUnchanged += counts.get(itemId) ?? 0;
  for (const { id, error } of changes.unreadable) {
    run.fail({ source: name, item: id, reason: error.reason, message: error.message });
    if (!options.dryRun) recordFailure({ itemId: id, error }, task);
  }
  for (const item of changes.deadLetters) {
    run.fail({
      source: name,
      item: item.itemId,
      reason: item.error?.reason ?? 'DOCUMENT_INVALID',
      message: `${item.error?.message ?? 'It could not be read.'} Given up after ${MAX_ATTEMPTS} attempts; it is tried again when it changes, or with --force.`,
    });
  }
}

function recordFailure(
  { itemId, error, version }: { itemId: string; error: RAGError; version?: string },
  { configured, targets, options }: SourceTask,
): void {
  targets.ledger.failItem(
    { tenant: options.scope.tenant, source: configured.source.name, itemId },
    {
      reason: error.reason,
      message: error.message,
      at: targets.now(),
      ...(version === undefined ? {} : { version }),
    },
  );
}

/** Reads items a few at a time and writes them in batches; while one batch is being written the next is being prepared. */
async function readAndWrite(items: readonly SourceItem[], task: SourceTask): Promise<void> {
  const { options, run } = task;
  let batch: ItemRead[] = [];
  let chunks = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    const ready = batch;
    batch = [];
    chunks = 0;
    writing = writeItems(ready, task);
    // A failure surfaces at the next await; without this it could be unhandled until then.
    writing.catch(() => undefined);
  };
  const seenDocuments = new Set<string>();
  const reads = mapConcurrently(items, options.parallel, (item) => readItem(item, task));
  try {
    for (;;) {
      // What is timed is the waiting: reads go on behind all other work.
      const next = await run.timedAsync('read', () => reads.next());
      if (next.done === true) break;
      run.checkAborted();
      const read = withoutRepeats(await prepareItem(next.value, task), seenDocuments, run);
      batch.push(read);
      chunks += read.documents.reduce((sum, document) => sum + document.chunks.length, 0);
      if (chunks >= options.batchSize || batch.length >= options.batchSize) await flush();
    }
  } finally {
    await reads.return(undefined);
    await writing;
  }
  await flush();
  await writing;
}

async function writeItems(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  const { targets, options, run } = task;
  if (options.dryRun) {
    await estimateEmbedding(reads, task);
    countPreview(reads, task);
    return;
  }
  if (options.force) {
    targets.ledger.markChunksMissing(reads.flatMap(({ item }) => knownChunks(item, task)));
  }
  await writeBatch(
    reads.flatMap((read) => batchDocuments(read, task)),
    targets,
    run,
  );
  await deleteDocuments(
    reads.flatMap(({ gone }) => gone.map(({ documentId }) => documentId)),
    targets,
    run,
  );
  run.timed('ledger', () => settleItems(reads, task));
  for (const { item } of reads) run.itemDone(item.bytes ?? 1);
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

function knownChunks(item: SourceItem, { configured, targets, options }: SourceTask): string[] {
  const { ledger } = targets;
  return ledger
    .documentsOfItem(options.scope.tenant, configured.source.name, item.id)
    .flatMap(({ documentId }) => ledger.chunks(documentId).map(({ chunkId }) => chunkId));
}

/** Records which items are complete at their version, and which failed. */
function settleItems(reads: readonly ItemRead[], task: SourceTask): void {
  const { configured, targets, options } = task;
  const { processingKey, source } = configured;
  targets.ledger.completeItems(
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
      recordFailure({ itemId: item.id, error: failure, version: item.version }, task);
  }
}

/** What a hosted model will be asked to embed: texts of chunks that are neither indexed nor cached. */
async function estimateEmbedding(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  const { embedder, embedding, ledger } = task.targets;
  if (embedder.estimate === undefined) return;
  const texts = new Set<string>();
  for (const { documents } of reads) {
    for (const { documentId, chunks } of documents) {
      const indexed = new Set(ledger.chunks(documentId).map(({ chunkId }) => chunkId));
      for (const { record, indexedText } of chunks) if (!indexed.has(record.id)) texts.add(indexedText);
    }
  }
  const unique = [...texts];
  const keyOf = cacheKeyer(embedder.identity, 'document');
  const cached = embedding.cache?.getMany(unique.map(keyOf), embedder.dimensions) ?? [];
  const missing = unique.filter((_, index) => cached[index] === undefined);
  task.run.addEmbedding(await embedder.estimate(missing));
}

function countPreview(reads: readonly ItemRead[], { run }: SourceTask): void {
  for (const { item, documents, gone } of reads) {
    run.documentsProcessed += documents.length;
    run.documentsDeleted += gone.length;
    run.chunksCreated += documents.reduce((sum, document) => sum + document.chunks.length, 0);
    run.itemDone(item.bytes ?? 1);
  }
}
