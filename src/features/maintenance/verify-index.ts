import { type ErrorReason, RAGError, toRAGError } from '../../core/errors.js';
import { EVERYTHING, oneOf } from '../../core/filter.js';
import { LOCAL_SCOPE, type Scope } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { type AbandonedSource, abandonmentOf } from '../../indexing/abandoned-sources.js';
import type { BlockedItems } from '../../indexing/blocked-items.js';
import { compareChunks } from '../../indexing/compare-chunks.js';
import type { FindPath } from '../../indexing/document-paths.js';
import { listChanges } from '../../indexing/list-changes.js';
import type { ConfiguredSource } from '../../indexing/source-task.js';
import type { LedgerHistory } from '../../ledger/history.js';
import type {
  Generation,
  GenerationReader,
  GenerationWriter,
  Ledger,
  LedgerDocument,
} from '../../ledger/ledger.js';
import type { Drift } from '../../operations/engine.js';
import type { RetryPolicy } from '../../operations/retry-policy.js';
import { type MetadataSealing, NO_SEALING } from '../../platform/security/sealed-metadata.js';
import { documentsIn } from '../../resources/ledger-rows.js';
import { isWithoutCollection, openForReading } from '../../resources/open-collection.js';
import { listPages } from '../../stores/list-pages.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { addDocument, addHistory, ReadableFields } from './readable-fields.js';
import { repairHistory, verifyHistory } from './verify-history.js';

const PAGE = 1000;

/**
 * Reasons that end a comparison without saying anything about what the store holds. A server that is down is one: taken for
 * damage, `--repair` would drop an index that is whole.
 */
const SILENCES: ReadonlySet<ErrorReason> = new Set(['STORE_TIMEOUT', 'STORE_UNAVAILABLE']);

const isOfTheStore = (reason: ErrorReason): boolean => reason.startsWith('STORE_') && !SILENCES.has(reason);

export interface VerifyContext {
  readonly ledger: Ledger;
  readonly facts: Generation;
  /** The generation of these facts. */
  readonly reader: GenerationReader;
  readonly store: VectorStore;
  /** The store of any generation. */
  readonly storeOf: (facts: Generation) => Promise<VectorStore>;
  readonly sources: readonly ConfiguredSource[];
  /** @default DEFAULT_RETRY_POLICY */
  readonly retry?: RetryPolicy | undefined;
  /** Sources that no run reads any more. */
  readonly abandoned?: readonly AbandonedSource[];
  /** Whose documents are compared: those of its tenant, and of its project where it states one. */
  readonly scope: Pick<Scope, 'tenant' | 'project'>;
  /** Adds the files of items and documents to what differs. */
  readonly paths?: { readonly ofItem: FindPath; readonly ofDocument: FindPath };
  /** What was forgotten on purpose is not missing. */
  readonly blocked?: ((source: string) => BlockedItems) | undefined;
  /** What is to be encrypted is looked for in clear: in documents of every tenant where the scope names none. @default nothing is */
  readonly sealing?: MetadataSealing | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Differences between sources, ledger and store, and the chunks that a repair must write again or delete. */
export interface VerifyReport {
  readonly drift: readonly Drift[];
  readonly missingChunkIds: readonly string[];
  readonly orphanedChunkIds: readonly string[];
  /** The ledger or the store cannot be read: only a rebuild helps. */
  readonly damaged: boolean;
  /** See `HistoryCheck`. */
  readonly unsoundUntil?: number | undefined;
}

/** Compares sources, ledger and store with each other. Reads everything, writes nothing. */
export async function verifyIndex(context: VerifyContext): Promise<VerifyReport> {
  try {
    const problems = await context.ledger.integrity();
    // Nothing can be told by a ledger that is not sound.
    if (problems.length > 0) return damagedLedger(problems);
    const ofStore: Drift[] = [];
    const readable = new ReadableFields(context.sealing ?? NO_SEALING);
    const store = await compareStore(context, ofStore, readable);
    const history = await verifyHistory(context.ledger.history, context);
    const parts: (readonly Drift[])[] = [ofStore, await compareDocuments(context, readable), history.drift];
    for (const source of context.sources) parts.push(await compareSource(source, context));
    for (const source of context.abandoned ?? []) parts.push(await abandonedDocuments(source, context));
    const ofPast = seesAll(context.scope) ? undefined : context.scope.tenant;
    if (isMarking(context)) {
      await addHistory(context.ledger.history, ofPast, readable);
      parts.unshift(await addOtherGenerations(context, readable));
    }
    // What is readable must not be lost below a long list.
    const drift = [readable.drift(), ...parts].flat();
    const { unsoundUntil } = history;
    const damaged = drift.some(({ kind }) => kind === 'store-damaged');
    return { drift, ...store, damaged, ...(unsoundUntil === undefined ? {} : { unsoundUntil }) };
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
  { reader, facts, store, scope, paths, signal }: VerifyContext,
  drift: Drift[],
  readable: ReadableFields,
): Promise<{ missingChunkIds: string[]; orphanedChunkIds: string[] }> {
  const missingChunkIds: string[] = [];
  const orphanedChunkIds: string[] = [];
  const nameOf = documentNames(reader, paths);
  try {
    const collection = await openForReading(facts, store);
    for await (const { expected, actual, difference } of compareChunks(reader, collection, signal)) {
      if (actual !== undefined && isShown(actual, scope)) readable.addChunk(actual);
      if (difference === undefined) continue;
      const documentId = expected?.documentId ?? actual?.documentId ?? '';
      const owner = actual ?? (await reader.document(documentId));
      if (owner !== undefined && !isOfScope(owner, scope)) continue;
      drift.push({
        ...difference,
        ...((await nameOf(documentId)) ?? { source: String(actual?.metadata.source ?? documentId) }),
      });
      if (difference.kind === 'chunk-orphaned') orphanedChunkIds.push(actual?.id ?? '');
      else missingChunkIds.push(expected?.chunkId ?? '');
    }
  } catch (error) {
    const failure = toRAGError(error, 'STORE_DAMAGED', `The store "${store.name}" could not be read.`);
    if (!isOfTheStore(failure.reason)) throw failure;
    drift.push({ kind: 'store-damaged', source: store.name, detail: failure.message });
  }
  return { missingChunkIds, orphanedChunkIds };
}

type NamedPlace = Pick<Drift, 'source' | 'path'>;

const documentNames =
  (reader: GenerationReader, paths: VerifyContext['paths']) =>
  async (documentId: string): Promise<NamedPlace | undefined> => {
    const document = await reader.document(documentId);
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

/** Whether something is of a scope's tenant, and of its project where it states one; whatever its access. */
const isOfScope = (
  { tenant, project }: { readonly tenant: string; readonly project?: string | undefined },
  scope: Pick<Scope, 'tenant' | 'project'>,
): boolean => tenant === scope.tenant && (scope.project === undefined || project === scope.project);

/** Who speaks for no tenant: a rotation encrypts those of all, so what it left readable is told of all. */
const seesAll = ({ tenant, project }: Pick<Scope, 'tenant' | 'project'>): boolean =>
  tenant === LOCAL_SCOPE.tenant && project === undefined;

/** Whether it counts where fields of a document are readable. */
const isShown = (owner: Parameters<typeof isOfScope>[0], scope: Pick<Scope, 'tenant' | 'project'>): boolean =>
  seesAll(scope) || isOfScope(owner, scope);

/** Tells sources of exactly this tenant and project, or of none yet, from those that others index. */
export async function sourceOwnership(
  reader: GenerationReader,
  scope: Pick<Scope, 'tenant' | 'project'>,
): Promise<(source: string) => boolean> {
  const own = new Set<string>();
  const known = new Set<string>();
  for await (const document of documentsIn(reader, PAGE)) {
    known.add(document.source);
    if (document.tenant === scope.tenant && document.project === scope.project) own.add(document.source);
  }
  return (source) => own.has(source) || !known.has(source);
}

const isMarking = ({ sealing }: VerifyContext): boolean => (sealing?.fields.length ?? 0) > 0;

/** Counts what is readable in generations that no search reads; gives those whose store could not be looked into. */
async function addOtherGenerations(context: VerifyContext, readable: ReadableFields): Promise<Drift[]> {
  const { ledger, scope, storeOf, signal } = context;
  const unread: Drift[] = [];
  for (const facts of await ledger.generations()) {
    if (facts.generation === context.facts.generation) continue;
    const where = ` in generation ${facts.generation}`;
    const reader = ledger.reader(facts.generation);
    for await (const document of documentsIn(reader, PAGE))
      if (isShown(document, scope)) await addDocument(document, { reader, readable, where });
    try {
      const store = await storeOf(facts);
      if (await isWithoutCollection(facts, store)) continue;
      const collection = await openForReading(facts, store);
      for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal }))
        for (const chunk of chunks) if (isShown(chunk, scope)) readable.addChunk(chunk, where);
    } catch (error) {
      const failure = toRAGError(error, 'STORE_DAMAGED', 'It could not be read.');
      if (failure.reason === 'ABORTED') throw failure;
      unread.push({
        kind: 'field-readable',
        source: facts.provider,
        detail: `Encrypted fields may stand in clear in the store${where}, which could not be looked into: ${failure.message} Bring it back, or remove the generation: \`ragstone generations drop ${facts.generation}\`.`,
      });
    }
  }
  return unread;
}

async function compareDocuments(context: VerifyContext, readable: ReadableFields): Promise<Drift[]> {
  const { reader, scope, paths } = context;
  const drift: Drift[] = [];
  for await (const document of documentsIn(reader, PAGE)) {
    const { status } = document;
    if (isMarking(context) && isShown(document, scope)) await addDocument(document, { reader, readable });
    if (!isOfScope(document, scope)) continue;
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
  return drift;
}

async function compareSource(configured: ConfiguredSource, context: VerifyContext): Promise<Drift[]> {
  const { source, processingKey, formats } = configured;
  try {
    const { reader, scope, signal, paths } = context;
    const { tenant } = scope;
    const placeOf = (id: string): NamedPlace => ({ source: id, ...pathOf(paths?.ofItem(source.name, id)) });
    const changes = await listChanges(source, {
      tenant,
      ledger: reader,
      processingKey,
      formats,
      force: false,
      retry: context.retry,
      signal,
      blocked: context.blocked?.(source.name),
    });
    const known = await reader.items(tenant, source.name);
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
    const waiting = changes.waiting.map(
      ({ itemId, error }): Drift => ({
        kind: 'source-unreadable',
        ...placeOf(itemId),
        detail:
          `It could not be indexed and is tried again after ${error?.nextAttemptAt}. ${error?.message ?? ''}`.trim(),
      }),
    );
    const gone = changes.goneItemIds.map(
      (id): Drift => ({
        kind: 'source-deleted',
        ...placeOf(id),
        detail: 'It is indexed and no longer in the source.',
      }),
    );
    return [...changed, ...unreadable, ...givenUp, ...waiting, ...gone];
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

async function abandonedDocuments(
  source: AbandonedSource,
  { reader, scope: { tenant } }: VerifyContext,
): Promise<Drift[]> {
  const detail = await abandonmentOf(source, tenant, reader);
  return detail === undefined ? [] : [{ kind: 'source-abandoned', source: source.name, detail }];
}

function reasonToRead(status: string): string {
  if (status === 'pending') return 'A run was interrupted while indexing it.';
  if (status === 'failed') return 'Its last indexing failed.';
  return 'Its content or the settings that process it changed since it was indexed.';
}

/** What a repair writes to. */
export interface RepairContext {
  readonly history?: LedgerHistory | undefined;
  readonly facts: Generation;
  readonly store: VectorStore;
  readonly writer: GenerationWriter;
}

/** Removes from the store what the ledger does not know, marks for the next run what the store lacks, and ends the history where it is damaged. */
export async function prepareRepair(
  { damaged, orphanedChunkIds, missingChunkIds, unsoundUntil }: VerifyReport,
  { history, facts, store, writer }: RepairContext,
): Promise<void> {
  if (damaged) return;
  await repairHistory(history, unsoundUntil);
  const collection = await openForReading(facts, store);
  for (const some of slicesOf(orphanedChunkIds, PAGE)) {
    await collection.delete(oneOf('$chunkId', some));
  }
  await writer.markChunksMissing(missingChunkIds);
}
