import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { oneOf } from '../core/filter.js';
import type { Metadata } from '../core/metadata.js';
import type {
  Generation,
  GenerationReader,
  LedgerChunk,
  LedgerDocument,
  LedgerItem,
} from '../ledger/ledger.js';
import { encodeText } from '../ledger/text-encoding.js';
import { graphRowsOf } from '../relations/graph/graph-rows.js';
import { recordDigest, storedDigest } from '../resources/chunk-digests.js';
import { listPages } from '../stores/list-pages.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { IndexRun } from './index-run.js';
import type { ChunkSketch, PreparedChunk } from './prepare-document.js';
import { type RebuiltChunk, rebuildChunks } from './rebuilt-chunks.js';
import { type BatchDocument, type WriteTargets, writeBatch } from './write-batch.js';

const PAGE = 500;

/** A generation whose content is copied. */
export interface CarriedGeneration {
  readonly facts: Generation;
  readonly reader: GenerationReader;
  readonly collection: VectorCollection;
}

/**
 * Copies into a new generation what its run could not read: documents that a program handed in, what failed this time, and what a folder
 * holds that could not be listed. What had failed before keeps what was indexed of it, and its failure. Text is embedded again where the
 * model is another one; chunks stay as they were cut.
 */
export async function carryOver(
  from: CarriedGeneration,
  items: readonly LedgerItem[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  for (const item of items) {
    run.checkAborted();
    await targets.giveWay?.();
    // A writer that lost the lock of the whole may still write, and is refused what others claim.
    await targets.claims?.takeAll(item, [item.itemId], targets);
    await carryItem(item, from, targets, run);
    await targets.claims?.release(item, [item.itemId]);
  }
}

async function carryItem(
  item: LedgerItem,
  from: CarriedGeneration,
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { tenant, source, itemId, version, processingKey, error } = item;
  const batch = await carriedItem(item, from, targets.signal).catch((problem: unknown) => {
    if (!isDamage(problem)) throw problem;
    run.fail({ source, item: itemId, reason: problem.reason, message: NOT_CARRIED });
  });
  const isFailure = item.status === 'failed';
  if (batch === undefined || (isFailure && batch.length === 0)) return;
  const whole = batch.flatMap((document) => document ?? []);
  await writeBatch(whole, targets, run);
  // Its source is asked for it again, or a program hands it in again.
  if (whole.length < batch.length) return;
  if (isFailure && error !== undefined) await targets.ledger.failItem({ tenant, source, itemId }, error);
  else if (version !== undefined && processingKey !== undefined)
    await targets.ledger.completeItems([{ tenant, source, itemId, version, processingKey }]);
}

const NOT_CARRIED =
  'It could not be copied out of the damaged store and is not in the new generation: index its source, or push it again.';

const isDamage = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && error.reason === 'STORE_DAMAGED';

async function carriedItem(
  { tenant, source, itemId }: LedgerItem,
  from: CarriedGeneration,
  signal: AbortSignal | undefined,
): Promise<(BatchDocument | undefined)[]> {
  const documents = await from.reader.documentsOfItems(tenant, source, [itemId]);
  return Promise.all(documents.map((document) => carried(document, from, { signal })));
}

/** How a document is taken over. */
export interface CarryOptions {
  readonly signal: AbortSignal | undefined;
  /** What becomes of the metadata of the document and of each chunk. @default it stays */
  readonly change?: ((metadata: Metadata) => Metadata) | undefined;
  /** See `RebuiltDocument.reveal`. */
  readonly reveal?: ((metadata: Metadata) => Metadata) | undefined;
}

/** A document as it is in the other generation; undefined where its text is no longer there, or it was left half written. */
export async function carried(
  document: LedgerDocument,
  from: CarriedGeneration,
  options: CarryOptions,
): Promise<BatchDocument | undefined> {
  const { change = (metadata) => metadata } = options;
  const held = await readHeld(document, from, options);
  if (held === undefined) return undefined;
  const stored = held.chunks.map((chunk) => ({ ...chunk, metadata: change(chunk.metadata) }));
  const changed = { ...document, metadata: change(document.metadata), text: held.text };
  return documentOfChunks(changed, stored, { rebuilt: held.rebuilt });
}

/** What a generation holds of a document, with what its store does not keep found again. */
export interface HeldDocument {
  readonly text: string;
  /** In its order. */
  readonly chunks: readonly StoredChunk[];
  /** Of the same chunks. */
  readonly rebuilt: readonly RebuiltChunk[];
  /** By chunk id, as the ledger has them. */
  readonly digests: ReadonlyMap<string, string>;
}

/** The chunks of the revision that the ledger names; undefined where the store lacks some. Beside them it may hold what a dead writer left. */
function wholeRevision(
  { status }: LedgerDocument,
  stored: readonly StoredChunk[],
  known: readonly LedgerChunk[],
): readonly StoredChunk[] | undefined {
  const wanted = new Map(
    known.flatMap(({ chunkId, digest, state }) => (state === 'stale' ? [] : [[chunkId, digest]])),
  );
  if (status === 'indexed') return stored.filter(({ id }) => wanted.has(id));
  const found = stored.filter((chunk) => wanted.get(chunk.id)?.startsWith(storedDigest(chunk)) === true);
  return found.length === wanted.size && wanted.size > 0 ? found : undefined;
}

/** Undefined where the document's text is no longer there, or it was left half written. */
export async function readHeld(
  document: LedgerDocument,
  from: CarriedGeneration,
  { signal, reveal }: Pick<CarryOptions, 'signal' | 'reveal'>,
): Promise<HeldDocument | undefined> {
  const whole = (await readWhole([document], from, signal)).get(document.documentId);
  if (whole === undefined) return undefined;
  return { ...whole, rebuilt: await rebuildChunks(whole.chunks, { ...whole, reveal }) };
}

/** What a generation holds of a document, of which nothing is found again that its store does not keep. */
export type WholeDocument = Omit<HeldDocument, 'rebuilt'>;

/** Several documents at once, by their ids; those whose text is no longer there, or that were left half written, are missing. */
export async function readWhole(
  documents: readonly LedgerDocument[],
  { reader, collection }: CarriedGeneration,
  signal: AbortSignal | undefined,
): Promise<Map<string, WholeDocument>> {
  const ids = documents.map(({ documentId }) => documentId);
  const stored = new Map<string, StoredChunk[]>(ids.map((id) => [id, []]));
  const filter = oneOf('$documentId', ids);
  for await (const page of listPages(collection, { filter, limit: PAGE, signal }))
    for (const { vector: _, ...chunk } of page) stored.get(chunk.documentId)?.push(chunk);
  const known = await reader.chunksOf(ids);
  const whole = new Map<string, WholeDocument>();
  for (const document of documents) {
    const { documentId } = document;
    const chunks = { stored: stored.get(documentId) ?? [], known: known.get(documentId) ?? [] };
    const found = await wholeOf(document, { ...chunks, reader });
    if (found !== undefined) whole.set(documentId, found);
  }
  return whole;
}

/** What was read of a document. */
export interface ReadChunks {
  /** From the store; with vectors they keep them. */
  readonly stored: readonly StoredChunk[];
  /** From the ledger. */
  readonly known: readonly LedgerChunk[];
  readonly reader: Pick<GenerationReader, 'text'>;
}

/** What a generation holds of a document whose chunks were read already; what its store does not keep is still to be found again. */
export async function wholeOf(
  document: LedgerDocument,
  { stored, known, reader }: ReadChunks,
): Promise<WholeDocument | undefined> {
  const text = await reader.text(document.documentId);
  if (text === undefined) return undefined;
  const whole = wholeRevision(document, stored, known);
  if (whole === undefined) return undefined;
  const chunks = whole.toSorted((a, b) => placeOf(a) - placeOf(b));
  const digests = new Map(known.map(({ chunkId, digest }) => [chunkId, digest]));
  return { text, chunks, digests };
}

/** A document to be written as another generation holds it, under the digests that it has there, so that both can be compared. */
export function documentAsHeld(
  document: LedgerDocument,
  { text, chunks, rebuilt, digests }: HeldDocument,
): BatchDocument {
  return documentOfChunks({ ...document, text }, chunks, { rebuilt, digests });
}

/** What is known of chunks that are written from what a store holds of them. */
export interface KnownOfChunks {
  /** Of the same chunks; without it, what a store does not keep is left out of them. */
  readonly rebuilt?: readonly RebuiltChunk[];
  /** By chunk id. @default made of what is written */
  readonly digests?: ReadonlyMap<string, string>;
}

/**
 * A document that is written from what a store holds of it; a chunk that has its vector is not embedded again.
 */
export function documentOfChunks(
  document: Omit<LedgerDocument, 'status' | 'chunkCount'> & { readonly text: string },
  stored: readonly StoredChunk[],
  { rebuilt, digests }: KnownOfChunks = {},
): BatchDocument {
  const { documentId, externalId, revision, title, metadata, project, tenant, source, sourceType, itemId } =
    document;
  const chunks = stored
    .map((chunk, index) => toPrepared(chunk, rebuilt?.[index], digests?.get(chunk.id)))
    .sort((a, b) => a.index - b.index);
  const prepared = {
    documentId,
    externalId,
    revision,
    text: encodeText(document.text),
    title,
    metadata,
    project,
    access: stored[0]?.access,
    sketches: chunks.map(({ sketch }) => sketch),
    batches: onceOf(chunks.map(({ chunk }) => chunk)),
    graph: graphRowsOf(document),
    warnings: [],
    redactions: {},
  };
  return { prepared, tenant, source, sourceType, itemId };
}

/** The place of a chunk in its document. */
const placeOf = ({ metadata: { chunkIndex } }: StoredChunk): number =>
  typeof chunkIndex === 'number' ? chunkIndex : 0;

interface CarriedChunk {
  /** Its place in the document. */
  readonly index: number;
  readonly sketch: ChunkSketch;
  readonly chunk: PreparedChunk;
}

function toPrepared(
  { vector, ...stored }: StoredChunk,
  rebuilt: RebuiltChunk | undefined,
  known: string | undefined,
): CarriedChunk {
  const indexedText = rebuilt?.indexedText ?? indexedTextOfStored(stored);
  const searchText = rebuilt?.searchText ?? analyzeText(indexedText).join(' ');
  const record = { ...stored, searchText };
  const digest = known ?? recordDigest(record, { searchText, identifiers: stored.identifiers });
  return {
    index: placeOf(stored),
    sketch: { chunkId: stored.id, digest },
    chunk: {
      record,
      indexedText,
      ...(vector === undefined ? {} : { embedded: { vector, isTruncated: false } }),
    },
  };
}

async function* onceOf(chunks: readonly PreparedChunk[]): AsyncGenerator<readonly PreparedChunk[]> {
  if (chunks.length > 0) yield chunks;
}
