import type { StoredChunk } from '../core/chunk.js';
import { CHUNK_KEYS, offsetsOf } from '../core/chunk-metadata.js';
import { eq } from '../core/filter.js';
import type { Metadata } from '../core/metadata.js';
import { runtime } from '../core/runtime.js';
import { slicesOf } from '../core/slices.js';
import type { GenerationReader, ItemKey, LedgerChunk, LedgerDocument, LedgerItem } from '../ledger/ledger.js';
import { storedDigest } from '../resources/chunk-digests.js';
import { listAll } from '../stores/list-pages.js';
import { documentOfChunks } from './carry-over.js';
import { deleteDocuments, forgetItems, purgeDeleted } from './delete-documents.js';
import { isPushSource } from './folder-names.js';
import type { IndexRun } from './index-run.js';
import { bySource } from './item-claims.js';
import { type BatchDocument, deleteChunks, type WriteTargets, writeBatch } from './write-batch.js';

/*
 * A run that is killed is finished by the next one, which reads the sources again. What a program handed in cannot be read
 * again, and its push was never answered, so either outcome is right that is whole: all of the new revision, or all of the one before.
 * Which one it can be is seen by what the store holds. A push writes what is new, then replaces records of chunks that stay, then
 * deletes what is stale, then tells the ledger, so at each moment either the records of the old revision are all there, or the
 * chunks of the new one are.
 */

/** What became of pushes and deletions that a death interrupted, in documents. */
export interface FinishedPushes {
  /** Are as the interrupted call wanted them. */
  readonly finished: number;
  /** Are as they were before the interrupted call. */
  readonly takenBack: number;
  /** Ids of those that are neither, because chunks of both revisions are missing: only a new push or a deletion helps. */
  readonly left: readonly string[];
}

type Outcome = 'finished' | 'takenBack' | 'left';

const PAGE = 500;
/** Where nothing is known of how an item was processed; unlike every key that there is. */
const NO_KEY = 'interrupted';

/**
 * Finishes, or takes back, what interrupted calls left of a tenant's documents that programs handed in. Hold the lock of the whole
 * index: what is unfinished then is no other writer's work under way.
 */
export async function finishPushes(
  tenant: string,
  targets: WriteTargets,
  run: IndexRun,
): Promise<FinishedPushes> {
  const { ledger } = targets;
  const outcomes: { readonly id: string; readonly outcome: Outcome }[] = [];
  for await (const item of unfinishedItems(tenant, ledger)) {
    run.checkAborted();
    // Waits for the lease of the writer that died over it.
    await targets.claims?.takeAll(item, [item.itemId], targets);
    outcomes.push(...(await finishItem(item, targets, run)));
  }
  if (outcomes.length > 0) await purgeDeleted(targets, run);
  const count = (wanted: Outcome): number => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return {
    finished: count('finished'),
    takenBack: count('takenBack'),
    left: outcomes.flatMap(({ id, outcome }) => (outcome === 'left' ? [id] : [])),
  };
}

/** Items of a tenant's pushes of which something is unfinished. */
export async function* unfinishedItems(tenant: string, reader: GenerationReader): AsyncGenerator<LedgerItem> {
  for (const source of (await reader.sourceNames(tenant)).filter(isPushSource)) {
    const items = [...(await reader.items(tenant, source)).values()];
    for (const some of slicesOf(items, PAGE)) yield* await unfinishedOf(some, reader);
  }
}

/** Those of which something is unfinished: interrupted, or under way. One that failed keeps what was indexed before. */
export async function unfinishedOf(
  items: readonly LedgerItem[],
  reader: GenerationReader,
): Promise<LedgerItem[]> {
  const keyOf = ({ tenant, source, itemId }: ItemKey): string => JSON.stringify([tenant, source, itemId]);
  const unfinished = new Set<string>();
  for (const { key, items: some } of bySource(items))
    for (const document of await reader.documentsOfItems(
      key.tenant,
      key.source,
      some.map(({ itemId }) => itemId),
    ))
      if (document.status !== 'indexed') unfinished.add(keyOf(document));
  return items.filter(
    (item) => unfinished.has(keyOf(item)) || !(item.status === 'indexed' || item.status === 'failed'),
  );
}

/**
 * The same for items of any source: a document of a file that was left half written becomes one that is whole, and the next run reads the file
 * as it would have. Hold the lock of the whole index.
 */
export async function finishItems(
  items: readonly LedgerItem[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { ledger } = targets;
  for (const item of items) {
    run.checkAborted();
    if (isPushSource(item.source)) await finishItem(item, targets, run);
    else
      for (const document of await ledger.documentsOfItems(item.tenant, item.source, [item.itemId]))
        if (document.status === 'pending') await finishDocument(document, targets, run);
  }
}

async function finishItem(
  item: LedgerItem,
  targets: WriteTargets,
  run: IndexRun,
): Promise<{ readonly id: string; readonly outcome: Outcome }[]> {
  const { ledger } = targets;
  const { tenant, source, itemId, processingKey = NO_KEY } = item;
  const outcomes: { readonly id: string; readonly outcome: Outcome }[] = [];
  for (const document of await ledger.documentsOfItems(tenant, source, [itemId]))
    if (document.status !== 'indexed')
      outcomes.push({ id: document.externalId, outcome: await finishDocument(document, targets, run) });
  if (outcomes.some(({ outcome }) => outcome === 'left')) return outcomes;
  if ((await ledger.documentsOfItems(tenant, source, [itemId])).length === 0)
    await forgetItems({ tenant, source, itemIds: [itemId] }, targets, run);
  // A version like no other, so that the same push again is not taken for what is there already.
  else
    await ledger.completeItems([
      { tenant, source, itemId, version: `interrupted ${runtime().uniqueName()}`, processingKey },
    ]);
  return outcomes.length > 0 ? outcomes : [{ id: itemId, outcome: 'finished' }];
}

/** Finishes or takes back what was begun of a document that the caller holds. */
export async function finishDocument(
  document: LedgerDocument,
  targets: WriteTargets,
  run: IndexRun,
): Promise<Outcome> {
  const { ledger, now } = targets;
  const { documentId, indexedAt } = document;
  const recorded = await ledger.chunks(documentId);
  const wanted = recorded.filter(({ state }) => state !== 'stale');
  if (wanted.length === 0 && recorded.length > 0 && (await ledger.text(documentId)) !== '') {
    await deleteDocuments([documentId], { ...targets, items: [document] }, run);
    return 'finished';
  }
  const stored = await storedChunks(documentId, targets);
  const isAsWanted = ({ chunkId, digest }: LedgerChunk): boolean => {
    const chunk = stored.get(chunkId);
    return chunk !== undefined && digest.startsWith(storedDigest(chunk));
  };
  if (wanted.every(isAsWanted)) {
    const kept = new Set(wanted.map(({ chunkId }) => chunkId));
    // A store with an index of words beside it lists only what both hold: what one of them has lost already goes from the other.
    const gone = new Set([...stored.keys(), ...recorded.map(({ chunkId }) => chunkId)]);
    // What another one has pushed since the ledger was read is its own.
    await targets.claims?.hold([document]);
    await deleteChunks(
      [...gone].filter((id) => !kept.has(id)),
      targets,
      run,
    );
    await ledger.commit([documentId], now());
    return 'finished';
  }
  if (indexedAt === undefined) {
    // Nothing was there before.
    await deleteDocuments([documentId], { ...targets, items: [document] }, run);
    return 'takenBack';
  }
  // What is marked because the store lacks it, or holds something else, is damage and no work of anybody.
  if (document.status !== 'pending') return 'left';
  const isNew = new Set(wanted.filter(isAsWanted).map(({ chunkId }) => chunkId));
  const rewritten =
    (await before(document, { stored, isNew }, targets)) ??
    (await after(document, { stored, isNew, wanted }, targets));
  if (rewritten === undefined) return 'left';
  await writeBatch([rewritten.batch], targets, run);
  return rewritten.outcome;
}

type ChunksById = ReadonlyMap<string, StoredChunk>;

async function storedChunks(
  documentId: string,
  { collection, signal }: WriteTargets,
): Promise<Map<string, StoredChunk>> {
  const filter = eq('$documentId', documentId);
  const chunks = await listAll(collection, { filter, limit: PAGE, signal });
  return new Map(chunks.map((chunk) => [chunk.id, chunk]));
}

interface Rewritten {
  readonly batch: BatchDocument;
  readonly outcome: Outcome;
}

/** The document as it was before, where all records of that revision are in the store. */
async function before(
  document: LedgerDocument,
  { stored, isNew }: { readonly stored: ChunksById; readonly isNew: ReadonlySet<string> },
  targets: WriteTargets,
): Promise<Rewritten | undefined> {
  const old = [...stored.values()].filter((chunk) => !isNew.has(chunk.id) && !isHalfWritten(chunk, document));
  // Of two that died in a row the first may have left new chunks of its revision beside.
  for (const revision of new Set(old.map(({ metadata }) => metadata.revision))) {
    const records = old.filter(({ metadata }) => metadata.revision === revision);
    const whole = await wholeRevision(records, document, targets);
    if (whole !== undefined) return whole;
  }
  return undefined;
}

/** Of records of one revision the document, where they are all of it. */
async function wholeRevision(
  old: readonly StoredChunk[],
  document: LedgerDocument,
  targets: WriteTargets,
): Promise<Rewritten | undefined> {
  const [first] = old;
  if (first === undefined) return undefined;
  const { revision, chunkTotal, title } = first.metadata;
  const places = new Set(old.map(({ metadata }) => metadata.chunkIndex));
  const isComplete = old.length === chunkTotal && places.size === chunkTotal;
  if (!isComplete || typeof revision !== 'string') return undefined;
  const text = await targets.ledger.text(document.documentId, revision);
  if (text === undefined || !old.every((chunk) => isOf(chunk, text))) return undefined;
  const facts = {
    ...document,
    ...{ revision, text },
    title: typeof title === 'string' ? title : undefined,
    metadata: withoutKeys(first.metadata, CHUNK_KEYS),
  };
  return { batch: documentOfChunks(facts, await withVectors(old, targets)), outcome: 'takenBack' };
}

/** Of the new revision, and only in the index of words beside the store: see `withLexicalIndex`. */
const isHalfWritten = ({ content, metadata }: StoredChunk, { revision }: LedgerDocument): boolean =>
  content === '' && metadata.revision === revision;

function isOf(chunk: StoredChunk, text: string): boolean {
  const { start, end } = offsetsOf(chunk) ?? { start: 0, end: 0 };
  return chunk.content === text.slice(start, end);
}

/**
 * The document as it was wanted, where all of its chunks are in the store: a record of the old revision is put in its new place.
 * Who may read it is said by a record of the new one; without such a record it is unknown.
 */
async function after(
  document: LedgerDocument,
  {
    stored,
    isNew,
    wanted,
  }: {
    readonly stored: ChunksById;
    readonly isNew: ReadonlySet<string>;
    readonly wanted: readonly LedgerChunk[];
  },
  targets: WriteTargets,
): Promise<Rewritten | undefined> {
  const text = await targets.ledger.text(document.documentId);
  const access = [...isNew].map((id) => stored.get(id)?.access).find((one) => one !== undefined);
  const chunks = wanted.flatMap(({ chunkId }) => stored.get(chunkId) ?? []);
  if (text === undefined || access === undefined || chunks.length < wanted.length) return undefined;
  const placed: StoredChunk[] = [];
  let from = 0;
  for (const [chunkIndex, { chunkId, digest }] of wanted.entries()) {
    const chunk = stored.get(chunkId);
    if (chunk === undefined) return undefined;
    const facts = { access, chunkIndex, chunkTotal: wanted.length, text, document };
    const found = isNew.has(chunkId) ? chunk : placedIn(chunk, { ...facts, from, digest });
    if (found === undefined) return undefined;
    placed.push(found);
    from = (offsetsOf(found)?.start ?? from) + (found.content === '' ? 0 : 1);
  }
  const batch = documentOfChunks({ ...document, text }, await withVectors(placed, targets));
  return { batch, outcome: 'finished' };
}

interface NewPlace {
  readonly document: LedgerDocument;
  readonly text: string;
  readonly access: StoredChunk['access'];
  readonly chunkIndex: number;
  readonly chunkTotal: number;
  /** Nothing before it is looked at. */
  readonly from: number;
  /** Of the record that is wanted. */
  readonly digest: string;
}

/** A record with the facts of a new revision, at the place that its digest says, else at the first that holds its text. */
function placedIn(
  chunk: StoredChunk,
  { document, text, access, chunkIndex, chunkTotal, from, digest }: NewPlace,
): StoredChunk | undefined {
  const { content, metadata } = chunk;
  const ofChunk = Object.fromEntries(Object.entries(metadata).filter(([key]) => CHUNK_KEYS.has(key)));
  const at = (start: number): StoredChunk => ({
    ...chunk,
    access,
    metadata: {
      ...document.metadata,
      ...ofChunk,
      lines: linesAt(text, start, start + content.length),
      offsets: { start, end: start + content.length },
      revision: document.revision,
      chunkIndex,
      chunkTotal,
    },
  });
  let first: StoredChunk | undefined;
  for (let start = text.indexOf(content, from); start !== -1; start = text.indexOf(content, start + 1)) {
    const placed = at(start);
    if (digest.startsWith(storedDigest(placed))) return placed;
    first ??= placed;
    if (content === '') break;
  }
  return first;
}

function linesAt(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  const lineOf = (offset: number): number => text.slice(0, offset).split(/\r\n|\n|\r/).length;
  return { start: lineOf(start), end: lineOf(Math.max(start, end - 1)) };
}

const withoutKeys = (metadata: Metadata, keys: ReadonlySet<string>): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.has(key)));

/** With the vectors that the store has, so that nothing is embedded again. */
async function withVectors(
  chunks: readonly StoredChunk[],
  { collection, signal }: WriteTargets,
): Promise<StoredChunk[]> {
  const vectors = new Map<string, Float32Array>();
  for (const some of slicesOf(chunks, PAGE)) {
    const ids = some.map(({ id }) => id);
    const options = { includeVectors: true, ...(signal === undefined ? {} : { signal }) };
    for (const { id, vector } of await collection.get(ids, options))
      if (vector !== undefined) vectors.set(id, vector);
  }
  return chunks.map((chunk) => {
    const vector = vectors.get(chunk.id);
    return vector === undefined ? chunk : { ...chunk, vector };
  });
}
