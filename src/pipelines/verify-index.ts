import type { StoredChunk } from '../core/chunk.js';
import { type ErrorReason, RAGError, toRAGError } from '../core/errors.js';
import { compareText, EVERYTHING, oneOf } from '../core/filter.js';
import type { Ledger, LedgerChunk, LedgerDocument } from '../ledger/ledger.js';
import { listPages } from '../stores/list-pages.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import type { FindPath } from './document-paths.js';
import type { Drift } from './engine.js';
import { listChanges } from './list-changes.js';
import { nothingIndexed, openForReading } from './open-collection.js';
import { storedDigest } from './prepare-document.js';
import { probeCollection } from './probe-collection.js';
import type { ConfiguredSource } from './source-task.js';

const PAGE = 1000;

/**
 * Reasons that end a comparison without saying anything about what the store holds. A server that is down is one: taken for
 * damage, `--repair` would drop an index that is whole.
 */
const NOT_OF_THE_STORE: ReadonlySet<ErrorReason> = new Set([
  'ABORTED',
  'CONFIG_INVALID',
  'INDEX_DAMAGED',
  'STORE_TIMEOUT',
  'STORE_UNAVAILABLE',
]);

export interface VerifyContext {
  readonly ledger: Ledger;
  readonly store: VectorStore;
  readonly sources: readonly ConfiguredSource[];
  readonly tenant: string;
  /** Adds the files of items and documents to what differs. */
  readonly paths?: { readonly ofItem: FindPath; readonly ofDocument: FindPath };
  readonly signal?: AbortSignal;
}

/** Differences between sources, ledger and store, and the chunks that a repair must write again or delete. */
export interface VerifyReport {
  readonly drift: readonly Drift[];
  readonly missingChunkIds: readonly string[];
  readonly orphanedChunkIds: readonly string[];
  /** The ledger or the store cannot be read: only a rebuild helps. */
  readonly damaged: boolean;
}

/** Compares sources, ledger and store with each other. Reads everything, writes nothing. */
export async function verifyIndex(context: VerifyContext): Promise<VerifyReport> {
  try {
    const problems = context.ledger.integrity();
    // Nothing can be told by a ledger that is not sound.
    if (problems.length > 0) return damagedLedger(problems);
    const drift: Drift[] = [];
    const store = await compareStore(context, drift);
    drift.push(...unfinishedDocuments(context));
    for (const source of context.sources) drift.push(...(await compareSource(source, context)));
    return { drift, ...store, damaged: drift.some(({ kind }) => kind === 'store-damaged') };
  } catch (error) {
    if (isLedgerDamage(error)) return damagedLedger([error.message]);
    throw error;
  }
}

/** What `verify` says where the ledger cannot be read. */
export const damagedLedger = (problems: readonly string[]): VerifyReport => ({
  drift: problems.map((detail): Drift => ({ kind: 'ledger-damaged', source: 'ledger', detail })),
  missingChunkIds: [],
  orphanedChunkIds: [],
  damaged: true,
});

export const isLedgerDamage = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && error.reason === 'INDEX_DAMAGED';

async function compareStore(
  { ledger, store, paths, signal }: VerifyContext,
  drift: Drift[],
): Promise<{ missingChunkIds: string[]; orphanedChunkIds: string[] }> {
  const missingChunkIds: string[] = [];
  const orphanedChunkIds: string[] = [];
  const nameOf = documentNames(ledger, paths);
  const facts = ledger.facts();
  if (facts === undefined) throw nothingIndexed();
  try {
    const collection = await openForReading(facts, store);
    const pairs = mergeById(ledgerChunks(ledger), storedChunks(collection, signal));
    for await (const { expected, actual } of pairs) {
      const difference = compareChunk(expected, actual);
      if (difference === undefined) continue;
      const documentId = expected?.documentId ?? actual?.documentId ?? '';
      drift.push({
        ...difference,
        ...(nameOf(documentId) ?? { source: String(actual?.metadata.source ?? documentId) }),
      });
      if (difference.kind === 'chunk-orphaned') orphanedChunkIds.push(actual?.id ?? '');
      else missingChunkIds.push(expected?.chunkId ?? '');
    }
  } catch (error) {
    const failure = toRAGError(error, 'STORE_DAMAGED', `The store "${store.name}" could not be read.`);
    if (NOT_OF_THE_STORE.has(failure.reason)) throw failure;
    drift.push({ kind: 'store-damaged', source: store.name, detail: failure.message });
  }
  return { missingChunkIds, orphanedChunkIds };
}

function compareChunk(
  expected: LedgerChunk | undefined,
  actual: StoredChunk | undefined,
): Pick<Drift, 'kind' | 'detail'> | undefined {
  if (expected === undefined) {
    return {
      kind: 'chunk-orphaned',
      detail: `The store holds chunk ${actual?.id}, which the ledger does not know.`,
    };
  }
  // Planned and stale chunks may or may not be there; the pending document is reported instead.
  if (expected.state !== 'live') return undefined;
  if (actual === undefined) {
    return { kind: 'chunk-missing', detail: `The store lacks chunk ${expected.chunkId}.` };
  }
  if (!expected.digest.startsWith(storedDigest(actual))) {
    return {
      kind: 'chunk-different',
      detail: `The store holds chunk ${expected.chunkId} with other content.`,
    };
  }
  return undefined;
}

async function* storedChunks(
  collection: VectorCollection,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredChunk> {
  for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal })) {
    await probeCollection(collection, chunks, signal);
    yield* chunks;
  }
}

function* ledgerChunks(ledger: Ledger): Generator<LedgerChunk> {
  let after: string | undefined;
  for (;;) {
    const page = ledger.allChunks(after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.chunkId;
  }
}

interface ChunkPair {
  readonly expected: LedgerChunk | undefined;
  readonly actual: StoredChunk | undefined;
}

/** Full outer join of two streams in id order. */
async function* mergeById(
  expected: Iterator<LedgerChunk>,
  actual: AsyncIterator<StoredChunk>,
): AsyncGenerator<ChunkPair> {
  let left = expected.next();
  let right = await actual.next();
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : compareText(left.value.chunkId, right.value.id);
    yield {
      expected: order <= 0 && !left.done ? left.value : undefined,
      actual: order >= 0 && !right.done ? right.value : undefined,
    };
    if (order <= 0) left = expected.next();
    if (order >= 0) right = await actual.next();
  }
}

type NamedPlace = Pick<Drift, 'source' | 'path'>;

const documentNames =
  (ledger: Ledger, paths: VerifyContext['paths']) =>
  (documentId: string): NamedPlace | undefined => {
    const document = ledger.document(documentId);
    return document === undefined ? undefined : documentPlace(document, paths);
  };

const documentPlace = (
  { source, externalId }: LedgerDocument,
  paths: VerifyContext['paths'],
): NamedPlace => ({
  source: externalId,
  ...pathOf(paths?.ofDocument(source, externalId)),
});

const pathOf = (path: string | undefined): { path?: string } => (path === undefined ? {} : { path });

function unfinishedDocuments({ ledger, paths }: VerifyContext): Drift[] {
  const drift: Drift[] = [];
  let after: string | undefined;
  for (;;) {
    const page = ledger.documents(after, PAGE);
    for (const document of page) {
      const { status } = document;
      if (status === 'pending') {
        drift.push({
          kind: 'document-pending',
          ...documentPlace(document, paths),
          detail: 'A run was interrupted while writing it.',
        });
      } else if (status === 'outdated') {
        drift.push({
          kind: 'document-outdated',
          ...documentPlace(document, paths),
          detail: 'It was indexed with another model or other settings and waits to be indexed again.',
        });
      }
    }
    if (page.length < PAGE) return drift;
    after = page.at(-1)?.documentId;
  }
}

async function compareSource(configured: ConfiguredSource, context: VerifyContext): Promise<Drift[]> {
  const { source, processingKey } = configured;
  try {
    const { ledger, tenant, signal, paths } = context;
    const placeOf = (id: string): NamedPlace => ({ source: id, ...pathOf(paths?.ofItem(source.name, id)) });
    const changes = await listChanges(source, { tenant, ledger, processingKey, force: false, signal });
    const known = ledger.items(tenant, source.name);
    const changed = changes.toRead.map(({ id }): Drift => {
      const before = known.get(id);
      if (before === undefined)
        return { kind: 'source-new', ...placeOf(id), detail: 'It is not indexed yet.' };
      return { kind: 'source-changed', ...placeOf(id), detail: reasonToRead(before.status) };
    });
    const unreadable = changes.unreadable.map(
      ({ id, error }): Drift => ({ kind: 'source-unreadable', ...placeOf(id), detail: error.message }),
    );
    const givenUp = changes.deadLetters.map(
      ({ itemId, error }): Drift => ({
        kind: 'source-unreadable',
        ...placeOf(itemId),
        detail:
          `It could not be indexed and is not tried again until it changes. ${error?.message ?? ''}`.trim(),
      }),
    );
    const gone = changes.goneItemIds.map(
      (id): Drift => ({
        kind: 'source-deleted',
        ...placeOf(id),
        detail: 'It is indexed and no longer in the source.',
      }),
    );
    return [...changed, ...unreadable, ...givenUp, ...gone];
  } catch (error) {
    const failure = toRAGError(
      error,
      'SOURCE_UNREADABLE',
      `The source "${source.name}" could not be listed.`,
    );
    if (failure.reason === 'ABORTED') throw failure;
    return [{ kind: 'source-unreadable', source: source.name, detail: failure.message }];
  }
}

function reasonToRead(status: string): string {
  if (status === 'pending') return 'A run was interrupted while indexing it.';
  if (status === 'failed') return 'Its last indexing failed.';
  return 'Its content or the settings that process it changed since it was indexed.';
}

/** Removes from the store what the ledger does not know, and marks for the next run what the store lacks. */
export async function prepareRepair(report: VerifyReport, { ledger, store }: VerifyContext): Promise<void> {
  const facts = ledger.facts();
  if (report.damaged || facts === undefined) return;
  const collection = await openForReading(facts, store);
  for (let start = 0; start < report.orphanedChunkIds.length; start += PAGE) {
    await collection.delete(oneOf('$chunkId', report.orphanedChunkIds.slice(start, start + PAGE)));
  }
  ledger.markChunksMissing(report.missingChunkIds);
}
