import type { StoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { OutOfStep } from '../../features/upgrading/out-of-step.js';
import { documentAsHeld, type HeldDocument, wholeOf } from '../../indexing/carry-over.js';
import { deleteDocuments } from '../../indexing/delete-documents.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { IndexRun } from '../../indexing/index-run.js';
import { openRebuilder, type Rebuilder } from '../../indexing/rebuilding-thread.js';
import { type WriteTargets, writeBatch } from '../../indexing/write-batch.js';
import type { Generation, GenerationReader, Ledger, LedgerChunk } from '../../ledger/ledger.js';
import type { MetadataSealing } from '../../platform/security/sealed-metadata.js';
import { storedDigest } from '../../resources/chunk-digests.js';
import type { VectorCollection } from '../../stores/vector-store.js';

/** Chunks that are read, and become durable, together, whole documents apart: what a death loses of the work at most. */
const CHUNKS_AT_ONCE = 1_000;
/** Documents deleted while others wait. */
const DELETED_AT_ONCE = 200;

/** The generation that is copied, and the one that is filled. */
export interface CopyPair {
  readonly from: {
    readonly facts: Generation;
    readonly reader: GenerationReader;
    readonly collection: VectorCollection;
    readonly sealing: MetadataSealing;
  };
  readonly to: { readonly facts: Generation; readonly collection: VectorCollection };
  /** Its vectors are copied; it is asked for none. */
  readonly embedder: Embedder;
}

/** Does work while the copy may be written, when both generations still are what they were. */
export type InTurn = <Outcome>(work: (ledger: Ledger) => Promise<Outcome>) => Promise<Outcome>;

export interface CopyOptions {
  readonly inTurn: InTurn;
  readonly onCopied: (chunks: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** What a pass did. */
export interface CopyReport {
  /** Chunks. */
  readonly copied: number;
  /** Chunks of which not every word stands in a stored text. */
  readonly inexact: number;
  /** Documents that are still out of step: they are being written, or the old index lacks a part of them. */
  readonly left: number;
}

type Changed = OutOfStep['changed'][number];

/**
 * Copies documents that are out of step, chunks with their vectors and words. They are read while others may write the index that they are
 * read of, and written in short turns; the next group is read while one is written. What does not have the hashes that the ledger
 * names is left to the next pass. Killed at any moment, the next pass goes on with the rest.
 */
export async function copyDocuments(
  outOfStep: OutOfStep,
  pair: CopyPair,
  { inTurn, onCopied, signal }: CopyOptions,
): Promise<CopyReport> {
  for (const ids of slicesOf(outOfStep.gone, DELETED_AT_ONCE)) {
    await inTurn((ledger) =>
      deleteDocuments(ids, targetsOf(ledger, pair, signal), new IndexRun(undefined, signal)),
    );
  }
  let copied = 0;
  let inexact = 0;
  let left = outOfStep.changed.length;
  const words = openRebuilder(outOfStep.chunks.total - outOfStep.chunks.inStep);
  try {
    const read = (group: readonly Changed[]) => readGroup(group, pair, { words, signal });
    for await (const documents of readAhead(groupsOf(outOfStep.changed), read)) {
      throwIfAborted(signal);
      inexact += await inTurn((ledger) => writeDocuments(documents, ledger, pair, signal));
      const chunks = documents.reduce((sum, { held }) => sum + held.chunks.length, 0);
      copied += chunks;
      left -= documents.length;
      onCopied(chunks);
    }
  } finally {
    await words.close();
  }
  return { copied, inexact, left };
}

/** A document as it is held, ready to be written. */
interface ReadDocument extends Changed {
  readonly held: HeldDocument;
}

/** Groups of documents, each read while the caller works on the one before. */
async function* readAhead(
  groups: Iterable<readonly Changed[]>,
  read: (group: readonly Changed[]) => Promise<readonly ReadDocument[]>,
): AsyncGenerator<readonly ReadDocument[]> {
  let reading: Promise<readonly ReadDocument[]> | undefined;
  try {
    for (const group of groups) {
      const before = await reading;
      reading = read(group);
      // An early stop asks for it no more.
      reading.catch(() => undefined);
      if (before !== undefined) yield before;
    }
    if (reading !== undefined) yield await reading;
  } finally {
    // Nothing is read of a store that is closed after this.
    await reading?.catch(() => undefined);
  }
}

function* groupsOf(changed: readonly Changed[]): Generator<readonly Changed[]> {
  let group: Changed[] = [];
  let chunks = 0;
  for (const one of changed) {
    const { chunkCount } = one.document;
    if (group.length > 0 && chunks + chunkCount > CHUNKS_AT_ONCE) {
      yield group;
      group = [];
      chunks = 0;
    }
    group.push(one);
    // One without chunks is something to write, too.
    chunks += Math.max(1, chunkCount);
  }
  if (group.length > 0) yield group;
}

async function readGroup(
  group: readonly Changed[],
  { from }: CopyPair,
  { words, signal }: { readonly words: Rebuilder; readonly signal: AbortSignal | undefined },
): Promise<readonly ReadDocument[]> {
  const { reader, collection, sealing } = from;
  const known = await reader.chunksOf(group.map(({ document }) => document.documentId));
  const ids = [...known.values()].flatMap((chunks) => chunks.filter(isThere).map(({ chunkId }) => chunkId));
  const stored = new Map<string, StoredChunk[]>();
  for (const some of slicesOf(ids, CHUNKS_AT_ONCE)) {
    throwIfAborted(signal);
    const chunks = await collection.get(some, {
      includeVectors: true,
      ...(signal === undefined ? {} : { signal }),
    });
    for (const chunk of chunks) listOf(stored, chunk.documentId).push(chunk);
  }
  const whole: (Changed & { readonly whole: Omit<HeldDocument, 'rebuilt'> })[] = [];
  for (const changed of group) {
    const { document } = changed;
    const { documentId } = document;
    const chunks = { known: known.get(documentId) ?? [], stored: stored.get(documentId) ?? [] };
    if (!isAsKnown(chunks)) continue;
    const found = await wholeOf(document, { ...chunks, reader });
    if (found !== undefined) whole.push({ ...changed, whole: found });
  }
  const rebuilt = await words.rebuild(
    whole.map(({ document: { tenant, documentId }, whole }) => ({
      ...whole,
      reveal: (metadata) => sealing.show(metadata, { tenant, documentId }).metadata,
    })),
    signal,
  );
  return whole.map(({ whole, ...changed }, i) => ({
    ...changed,
    held: { ...whole, rebuilt: rebuilt[i] ?? [] },
  }));
}

const isThere = ({ state }: LedgerChunk): boolean => state !== 'stale';

/** Everything is there, with its vector, and nothing is otherwise than the ledger says: it is not being written. */
function isAsKnown({
  known,
  stored,
}: {
  readonly known: readonly LedgerChunk[];
  readonly stored: readonly StoredChunk[];
}): boolean {
  const digests = new Map(known.filter(isThere).map(({ chunkId, digest }) => [chunkId, digest]));
  return (
    stored.length === digests.size &&
    stored.every(
      (chunk) =>
        chunk.vector !== undefined && digests.get(chunk.id)?.startsWith(storedDigest(chunk)) === true,
    )
  );
}

function listOf<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Says how many chunks got other words than they had. */
async function writeDocuments(
  documents: readonly ReadDocument[],
  ledger: Ledger,
  pair: CopyPair,
  signal: AbortSignal | undefined,
): Promise<number> {
  const targets = targetsOf(ledger, pair, signal);
  const batch = documents.map(({ document, held }) => documentAsHeld(document, held));
  await writeBatch(batch, targets, new IndexRun(undefined, signal));
  let inexact = 0;
  for (const { document, held } of documents) {
    const ids = held.chunks.flatMap(({ id }, i) => (held.rebuilt[i]?.areWordsExact === true ? [] : [id]));
    inexact += ids.length;
    // A source that can be read again mends them with the next run; what a program handed in stays as it could be made.
    if (ids.length > 0 && !isPushSource(document.source)) await targets.ledger.markChunksMissing(ids);
  }
  return inexact;
}

function targetsOf(
  ledger: Ledger,
  { to, embedder }: CopyPair,
  signal: AbortSignal | undefined,
): WriteTargets {
  return {
    ledger: ledger.writer(to.facts.generation, runtime().uniqueName()),
    collection: to.collection,
    embedder,
    embedding: {},
    signal,
    now: isoNow,
  };
}

/** What either ledger says now. */
export interface PairState {
  /** Of the index that is copied. */
  readonly live: Generation | undefined;
  readonly generations: readonly Generation[];
  /** Collection that was live in the place of the copy when it was begun. */
  readonly liveBefore: string | undefined;
}

/** Another command may have switched or dropped a generation between two turns. Throws `INDEX_LOCKED`, which says what to do. */
export function assertUnchanged({ from, to }: CopyPair, { live, generations, liveBefore }: PairState): void {
  const isThere = generations.some(
    ({ collection, state }) => collection === to.facts.collection && state !== 'live',
  );
  const liveNow = generations.find(({ state }) => state === 'live')?.collection;
  if (isThere && live?.collection === from.facts.collection && liveNow === liveBefore) return;
  throw new RAGError(
    'INDEX_LOCKED',
    'Another command has replaced the generations of one of the indexes meanwhile (`ragstone index`, `ragstone generations`, `ragstone reembed`). Run `ragstone migrate` again: what was copied and still is there is not copied again.',
  );
}
