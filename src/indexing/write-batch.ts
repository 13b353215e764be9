import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChunkRecord } from '../core/chunk.js';
import { oneOf } from '../core/filter.js';
import { slicesOf } from '../core/slices.js';
import type { EmbedAllOptions } from '../embedding/embed-all.js';
import { embedAll } from '../embedding/embed-all.js';
import type { Embedder } from '../embedding/embedder.js';
import type { LedgerHistory, PlannedHistory } from '../ledger/history.js';
import type {
  DocumentPlan,
  GenerationWriter,
  PlannedDocument,
  SharedTransactions,
} from '../ledger/ledger.js';
import type { RetiredGenerations } from '../resources/open-collection.js';
import type { EnlistedWrites, VectorCollection } from '../stores/vector-store.js';
import { historiesOf, partOf } from './history-parts.js';
import type { IndexRun } from './index-run.js';
import type { IndexTally } from './index-tally.js';
import type { ItemClaims } from './item-claims.js';
import { KEPT_CHUNKS, type PreparedChunk, type PreparedDocument } from './prepare-document.js';

/** A document on its way into the store, with what the ledger must know of it. */
export interface BatchDocument {
  readonly prepared: PreparedDocument;
  readonly tenant: string;
  readonly source: string;
  readonly sourceType: string;
  readonly itemId: string;
}

export interface WriteTargets {
  /** The generation that is written. */
  readonly ledger: GenerationWriter;
  readonly collection: VectorCollection;
  readonly embedder: Embedder;
  readonly embedding: Omit<EmbedAllOptions, 'signal'>;
  readonly signal: AbortSignal | undefined;
  readonly now: () => string;
  /** The items that the run may write; absent where nobody else writes. */
  readonly claims?: ItemClaims | undefined;
  /** Generations that are kept to go back to, or filled: what is deleted goes from them too. Absent where there is none to look at. */
  readonly retired?: RetiredGenerations | undefined;
  /** Absent where no history is kept, and where another generation than the live one is written. */
  readonly history?: LedgerHistory | undefined;
  /** See `WriterLock.giveWay`. */
  readonly giveWay?: (() => Promise<void>) | undefined;
  /**
   * Chunks in one transaction of ledger and store together, whole documents apart: it is written on this thread, which does nothing else
   * meanwhile. Fewer, larger ones cost less. @default TRANSACTION_CHUNKS
   */
  readonly transactionChunks?: number | undefined;
}

/** Chunk ids in one delete filter. */
const DELETE_BATCH = 500;

const TRANSACTION_CHUNKS = 96;
/** Chunks of a large document that a store is given at once. */
const UPSERT_CHUNKS = 2048;

/**
 * Brings the store to the documents' new revisions. A store in the ledger's file does it in one transaction with the ledger;
 * for any other, and for a document of more than `KEPT_CHUNKS`, which no single turn could write: plan (ledger) -> embed what is
 * unseen -> upsert -> delete what the new revisions lack -> commit (ledger). Killed at any point, the ledger's chunk states say
 * what the next run has to finish.
 */
export async function writeBatch(
  documents: readonly BatchDocument[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { transactionChunks = TRANSACTION_CHUNKS } = targets;
  const shared = sharedWrites(targets);
  const isLarge = ({ prepared }: BatchDocument): boolean => prepared.sketches.length > KEPT_CHUNKS;
  const small = documents.filter((document) => !isLarge(document));
  for (const group of groupsOf(small, shared === undefined ? Infinity : transactionChunks)) {
    await writeSmall(group, { ...targets, shared }, run);
    await nextTurn();
  }
  const atOnce = shared === undefined ? UPSERT_CHUNKS : transactionChunks;
  for (const document of documents.filter(isLarge)) await writeLarge(document, { ...targets, atOnce }, run);
}

/** Writes of ledger and store as one transaction, where the store is kept in the ledger's own database. */
export interface SharedWrites {
  readonly together: SharedTransactions;
  readonly enlisted: EnlistedWrites;
}

export function sharedWrites({
  ledger: { together },
  collection,
}: Pick<WriteTargets, 'ledger' | 'collection'>): SharedWrites | undefined {
  const enlisted = together && collection.enlist?.(together.database);
  return together === undefined || enlisted === undefined ? undefined : { together, enlisted };
}

/** Neighbours together, up to so many chunks. */
function* groupsOf(documents: readonly BatchDocument[], limit: number): Generator<BatchDocument[]> {
  let group: BatchDocument[] = [];
  let chunks = 0;
  for (const document of documents) {
    const { length } = document.prepared.sketches;
    if (group.length > 0 && chunks + length > limit) {
      yield group;
      group = [];
      chunks = 0;
    }
    group.push(document);
    chunks += length;
  }
  if (group.length > 0) yield group;
}

async function writeSmall(
  documents: readonly BatchDocument[],
  targets: WriteTargets & { readonly shared: SharedWrites | undefined },
  run: IndexRun,
): Promise<void> {
  const { ledger, shared } = targets;
  const chunks: PreparedChunk[] = [];
  for (const { prepared } of documents) for await (const batch of prepared.batches) chunks.push(...batch);
  const histories =
    ledger.history === undefined
      ? undefined
      : run.timed('history', () =>
          historiesOf(
            documents.map(({ prepared }) => prepared),
            chunks,
          ),
        );
  const planned = documents.map((document) =>
    toPlanned(document, histories?.get(document.prepared.documentId)),
  );
  const plans = await run.timedAsync('ledger', () =>
    shared === undefined ? ledger.plan(planned) : ledger.preview(planned),
  );
  const records = await buildRecords(
    { ...plannedWork(plans), tallyOf: talliesOf(documents, run) },
    chunks,
    targets,
    run,
  );
  run.checkAborted();
  if (shared === undefined) await writeLogged({ planned, plans, records }, targets, run);
  else await run.timedAsync('store', () => writeAtOnce(shared, { planned, records }, targets.now()));
  count(plans, talliesOf(documents, run));
}

/** Writes a document whose chunks are more than what is kept of it, as they come. */
async function writeLarge(
  document: BatchDocument,
  targets: WriteTargets & { readonly atOnce: number },
  run: IndexRun,
): Promise<void> {
  const { batches } = document.prepared;
  try {
    const { history } = targets.ledger;
    const { documentId, access } = document.prepared;
    const planned = [toPlanned(document, history && { access, parts: [] })];
    const plans = await run.timedAsync('ledger', () => targets.ledger.plan(planned));
    const tallyOf = talliesOf([document], run);
    const work = { ...plannedWork(plans), tallyOf };
    const upsert = async (chunks: readonly PreparedChunk[]): Promise<void> => {
      run.checkAborted();
      const records = await buildRecords(work, chunks, targets, run);
      await targets.claims?.hold(planned);
      // Before the store has them: what is whole there is whole in the history.
      await history?.addPart(documentId, place++, partOf(chunks));
      await run.timedAsync('store', () => targets.collection.upsert(records, targets.signal));
      await nextTurn();
    };
    let place = 0;
    let chunks: PreparedChunk[] = [];
    for await (const batch of batches) {
      chunks.push(...batch);
      if (chunks.length < targets.atOnce) continue;
      await upsert(chunks);
      chunks = [];
    }
    if (chunks.length > 0) await upsert(chunks);
    await writeLogged({ planned, plans, records: [] }, targets, run);
    count(plans, tallyOf);
  } finally {
    await batches.return?.();
  }
}

interface PlannedWrite {
  readonly planned: readonly PlannedDocument[];
  readonly plans: readonly DocumentPlan[];
  readonly records: readonly ChunkRecord[];
}

const writeAtOnce = (
  { together, enlisted }: SharedWrites,
  { planned, records }: Pick<PlannedWrite, 'planned' | 'records'>,
  at: string,
): Promise<void> =>
  together.revise(planned, at, (plans) => {
    enlisted.upsert(records);
    enlisted.delete(plans.flatMap((plan) => plan.toDelete));
  });

/** The store's part between the plan and the commit. */
async function writeLogged(
  { planned, plans, records }: PlannedWrite,
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  // What is new before what replaces a record of the revision before, which is whole as long: see `finish-pushes.ts`.
  const replaced = new Set(plans.flatMap(({ toRewrite }) => toRewrite));
  for (const isReplacing of [false, true]) {
    const some = records.filter(({ id }) => replaced.has(id) === isReplacing);
    if (some.length === 0) continue;
    // To make vectors takes long enough to lose a lease meanwhile.
    await targets.claims?.hold(planned);
    await run.timedAsync('store', () => targets.collection.upsert(some, targets.signal));
  }
  const stale = plans.flatMap((plan) => plan.toDelete);
  if (stale.length > 0) await targets.claims?.hold(planned);
  await deleteChunks(stale, targets, run);
  await run.timedAsync('ledger', () =>
    targets.ledger.commit(
      planned.map(({ documentId }) => documentId),
      targets.now(),
    ),
  );
}

function toPlanned(
  { prepared, tenant, source, sourceType, itemId }: BatchDocument,
  history: PlannedHistory | undefined,
): PlannedDocument {
  const { documentId, externalId, revision, text, title, project, metadata, sketches, graph } = prepared;
  return {
    documentId,
    tenant,
    project,
    source,
    sourceType,
    itemId,
    externalId,
    revision,
    title,
    metadata,
    text,
    chunks: sketches,
    graph,
    history,
  };
}

/** Where the documents of a batch are counted. */
type TallyOfDocument = (documentId: string) => IndexTally;

function talliesOf(documents: readonly BatchDocument[], run: IndexRun): TallyOfDocument {
  const items = new Map(documents.map(({ prepared: { documentId }, itemId }) => [documentId, itemId]));
  return (documentId) => {
    const itemId = items.get(documentId);
    return itemId === undefined ? run : run.of(itemId);
  };
}

/** Ids of the chunks that plans want written. */
interface PlannedWork {
  readonly toWrite: ReadonlySet<string>;
  readonly toRewrite: ReadonlySet<string>;
}

const plannedWork = (plans: readonly DocumentPlan[]): PlannedWork => ({
  toWrite: new Set(plans.flatMap((plan) => plan.toWrite)),
  toRewrite: new Set(plans.flatMap((plan) => plan.toRewrite)),
});

/** Those of the chunks that are to be written, with their vectors. */
async function buildRecords(
  { toWrite, toRewrite, tallyOf }: PlannedWork & { readonly tallyOf: TallyOfDocument },
  chunks: readonly PreparedChunk[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<ChunkRecord[]> {
  const wanted = chunks.filter(({ record: { id } }) => toWrite.has(id) || toRewrite.has(id));
  const bare = wanted.filter(({ embedded }) => embedded === undefined);
  const vectors = await storedVectors(
    bare.flatMap(({ record: { id } }) => (toRewrite.has(id) ? id : [])),
    targets,
    run,
  );
  for (const { record, embedded } of wanted) {
    if (embedded === undefined) continue;
    vectors.set(record.id, embedded.vector);
    if (!toWrite.has(record.id)) continue;
    const tally = tallyOf(record.documentId);
    tally.embeddingsComputed += 1;
    tally.countTruncated(embedded.isTruncated ? 1 : 0, targets.embedder.maxInputTokens);
  }
  await embedMissing({ chunks: bare, vectors, tallyOf }, targets, run);
  return wanted.flatMap(({ record }) => {
    const vector = vectors.get(record.id);
    return vector === undefined ? [] : [{ ...record, vector }];
  });
}

/** Adds the vectors of chunks that have none. */
async function embedMissing(
  {
    chunks,
    vectors,
    tallyOf,
  }: {
    readonly chunks: readonly PreparedChunk[];
    readonly vectors: Map<string, Float32Array>;
    readonly tallyOf: TallyOfDocument;
  },
  { embedder, embedding, signal }: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const toEmbed = chunks.filter(({ record }) => !vectors.has(record.id));
  const embedded = await run.timedAsync('embed', () =>
    embedAll(
      embedder,
      toEmbed.map((chunk) => chunk.indexedText),
      'document',
      { ...embedding, ...(signal === undefined ? {} : { signal }) },
    ),
  );
  // Equal texts of two tallies are counted in both: each has a vector of it now.
  const counted = new Map<IndexTally, Set<string>>();
  toEmbed.forEach(({ record, indexedText }, index) => {
    const tally = tallyOf(record.documentId);
    const texts = counted.get(tally) ?? new Set();
    if (embedded.computed.has(indexedText) && !texts.has(indexedText)) tally.embeddingsComputed += 1;
    counted.set(tally, texts.add(indexedText));
    if (embedded.truncated.has(indexedText)) tally.countTruncated(1, embedder.maxInputTokens);
    const vector = embedded.vectors[index];
    if (vector !== undefined) vectors.set(record.id, vector);
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
  for (const ids of slicesOf(chunkIds, DELETE_BATCH)) {
    run.checkAborted();
    await run.timedAsync('store', () => targets.collection.delete(oneOf('$chunkId', ids), targets.signal));
  }
}

function count(plans: readonly DocumentPlan[], tallyOf: TallyOfDocument): void {
  for (const plan of plans) {
    const tally = tallyOf(plan.documentId);
    const written = plan.toWrite.length + plan.toRewrite.length;
    if (written + plan.toDelete.length === 0 && plan.unchanged.length > 0) tally.documentsUnchanged++;
    else tally.documentsProcessed++;
    tally.chunksCreated += plan.toWrite.length;
    tally.chunksUnchanged += plan.unchanged.length + plan.toRewrite.length;
    tally.vectorsIndexed += written;
  }
}
