import type { ResolvedConfig } from '../config/resolved-config.js';
import type { StoredChunk } from '../core/chunk.js';
import { CHUNK_KEYS, SEALED_KEY, titleOf } from '../core/chunk-metadata.js';
import { and, compareText, eq, type Filter, lookupPath, matchesFilter } from '../core/filter.js';
import { documentIdOf } from '../core/ids.js';
import type { MetadataValue } from '../core/metadata.js';
import { comparesCallersField } from '../core/pushed-fields.js';
import type { AccessControl } from '../core/scope.js';
import { slicesOf } from '../core/slices.js';
import {
  type DeletionTargets,
  deleteDocuments,
  forgetItems,
  purgeDeleted,
} from '../indexing/delete-documents.js';
import { originsOf } from '../indexing/document-paths.js';
import { pushSourceName } from '../indexing/folder-names.js';
import { IndexRun } from '../indexing/index-run.js';
import { isLeaseLost } from '../indexing/item-claims.js';
import type { ScopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { LedgerChunk, LedgerDocument } from '../ledger/ledger.js';
import type {
  DocumentPage,
  DocumentRequest,
  DocumentText,
  IndexedDocument,
  ListRequest,
} from '../operations/engine.js';
import { FIELDS } from '../operations/fields.js';
import { LEFT_SEALED } from '../platform/security/sealed-metadata.js';
import { searchFilter } from '../searching/search-filter.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { originalOf, passagesOf, versionsOf } from './document-parts.js';

/** A document with the chunk that says who may read it and what the store holds of it. */
interface ReadableDocument {
  readonly document: LedgerDocument;
  readonly chunk: StoredChunk;
  /** Fields of the metadata that are left out of the chunk. */
  readonly undecryptable: readonly string[];
}

const PAGE = 200;

/** A document with the text that the store's chunks are of, and what else is wanted of it; undefined where the scope may not read it. */
export async function getDocument(
  { id, passages, versions = false, original = false }: DocumentRequest,
  {
    index,
    host,
    signal,
  }: { readonly index: ScopedIndex; readonly host: EngineHost; readonly signal: AbortSignal },
): Promise<DocumentText | undefined> {
  const [found] = await findDocuments([id], index);
  if (found === undefined) return undefined;
  // The revision of the chunk that was read: a newer one may be for others.
  const revision = String(found.chunk.metadata.revision);
  const text = await index.reader.text(found.document.documentId, revision);
  if (text === undefined) return undefined;
  const readable = { ...found, revision };
  return {
    ...describe(found, host.config),
    text,
    ...(passages === undefined ? {} : { passages: await passagesOf(readable, passages, index) }),
    ...(versions ? { versions: await versionsOf(readable, index, host) } : {}),
    ...(original ? { original: await originalOf(readable, host, signal) } : {}),
  };
}

/** Documents in the order of their ids, a page at a time. */
export async function listDocuments(
  { cursor, limit = FIELDS.list.limit.preset, filter, filters }: ListRequest,
  { index, config }: { readonly index: ScopedIndex; readonly config: ResolvedConfig },
): Promise<DocumentPage> {
  const wanted = searchFilter({ filter, filters });
  index.sealing.assertFilterable(wanted);
  const found: IndexedDocument[] = [];
  const named = await fewAdmitted(wanted, index);
  const pages = named === undefined ? allPages(cursor, index) : pagesOf(named, cursor, index);
  for await (const page of pages) {
    for (const readable of await onlyReadable(page, index))
      if (admits(index.sealing.storable(wanted), readable)) found.push(describe(readable, config));
    // One more than asked for is looked for: a cursor that led to nothing readable would tell of what is not.
    if (found.length > limit) break;
  }
  const documents = found.slice(0, limit);
  return { documents, cursor: found.length > limit ? documents.at(-1)?.id : undefined };
}

async function* allPages(
  cursor: string | undefined,
  { reader }: ScopedIndex,
): AsyncGenerator<readonly LedgerDocument[]> {
  for (let after = cursor; ; ) {
    const page = await reader.documents(after, PAGE);
    yield page;
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) return;
  }
}

async function* pagesOf(
  ids: readonly string[],
  cursor: string | undefined,
  { reader }: ScopedIndex,
): AsyncGenerator<readonly LedgerDocument[]> {
  const left = cursor === undefined ? ids : ids.filter((id) => compareText(id, cursor) > 0);
  for (const some of slicesOf(left, PAGE)) {
    const page = await Promise.all(some.map((id) => reader.document(id)));
    yield page.flatMap((document) => document ?? []);
  }
}

/** Documents that are asked of the store by a filter, at most: of more, a page is sooner found by looking at one after the other. */
const FEW = 1_000;

/** Ids, in order, of documents that a filter may admit, where it admits few; undefined where it does not narrow, or admits many. */
async function fewAdmitted(
  wanted: Filter,
  { collection, scope, sealing }: ScopedIndex,
): Promise<string[] | undefined> {
  if (wanted.op === 'and' && wanted.filters.length === 0) return undefined;
  // Such a field may be where the store does not look.
  if (sealing.isOverFolded && comparesCallersField(wanted)) return undefined;
  const scoped = scopeCollection(collection, scope, sealing);
  // The first chunk stands for its document.
  const filter = and(wanted, eq('chunkIndex', 0));
  if ((await scoped.count(filter)) > FEW) return undefined;
  const { chunks } = await scoped.list({ filter, limit: FEW });
  return [...new Set(chunks.map(({ documentId }) => documentId))].sort(compareText);
}

/**
 * Deletes what the scope may read of these documents; says how many of each request. A deletion of one of them that broke off is finished: the
 * store may have lost the chunk that says who may read it, so any scope finishes it, and none is told.
 */
export async function deleteReadable(
  requests: readonly (readonly string[])[],
  index: ScopedIndex,
  targets: DeletionTargets,
): Promise<number[]> {
  for (let told: number[] | undefined; ; ) {
    const { documents, ofRequests } = await toDelete(requests, index);
    told ??= ofRequests;
    try {
      await deleteFound(documents, targets);
      return told;
    } catch (error) {
      // Another process took them over, because this one was silent for too long: what it has left of them is deleted.
      if (!isLeaseLost(error)) throw error;
    }
  }
}

/** What the scope may read of documents, with what is half deleted; how many of each request. */
async function toDelete(
  requests: readonly (readonly string[])[],
  index: ScopedIndex,
): Promise<{ readonly documents: readonly LedgerDocument[]; readonly ofRequests: number[] }> {
  const found = new Map(
    (await findDocuments(requests.flat(), { ...index, sealing: LEFT_SEALED })).map(({ document, name }) => [
      name,
      document,
    ]),
  );
  const ofRequests = requests.map((names) => new Map(names.flatMap((name) => byId(found.get(name)))));
  const documents = new Map(ofRequests.flatMap((ofRequest) => [...ofRequest]));
  for (const document of await halfDeleted(requests.flat(), index))
    documents.set(document.documentId, document);
  return { documents: [...documents.values()], ofRequests: ofRequests.map(({ size }) => size) };
}

/** Of named documents of the tenant those of which every chunk is to go. */
async function halfDeleted(names: readonly string[], index: ScopedIndex): Promise<LedgerDocument[]> {
  const found: LedgerDocument[] = [];
  for (const { either } of await meantBy(names, index))
    for (const document of either) {
      if (document.tenant !== index.scope.tenant || document.status === 'indexed') continue;
      const chunks = await index.reader.chunks(document.documentId);
      if (chunks.length > 0 && chunks.every(({ state }) => state === 'stale')) found.push(document);
    }
  return found;
}

const byId = (document: LedgerDocument | undefined): (readonly [string, LedgerDocument])[] =>
  document === undefined ? [] : [[document.documentId, document]];

async function deleteFound(documents: readonly LedgerDocument[], targets: DeletionTargets): Promise<void> {
  if (documents.length === 0) return;
  const { ledger, claims } = targets;
  const run = new IndexRun(undefined, targets.signal);
  // Waits for their current writers.
  for (const { tenant, source, itemId } of documents)
    await claims?.takeAll({ tenant, source }, [itemId], targets);
  await deleteDocuments(
    documents.map(({ documentId }) => documentId),
    { ...targets, items: documents },
    run,
  );
  for (const { tenant, source, itemId } of documents)
    if ((await ledger.documentsOfItems(tenant, source, [itemId])).length === 0)
      await forgetItems({ tenant, source, itemIds: [itemId] }, targets, run);
  await purgeDeleted(targets, run);
}

/** What is there already under the ids of a push. */
export interface EarlierPushes {
  /** Ids of what the scope may not read. */
  readonly unreadable: ReadonlySet<string>;
  /** Who may read the others, by id. */
  readonly access: ReadonlyMap<string, AccessControl>;
}

export async function earlierPushes(ids: readonly string[], index: ScopedIndex): Promise<EarlierPushes> {
  const pushed = await Promise.all(ids.map((id) => pushedDocument(id, index)));
  const known = await firstChunksOf(
    pushed.flatMap((document) => document ?? []),
    index,
  );
  const { collection, scope } = index;
  const present = await collection.get([...known.keys()]);
  // Of what was read once: what is replaced between two questions would seem to be there and not readable.
  const read = Object.create(collection, { get: { value: async () => present } }) as VectorCollection;
  const readable = await scopeCollection(read, scope, LEFT_SEALED).get([...known.keys()]);
  const idOf = ({ id }: StoredChunk): string[] => {
    const document = known.get(id);
    return document === undefined ? [] : [document.externalId];
  };
  const access = new Map(readable.flatMap((chunk) => idOf(chunk).map((id) => [id, chunk.access] as const)));
  return { access, unreadable: new Set(present.flatMap(idOf).filter((id) => !access.has(id))) };
}

/**
 * By id of the document, or by the id that it was pushed under. Which of the two is meant is decided among what the scope may read:
 * a document of others under that id would show itself by standing before one of its own.
 */
async function findDocuments(ids: readonly string[], index: ScopedIndex): Promise<NamedDocument[]> {
  const meant = await meantBy(ids, index);
  const candidates = meant.flatMap(({ either }) => either);
  const readable = new Map(
    (await onlyReadable(candidates, index)).map((found) => [found.document.documentId, found]),
  );
  return meant.flatMap(({ name, either }) =>
    either
      .flatMap(({ documentId }) => readable.get(documentId) ?? [])
      .slice(0, 1)
      .map((found) => ({ ...found, name })),
  );
}

const meantBy = (ids: readonly string[], index: ScopedIndex) =>
  Promise.all(
    ids.map(async (id) => {
      const either = await Promise.all([index.reader.document(id), pushedDocument(id, index)]);
      return { name: id, either: either.flatMap((document) => document ?? []) };
    }),
  );

/** With what it was asked for by. */
interface NamedDocument extends ReadableDocument {
  readonly name: string;
}

const pushedDocument = (id: string, { reader, scope }: ScopedIndex): Promise<LedgerDocument | undefined> =>
  reader.document(documentIdOf(scope.tenant, pushSourceName(scope.project), id));

/** A document is read where its first chunk is: all chunks of a revision have one access. One without text is unreadable in every scope. */
export async function onlyReadable(
  documents: readonly LedgerDocument[],
  index: ScopedIndex,
): Promise<ReadableDocument[]> {
  const firstChunks = await firstChunksOf(documents, index);
  const undecryptable = new Map<string, readonly string[]>();
  const scoped = scopeCollection(index.collection, index.scope, index.sealing, ({ id }, fields) => {
    undecryptable.set(id, fields);
  });
  const chunks = await scoped.get([...firstChunks.keys()]);
  return chunks.flatMap((chunk) => {
    const document = firstChunks.get(chunk.id);
    if (document === undefined) return [];
    return [{ document, chunk, undecryptable: undecryptable.get(chunk.id) ?? [] }];
  });
}

/**
 * Documents of the tenant by a chunk that the store holds of each: the first that it holds for certain. Where nothing is certain, because a
 * write was interrupted or is to be repeated, it is asked: what a search shows can be read and deleted, too.
 */
async function firstChunksOf(
  documents: readonly LedgerDocument[],
  { reader, collection, scope }: ScopedIndex,
): Promise<Map<string, LedgerDocument>> {
  const own = documents.filter(({ tenant }) => tenant === scope.tenant);
  const certain = await reader.graph.firstChunks(own.map(({ documentId }) => documentId));
  const uncertain = own.filter(({ documentId }) => !certain.has(documentId));
  const chunks = await reader.chunksOf(uncertain.map(({ documentId }) => documentId));
  const first = new Map<string, LedgerDocument>();
  for (const document of own) {
    const held =
      certain.get(document.documentId) ??
      (await firstPresent(chunks.get(document.documentId) ?? [], collection));
    if (held !== undefined) first.set(held, document);
  }
  return first;
}

/** Of chunks that the store may hold the first that it does: of the revision before, where there is one. */
async function firstPresent(
  chunks: readonly LedgerChunk[],
  collection: VectorCollection,
): Promise<string | undefined> {
  const isOld = ({ state }: LedgerChunk): boolean => state === 'stale';
  const ids = [...chunks.filter(isOld), ...chunks.filter((chunk) => !isOld(chunk))].map(
    ({ chunkId }) => chunkId,
  );
  for (const some of slicesOf(ids, PAGE)) {
    const present = new Set((await collection.get(some)).map(({ id }) => id));
    const found = some.find((id) => present.has(id));
    if (found !== undefined) return found;
  }
  return undefined;
}

const SEALED = `${SEALED_KEY}.`;

const admits = (filter: Filter, { document, chunk, undecryptable }: ReadableDocument): boolean =>
  matchesFilter(filter, (field) => {
    if (field.startsWith(SEALED)) return undecryptable.includes(field.slice(SEALED.length)) || undefined;
    if (!field.startsWith('$')) return lookupPath(chunk.metadata, field);
    const fields: Readonly<Record<string, MetadataValue | undefined>> = {
      $tenant: chunk.tenant,
      $project: chunk.project,
      $source: chunk.source,
      $documentId: document.documentId,
      $level: chunk.access.level,
      $groups: chunk.access.groups,
    };
    return fields[field];
  });

export const sourceTypeOf = ({ document, chunk }: Pick<ReadableDocument, 'document' | 'chunk'>): string => {
  const { sourceType } = chunk.metadata;
  return typeof sourceType === 'string' ? sourceType : document.sourceType;
};

function describe(
  { document, chunk, undecryptable }: ReadableDocument,
  config: ResolvedConfig,
): IndexedDocument {
  const { documentId, externalId, source, status, indexedAt } = document;
  const { metadata, access, project } = chunk;
  const textAt = (key: string) => (typeof metadata[key] === 'string' ? metadata[key] : undefined);
  return {
    id: documentId,
    externalId,
    source,
    sourceType: sourceTypeOf({ document, chunk }),
    origin: originsOf(config)(source, externalId),
    project,
    title: titleOf(chunk),
    url: textAt('url'),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !CHUNK_KEYS.has(key))),
    ...(undecryptable.length === 0 ? {} : { undecryptable }),
    access: { groups: access.groups, level: access.level },
    status,
    indexedAt,
  };
}
