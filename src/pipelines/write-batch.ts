import type { ChunkRecord } from '../core/chunk.js';
import { oneOf } from '../core/filter.js';
import type { EmbedAllOptions } from '../embedding/embed-all.js';
import { embedAll } from '../embedding/embed-all.js';
import type { Embedder } from '../embedding/embedder.js';
import type { DocumentPlan, Ledger, PlannedDocument } from '../ledger/ledger.js';
import type { EnlistedWrites, VectorCollection } from '../stores/vector-store.js';
import type { IndexRun } from './index-run.js';
import type { PreparedChunk, PreparedDocument } from './prepare-document.js';

/** A document on its way into the store, with what the ledger must know of it. */
export interface BatchDocument {
  readonly prepared: PreparedDocument;
  readonly tenant: string;
  readonly source: string;
  readonly sourceType: string;
  readonly itemId: string;
}

export interface WriteTargets {
  readonly ledger: Ledger;
  readonly collection: VectorCollection;
  readonly embedder: Embedder;
  readonly embedding: Omit<EmbedAllOptions, 'signal'>;
  readonly signal: AbortSignal | undefined;
  readonly now: () => string;
}

/** Chunk ids in one delete filter. */
const DELETE_BATCH = 500;

/**
 * Brings the store to the documents' new revisions. A store in the ledger's file does it in one transaction with the ledger;
 * for any other: plan (ledger) -> embed what is unseen -> upsert -> delete what the new revisions lack -> commit (ledger).
 * Killed at any point, the ledger's chunk states say what the next run has to finish.
 */
export async function writeBatch(
  documents: readonly BatchDocument[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  if (documents.length === 0) return;
  const { ledger, collection } = targets;
  const planned = documents.map(toPlanned);
  const enlisted = collection.enlist?.(ledger.database);
  const plans = run.timed('ledger', () =>
    enlisted === undefined ? ledger.plan(planned) : ledger.preview(planned),
  );
  const chunks = new Map(
    documents.flatMap(({ prepared }) => prepared.chunks.map((c) => [c.record.id, c] as const)),
  );
  const records = await buildRecords(plans, chunks, targets, run);
  run.checkAborted();
  if (enlisted === undefined) await writeLogged({ planned, plans, records }, targets, run);
  else run.timed('store', () => writeAtOnce(enlisted, { planned, plans, records }, targets));
  count(plans, run);
}

interface PlannedWrite {
  readonly planned: readonly PlannedDocument[];
  readonly plans: readonly DocumentPlan[];
  readonly records: readonly ChunkRecord[];
}

function writeAtOnce(
  enlisted: EnlistedWrites,
  { planned, plans, records }: PlannedWrite,
  { ledger, now }: WriteTargets,
): void {
  ledger.transaction(() => {
    ledger.plan(planned);
    enlisted.upsert(records);
    enlisted.delete(plans.flatMap((plan) => plan.toDelete));
    ledger.commit(
      planned.map(({ documentId }) => documentId),
      now(),
    );
  });
}

/** The store's part between the plan and the commit. */
async function writeLogged(
  { planned, plans, records }: PlannedWrite,
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  if (records.length > 0) {
    await run.timedAsync('store', () => targets.collection.upsert(records, targets.signal));
  }
  await deleteChunks(
    plans.flatMap((plan) => plan.toDelete),
    targets,
    run,
  );
  run.timed('ledger', () =>
    targets.ledger.commit(
      planned.map(({ documentId }) => documentId),
      targets.now(),
    ),
  );
}

function toPlanned({ prepared, tenant, source, sourceType, itemId }: BatchDocument): PlannedDocument {
  const { documentId, externalId, revision, text, title, project, metadata, chunks } = prepared;
  return {
    documentId,
    tenant,
    ...(project === undefined ? {} : { project }),
    source,
    sourceType,
    itemId,
    externalId,
    revision,
    ...(title === undefined ? {} : { title }),
    metadata,
    text,
    chunks: chunks.map(({ record, digest }) => ({ chunkId: record.id, digest })),
  };
}

async function buildRecords(
  plans: readonly DocumentPlan[],
  chunks: ReadonlyMap<string, PreparedChunk>,
  targets: WriteTargets,
  run: IndexRun,
): Promise<ChunkRecord[]> {
  const toRewrite = plans.flatMap((plan) => plan.toRewrite);
  const vectors = await storedVectors(toRewrite, targets, run);
  const wanted = [...plans.flatMap((plan) => plan.toWrite), ...toRewrite].flatMap((id) => {
    const chunk = chunks.get(id);
    return chunk === undefined ? [] : [chunk];
  });
  const toEmbed = wanted.filter(({ record }) => !vectors.has(record.id));
  const embedded = await run.timedAsync('embed', () =>
    embedAll(
      targets.embedder,
      toEmbed.map((chunk) => chunk.indexedText),
      'document',
      { ...targets.embedding, ...(targets.signal === undefined ? {} : { signal: targets.signal }) },
    ),
  );
  run.embeddingsComputed += embedded.computed;
  run.countTruncated(embedded.truncated, targets.embedder.maxInputTokens);
  toEmbed.forEach(({ record }, index) => {
    const vector = embedded.vectors[index];
    if (vector !== undefined) vectors.set(record.id, vector);
  });
  return wanted.flatMap(({ record }) => {
    const vector = vectors.get(record.id);
    return vector === undefined ? [] : [{ ...record, vector }];
  });
}

/** Vectors of chunks whose text is unchanged, from the store itself. */
async function storedVectors(
  ids: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<Map<string, Float32Array>> {
  if (ids.length === 0) return new Map();
  const found = await run.timedAsync('store', () => targets.collection.get(ids, { includeVectors: true }));
  return new Map(found.flatMap(({ id, vector }) => (vector === undefined ? [] : [[id, vector] as const])));
}

/** Deletes chunks by id, in batches that keep filters short. */
export async function deleteChunks(
  chunkIds: readonly string[],
  targets: Pick<WriteTargets, 'collection' | 'signal'>,
  run: IndexRun,
): Promise<void> {
  for (let start = 0; start < chunkIds.length; start += DELETE_BATCH) {
    run.checkAborted();
    const ids = chunkIds.slice(start, start + DELETE_BATCH);
    await run.timedAsync('store', () => targets.collection.delete(oneOf('$chunkId', ids), targets.signal));
  }
}

function count(plans: readonly DocumentPlan[], run: IndexRun): void {
  for (const plan of plans) {
    const written = plan.toWrite.length + plan.toRewrite.length;
    if (written + plan.toDelete.length === 0 && plan.unchanged.length > 0) run.documentsUnchanged++;
    else run.documentsProcessed++;
    run.chunksCreated += plan.toWrite.length;
    run.chunksUnchanged += plan.unchanged.length + plan.toRewrite.length;
    run.vectorsIndexed += written;
  }
}
