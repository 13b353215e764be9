import type { Chunker } from '../chunking/chunker.js';
import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { oneOf } from '../core/filter.js';
import { contentHash } from '../core/ids.js';
import type { Metadata } from '../core/metadata.js';
import type { Scope } from '../core/scope.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type { Parser } from '../parsing/parser.js';
import type { ReadResult, Source, SourceItem } from '../sources/source.js';
import type { IndexRun } from './index-run.js';
import { listChanges, MAX_ATTEMPTS, type SourceChanges } from './list-changes.js';
import { mapConcurrently } from './map-concurrently.js';
import { type PreparationContext, type PreparedDocument, prepareDocument } from './prepare-document.js';
import { type BatchDocument, type WriteTargets, writeBatch } from './write-batch.js';

/** A source with everything that decides how its documents are processed. */
export interface ConfiguredSource {
  readonly source: Source;
  readonly sourceType: string;
  readonly metadata: Metadata;
  readonly chunker: Chunker;
  readonly parsers: ReadonlyMap<string, Parser>;
  /** Changes whenever the same bytes would give other chunks. */
  readonly processingKey: string;
}

export interface IndexSourceOptions {
  readonly scope: Scope;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Chunks in one store batch. */
  readonly batchSize: number;
  /** Items read at once. */
  readonly parallel: number;
}

/** Documents in one delete filter. */
const DELETE_BATCH = 200;

/** An item read and prepared. */
interface ItemRead {
  readonly item: SourceItem;
  readonly source: string;
  readonly documents: readonly PreparedDocument[];
  /** Documents of the item in the ledger that the item no longer holds. */
  readonly gone: readonly LedgerDocument[];
  readonly failure: RAGError | undefined;
}

/** Brings the index in step with one source: new and changed items are indexed, deleted ones removed, failures recorded. */
export async function indexSource(
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): Promise<void> {
  const { source, processingKey } = configured;
  const { tenant } = options.scope;
  run.enter('listing', source.name);
  const changes = await run.timedAsync('list', () =>
    listChanges(source, {
      tenant,
      ledger: targets.ledger,
      processingKey,
      force: options.force,
      signal: targets.signal,
    }),
  );
  recordListing(changes, configured, targets, options, run);
  run.enter('indexing', source.name);
  run.expect(
    changes.toRead.length,
    changes.toRead.reduce((sum, item) => sum + (item.bytes ?? 1), 0),
  );
  await readAndWrite(changes.toRead, configured, targets, options, run);
  await deleteGone(changes.goneItemIds, configured, targets, options, run);
}

function recordListing(
  changes: SourceChanges,
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): void {
  const { name } = configured.source;
  const counts = targets.ledger.documentCounts(options.scope.tenant, name);
  for (const itemId of changes.unchangedItemIds) run.documentsUnchanged += counts.get(itemId) ?? 0;
  for (const { id, error } of changes.unreadable) {
    run.fail({ source: name, item: id, reason: error.reason, message: error.message });
    if (!options.dryRun) failItem({ itemId: id, error }, configured, targets, options);
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

function failItem(
  { itemId, error, version }: { itemId: string; error: RAGError; version?: string },
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
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
async function readAndWrite(
  items: readonly SourceItem[],
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): Promise<void> {
  let batch: ItemRead[] = [];
  let chunks = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    const ready = batch;
    batch = [];
    chunks = 0;
    writing = writeItems(ready, configured, targets, options, run);
    // A failure surfaces at the next await; without this it could be unhandled until then.
    writing.catch(() => undefined);
  };
  const seenDocuments = new Set<string>();
  const reads = mapConcurrently(items, options.parallel, (item) => readItem(item, configured, targets));
  try {
    for (;;) {
      // What is timed is the waiting: reads go on behind all other work.
      const next = await run.timedAsync('read', () => reads.next());
      if (next.done === true) break;
      run.checkAborted();
      const read = withoutRepeats(
        prepareItem(next.value, configured, targets, options, run),
        seenDocuments,
        run,
      );
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

/** One identity, one document a run: a second document under the same identity would undo the first. */
function withoutRepeats(read: ItemRead, seen: Set<string>, run: IndexRun): ItemRead {
  const documents: PreparedDocument[] = [];
  let { failure } = read;
  for (const document of read.documents) {
    if (seen.has(document.documentId)) {
      const repeated = new RAGError(
        'DOCUMENT_DUPLICATE_ID',
        `Two documents are called "${document.externalId}"; the first one was kept.`,
      );
      run.fail({
        source: read.source,
        item: document.externalId,
        reason: repeated.reason,
        message: repeated.message,
      });
      failure ??= repeated;
    } else {
      seen.add(document.documentId);
      documents.push(document);
    }
  }
  return { ...read, documents, failure };
}

/** An item as its source gave it, or why it could not. */
interface RawItem {
  readonly item: SourceItem;
  readonly result: ReadResult | RAGError;
}

async function readItem(
  item: SourceItem,
  { source }: ConfiguredSource,
  { signal }: WriteTargets,
): Promise<RawItem> {
  throwIfAborted(signal);
  try {
    return { item, result: await source.read(item, signal) };
  } catch (error) {
    const failure = toRAGError(error, 'DOCUMENT_UNREADABLE', `"${item.id}" could not be read.`);
    if (failure.reason === 'ABORTED') throw failure;
    return { item, result: failure };
  }
}

function prepareItem(
  { item, result }: RawItem,
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): ItemRead {
  const source = configured.source.name;
  const report = (externalId: string, error: RAGError): void =>
    run.fail({ source, item: externalId, reason: error.reason, message: error.message });
  if (RAGError.isInstance(result)) {
    report(item.id, result);
    return { item, source, documents: [], gone: [], failure: result };
  }
  for (const notice of result.notices ?? []) run.notice(notice);
  const context = preparationContext(configured, options, run);
  const documents: PreparedDocument[] = [];
  const failed = new Map(result.failures.map(({ externalId, error }) => [externalId, error]));
  for (const raw of result.documents) {
    try {
      documents.push(prepareDocument(raw, context));
    } catch (error) {
      failed.set(
        raw.externalId,
        toRAGError(error, 'DOCUMENT_INVALID', `"${raw.externalId}" could not be processed.`),
      );
    }
  }
  for (const [externalId, error] of failed) report(externalId, error);
  for (const { externalId, warnings } of documents) {
    for (const warning of warnings) run.notice(`${externalId}: ${warning}`);
  }
  // A document that failed is still there: what was indexed of it before stays.
  const kept = new Set([...documents.map(({ externalId }) => externalId), ...failed.keys()]);
  const known = targets.ledger.documentsOfItem(options.scope.tenant, source, item.id);
  const gone = known.filter(({ externalId }) => !kept.has(externalId));
  return { item, source, documents, gone, failure: [...failed.values()][0] };
}

const preparationContext = (
  configured: ConfiguredSource,
  options: IndexSourceOptions,
  run: IndexRun,
): PreparationContext => ({
  scope: options.scope,
  source: configured.source.name,
  sourceType: configured.sourceType,
  sourceMetadata: configured.metadata,
  parsers: configured.parsers,
  chunker: configured.chunker,
  timed: run.timed,
});

async function writeItems(
  reads: readonly ItemRead[],
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): Promise<void> {
  const { tenant } = options.scope;
  const source = configured.source.name;
  if (options.dryRun) {
    countPreview(reads, run);
    return;
  }
  if (options.force)
    targets.ledger.markChunksMissing(reads.flatMap(({ item }) => liveChunks(item, targets, tenant, source)));
  const documents = reads.flatMap(({ item, documents }) =>
    documents.map(
      (prepared): BatchDocument => ({
        prepared,
        tenant,
        source,
        sourceType: configured.sourceType,
        itemId: item.id,
      }),
    ),
  );
  await writeBatch(documents, targets, run);
  await deleteDocuments(
    reads.flatMap(({ gone }) => gone.map(({ documentId }) => documentId)),
    targets,
    run,
  );
  const complete = reads.filter(({ failure }) => failure === undefined);
  run.timed('ledger', () => {
    targets.ledger.completeItems(
      complete.map(({ item }) => ({
        tenant,
        source,
        itemId: item.id,
        version: item.version,
        processingKey: configured.processingKey,
      })),
    );
    for (const { item, failure } of reads) {
      if (failure !== undefined) {
        failItem({ itemId: item.id, error: failure, version: item.version }, configured, targets, options);
      }
    }
  });
  for (const { item } of reads) run.itemDone(item.bytes ?? 1);
}

const liveChunks = (item: SourceItem, targets: WriteTargets, tenant: string, source: string): string[] =>
  targets.ledger
    .documentsOfItem(tenant, source, item.id)
    .flatMap(({ documentId }) => targets.ledger.chunks(documentId).map(({ chunkId }) => chunkId));

function countPreview(reads: readonly ItemRead[], run: IndexRun): void {
  for (const { item, documents, gone } of reads) {
    run.documentsProcessed += documents.length;
    run.documentsDeleted += gone.length;
    run.chunksCreated += documents.reduce((sum, document) => sum + document.chunks.length, 0);
    run.itemDone(item.bytes ?? 1);
  }
}

async function deleteGone(
  itemIds: readonly string[],
  configured: ConfiguredSource,
  targets: WriteTargets,
  options: IndexSourceOptions,
  run: IndexRun,
): Promise<void> {
  const { tenant } = options.scope;
  const source = configured.source.name;
  await deleteItems({ tenant, source, itemIds, dryRun: options.dryRun }, targets, run);
}

/** Removes items with all their documents, from the store first and from the ledger after. */
export async function deleteItems(
  gone: { tenant: string; source: string; itemIds: readonly string[]; dryRun: boolean },
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { tenant, source, itemIds } = gone;
  const documentIds = itemIds.flatMap((itemId) =>
    targets.ledger.documentsOfItem(tenant, source, itemId).map(({ documentId }) => documentId),
  );
  if (gone.dryRun) {
    run.documentsDeleted += documentIds.length;
    return;
  }
  await deleteDocuments(documentIds, targets, run);
  run.timed('ledger', () => targets.ledger.forgetItems(tenant, source, itemIds));
}

async function deleteDocuments(
  documentIds: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  for (let start = 0; start < documentIds.length; start += DELETE_BATCH) {
    run.checkAborted();
    const ids = documentIds.slice(start, start + DELETE_BATCH);
    run.timed('ledger', () => targets.ledger.planDeletion(ids));
    await run.timedAsync('store', () => targets.collection.delete(oneOf('$documentId', ids), targets.signal));
    run.timed('ledger', () => targets.ledger.forget(ids));
    run.documentsDeleted += ids.length;
  }
}

/** A key over everything but the content that decides what an item becomes. */
export function processingKeyOf(parts: Readonly<Record<string, unknown>>): string {
  return contentHash(JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);
}
