import { RAGError, throwIfAborted } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import { cacheOwner } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { embedAll } from '../../embedding/embed-all.js';
import { documentAsHeld, type HeldDocument, readHeld } from '../../indexing/carry-over.js';
import { deleteDocuments } from '../../indexing/delete-documents.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { IndexRun } from '../../indexing/index-run.js';
import type { EmbeddedChunk } from '../../indexing/prepare-document.js';
import { type BatchDocument, type WriteTargets, writeBatch } from '../../indexing/write-batch.js';
import type { Ledger, LedgerDocument } from '../../ledger/ledger.js';
import { editUpgradeRecord } from '../../resources/upgrade-record.js';
import { givingWay } from './giving-way.js';
import { type OutOfStep, stampOf } from './out-of-step.js';
import type { GenerationPair, UpgradeHost, UpgradeModel } from './upgrade-host.js';

/** Chunks that become durable together, whole documents apart: what a death loses of the work at most, a few seconds of a small model. */
const CHUNKS_AT_ONCE = 32;
/** The same of a hosted model, which is quick and answers many texts in one call. */
const MOST_AT_ONCE = 512;
/** Documents deleted while others wait. */
const DELETED_AT_ONCE = 200;

/** What is told as the work goes on. */
export interface FillObserver {
  /** Chunks that are in step, of all, while more are being embedded. */
  embedded(chunks: number): void;
  /** What a person should know. */
  notice(text: string): void;
}

/** One who makes the vectors of a generation. */
export interface Filling {
  readonly host: UpgradeHost;
  readonly model: UpgradeModel;
  readonly pair: GenerationPair;
  readonly observer: FillObserver;
  /** Documents that this call copied, by the stamp that they had: one that is still out of step then is not copied again. */
  readonly copied: Map<string, string>;
}

/** What a pass did. */
export interface FillReport {
  readonly embedded: number;
  /** Chunks whose text or words could not be found again exactly. */
  readonly inexact: number;
  /** Documents that are left as they are: they were copied before, and differ all the same. */
  readonly left: number;
}

type Changed = OutOfStep['changed'][number];

/**
 * Copies documents that are out of step, embedding their stored text with the new model. Vectors are made while others may write; then, in
 * a short turn of its own, what is still as it was read is written, durable at once. Killed at any moment, the next pass goes on with the rest.
 */
export async function fillGeneration(outOfStep: OutOfStep, filling: Filling): Promise<FillReport> {
  const { host, pair } = filling;
  for (const ids of slicesOf(outOfStep.gone, DELETED_AT_ONCE)) {
    await host.alone('items', (ledger) => removeGone(ids, ledger, filling));
  }
  let embedded = 0;
  let inexact = 0;
  const todo = outOfStep.changed.filter(
    ({ document, stamp }) => filling.copied.get(document.documentId) !== stamp,
  );
  for (const group of groupsOf(todo, chunksAtOnce(filling.model))) {
    throwIfAborted(host.signal);
    const done = await copyGroup(group, filling);
    embedded += done.embedded;
    inexact += done.inexact;
    for (const { document, stamp } of group) filling.copied.set(document.documentId, stamp);
  }
  if (pair.target.facts.state === 'live')
    throw new RAGError('INTERNAL', 'A live generation was to be filled.');
  return { embedded, inexact, left: outOfStep.changed.length - todo.length };
}

const chunksAtOnce = ({ embedder }: UpgradeModel): number =>
  Math.min(MOST_AT_ONCE, Math.max(CHUNKS_AT_ONCE, embedder.maxBatch));

function* groupsOf(changed: readonly Changed[], atOnce: number): Generator<Changed[]> {
  let group: Changed[] = [];
  let chunks = 0;
  for (const one of changed) {
    const { chunkCount, tenant } = one.document;
    const isFull = chunks + chunkCount > atOnce || group[0]?.document.tenant !== tenant;
    if (group.length > 0 && isFull) {
      yield group;
      group = [];
      chunks = 0;
    }
    group.push(one);
    chunks += chunkCount;
  }
  if (group.length > 0) yield group;
}

/** A document as the live generation holds it, ready to be written once it has its vectors. */
interface ReadDocument extends Changed {
  readonly held: HeldDocument;
}

async function copyGroup(group: readonly Changed[], filling: Filling): Promise<Omit<FillReport, 'left'>> {
  const { host, pair, observer } = filling;
  const started = runtime().elapsed();
  const read: ReadDocument[] = [];
  for (const changed of group) {
    const held = await readDocument(changed.document, filling);
    // Deleted since, or without its text: the next pass sees what became of it.
    if (held !== undefined) read.push({ ...changed, held });
  }
  const vectors = await embedTexts(read, filling);
  const embeddingMs = runtime().elapsed() - started;
  const inexact = await host.alone('items', async (ledger) => {
    await assertPair(ledger, pair);
    const live = ledger.reader(pair.live.facts.generation);
    const same: ReadDocument[] = [];
    for (const document of read) {
      const { documentId } = document.document;
      const now = await live.document(documentId);
      if (now !== undefined && stampOf(now, await live.chunks(documentId)) === document.stamp)
        same.push(document);
    }
    await recordWork(ledger, filling, { embedded: vectors.computed, embeddingMs });
    return writeDocuments(same, vectors.byText, ledger, filling);
  });
  observer.embedded(group.reduce((sum, { document }) => sum + document.chunkCount, 0));
  return { embedded: vectors.computed, inexact };
}

async function readDocument(
  document: LedgerDocument,
  { host, pair }: Filling,
): Promise<HeldDocument | undefined> {
  const { signal, resources } = host;
  const ledger = (await resources.ledger.live())?.ledger;
  if (ledger === undefined) return undefined;
  const sealing = await resources.stores.sealing.open();
  const { tenant, documentId } = document;
  const reader = ledger.reader(pair.live.facts.generation);
  return readHeld(
    document,
    { facts: pair.live.facts, reader, collection: pair.live.collection },
    { signal, reveal: (metadata) => sealing.show(metadata, { tenant, documentId }).metadata },
  );
}

interface Vectors {
  readonly byText: ReadonlyMap<string, EmbeddedChunk>;
  readonly computed: number;
}

async function embedTexts(documents: readonly ReadDocument[], { host, model }: Filling): Promise<Vectors> {
  const tenant = documents[0]?.document.tenant;
  const texts = documents.flatMap(({ held }) => held.rebuilt.map(({ indexedText }) => indexedText));
  if (tenant === undefined || texts.length === 0) return { byText: new Map(), computed: 0 };
  const { signal, activeQueries } = host;
  const embedder = givingWay(model.embedder, activeQueries);
  const owner = cacheOwner({ tenant });
  const result = await embedAll(embedder, texts, 'document', { cache: model.cache, owner, signal });
  const byText = new Map<string, EmbeddedChunk>();
  for (const [i, text] of texts.entries()) {
    const vector = result.vectors[i];
    if (vector !== undefined) byText.set(text, { vector, isTruncated: result.truncated.has(text) });
  }
  return { byText, computed: result.computed.size };
}

/** Says how many chunks could not be found again exactly. */
async function writeDocuments(
  documents: readonly ReadDocument[],
  vectors: Vectors['byText'],
  ledger: Ledger,
  filling: Filling,
): Promise<number> {
  const targets = targetsOf(ledger, filling);
  const batch = documents.map((document) => batchDocument(document, vectors));
  await writeBatch(batch, targets, new IndexRun(undefined, filling.host.signal));
  let inexact = 0;
  for (const { document, held } of documents) {
    const ids = held.chunks.flatMap(({ id }, i) => {
      const rebuilt = held.rebuilt[i];
      return rebuilt?.isTextExact === true && rebuilt.areWordsExact ? [] : [id];
    });
    inexact += ids.length;
    // A source that can be read again mends them with the next run; what a program handed in stays as it could be made.
    if (ids.length > 0 && !isPushSource(document.source)) await targets.ledger.markChunksMissing(ids);
  }
  return inexact;
}

function batchDocument({ document, held }: ReadDocument, vectors: Vectors['byText']): BatchDocument {
  const chunks = held.chunks.map((chunk, i) => {
    const embedded = vectors.get(held.rebuilt[i]?.indexedText ?? '');
    return embedded === undefined ? chunk : { ...chunk, vector: embedded.vector };
  });
  return documentAsHeld(document, { ...held, chunks });
}

async function removeGone(ids: readonly string[], ledger: Ledger, filling: Filling): Promise<void> {
  await assertPair(ledger, filling.pair);
  const live = ledger.reader(filling.pair.live.facts.generation);
  const gone: string[] = [];
  for (const id of ids) if ((await live.document(id)) === undefined) gone.push(id);
  await deleteDocuments(gone, targetsOf(ledger, filling), new IndexRun(undefined, filling.host.signal));
}

/** Where a filling writes. */
export function targetsOf(
  ledger: Ledger,
  { host, model, pair }: Omit<Filling, 'observer' | 'copied'>,
): WriteTargets {
  return {
    ledger: ledger.writer(pair.target.facts.generation, runtime().uniqueName()),
    collection: pair.target.collection,
    embedder: model.embedder,
    embedding: { cache: model.cache },
    signal: host.signal,
    now: isoNow,
  };
}

/** Another command may have switched or dropped a generation between two turns. Throws `INDEX_LOCKED`, which says what to do. */
export async function assertPair(ledger: Ledger, { live, target }: GenerationPair): Promise<void> {
  const generations = await ledger.generations();
  const isLive = generations.some(
    ({ generation, state }) => generation === live.facts.generation && state === 'live',
  );
  const isThere = generations.some(
    ({ generation, state }) => generation === target.facts.generation && state !== 'live',
  );
  if (isLive && isThere) return;
  throw new RAGError(
    'INDEX_LOCKED',
    'Another command has replaced the generations of the index while vectors were being made (`ragstone index --force`, `ragstone generations`). Run `ragstone reembed` again: what was computed is in the cache of vectors.',
    { details: { live: live.facts.generation, target: target.facts.generation } },
  );
}

async function recordWork(
  ledger: Ledger,
  { pair }: Filling,
  work: { readonly embedded: number; readonly embeddingMs: number },
): Promise<void> {
  await editUpgradeRecord(ledger, pair.target.facts.generation, ({ embedded, embeddingMs }) => ({
    embedded: embedded + work.embedded,
    embeddingMs: embeddingMs + work.embeddingMs,
  }));
}
