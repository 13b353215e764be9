import { resolve } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { CHUNK_KEYS } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import { type Filter, lookupPath, matchesFilter } from '../../core/filter.js';
import { itemIdsOf } from '../../core/item-id.js';
import type { Metadata, MetadataValue } from '../../core/metadata.js';
import { liftFields, withoutFolded } from '../../core/pushed-fields.js';
import type { Scope } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { pathsOf } from '../../indexing/document-paths.js';
import { isPathSource } from '../../indexing/folder-names.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import type { LedgerHistory } from '../../ledger/history.js';
import type { GenerationReader, LedgerDocument } from '../../ledger/ledger.js';
import type { ForgetRequest } from '../../operations/forget-types.js';
import type { MetadataSealing } from '../../platform/security/sealed-metadata.js';
import { documentsIn } from '../../resources/ledger-rows.js';
import type { ForgottenDocument, ForgottenItem } from './forgetting-plan.js';

const PAGE = 500;
/** Documents that a message names. */
const NAMED = 5;

/** What is to be forgotten, whatever generation knows it. */
export interface FoundDocuments {
  readonly documents: readonly ForgottenDocument[];
  readonly items: readonly ForgottenItem[];
}

export interface FindContext {
  readonly readers: readonly GenerationReader[];
  /** What the index held before. */
  readonly history?: LedgerHistory | undefined;
  readonly scope: Pick<Scope, 'tenant' | 'project'>;
  readonly config: ResolvedConfig;
  readonly sealing: MetadataSealing;
  /** Folder that relative paths start from. */
  readonly cwd: string;
}

/**
 * Documents that a request means. One that any generation knows so is meant in all of them: what a document said before is a part of what
 * is to be forgotten. Throws `USAGE` for a name that names nothing or documents of several items, `QUERY_INVALID` for a filter that cannot be
 * answered for whole documents.
 */
export async function findForgotten(request: ForgetRequest, context: FindContext): Promise<FoundDocuments> {
  const { source, documents: names } = request;
  if (request.filter !== undefined) assertOfDocuments(request.filter, context.sealing);
  const filter = request.filter && withoutFolded(request.filter);
  const wanted = names === undefined ? undefined : new Set(names.flatMap((name) => namesOf(name, context)));
  const pathOf = pathsOf('items', context.config);
  const found = new Map<string, NamedDocument>();
  for (const reader of context.readers)
    for await (const document of documentsIn(reader, PAGE)) {
      if (!isOfScope(document, context.scope)) continue;
      if (source !== undefined && document.source !== source) continue;
      if (wanted !== undefined && !isNamed(document, { wanted, pathOf })) continue;
      if (filter !== undefined && !matchesFilter(filter, (field) => fieldOf(document, field))) continue;
      found.set(document.documentId, document);
    }
  const isMeant = (document: NamedDocument): boolean =>
    (source === undefined || document.source === source) &&
    (wanted === undefined || isNamed(document, { wanted, pathOf })) &&
    (filter === undefined || matchesFilter(filter, (field) => fieldOf(document, field)));
  for (const version of await pastOf(isMeant, context))
    if (!found.has(version.documentId)) found.set(version.documentId, version);
  const documents = [...found.values()];
  const items = await itemsOf(request, documents, context);
  for (const name of names ?? []) {
    assertOneItem(name, documents, { context, pathOf });
    if (filter === undefined) assertNamesSomething(name, { documents, items }, context);
  }
  return { documents: documents.map(toForgotten), items };
}

/**
 * Documents that the history alone knows so. One that is in the index, or was last, as another project's is not this scope's to forget.
 */
async function pastOf(
  isMeant: (document: NamedDocument) => boolean,
  { history, scope, readers }: FindContext,
): Promise<NamedDocument[]> {
  const meant = new Map<string, NamedDocument>();
  for await (const version of allVersions(history, scope.tenant))
    if (isOfScope(version, scope) && isMeant(version)) meant.set(version.documentId, version);
  const ids = [...meant.keys()];
  for (const some of slicesOf(ids, PAGE))
    for (const [id, newest] of (await history?.newest(some)) ?? [])
      if (!isOfScope(newest, scope)) meant.delete(id);
  for (const reader of readers)
    for (const id of [...meant.keys()]) {
      const present = await reader.document(id);
      if (present !== undefined && !isOfScope(present, scope)) meant.delete(id);
    }
  return [...meant.values()];
}

/** What a request can mean: a document, or what one was before. */
type NamedDocument = Omit<LedgerDocument, 'status' | 'chunkCount' | 'indexedAt'>;

const toForgotten = ({ documentId, source, itemId, externalId }: NamedDocument): ForgottenDocument => ({
  documentId,
  source,
  itemId,
  externalId,
});

const isOfScope = (
  { tenant, project }: Pick<LedgerDocument, 'tenant' | 'project'>,
  scope: FindContext['scope'],
): boolean => tenant === scope.tenant && (scope.project === undefined || project === scope.project);

/** As it was said, and as the path that it may be. */
const namesOf = (name: string, { cwd }: FindContext): string[] => [name, resolve(cwd, name)];

interface Named {
  readonly wanted: ReadonlySet<string>;
  readonly pathOf: ReturnType<typeof pathsOf>;
}

function isNamed(
  { documentId, externalId, itemId, source, metadata }: NamedDocument,
  { wanted, pathOf }: Named,
): boolean {
  if (wanted.has(documentId) || wanted.has(externalId) || wanted.has(itemId)) return true;
  if (isOfItem(metadata, wanted)) return true;
  const path = pathOf(source, itemId);
  return path !== undefined && wanted.has(path);
}

/** By the key of its ticket, in whichever file a copy of it stands. */
const isOfItem = (metadata: Metadata, wanted: ReadonlySet<string>): boolean =>
  itemIdsOf(metadata).some((id) => wanted.has(id));

/** A name that means several things is no order to delete them all; copies of one ticket are one thing. */
function assertOneItem(
  name: string,
  documents: readonly NamedDocument[],
  { context, pathOf }: { readonly context: FindContext; readonly pathOf: Named['pathOf'] },
): void {
  const wanted = new Set(namesOf(name, context));
  const meant = documents.filter(
    (document) => isNamed(document, { wanted, pathOf }) && !isOfItem(document.metadata, wanted),
  );
  const items = new Set(meant.map(({ source, itemId }) => JSON.stringify([source, itemId])));
  if (items.size < 2) return;
  const shown = meant
    .slice(0, NAMED)
    .map(({ documentId, externalId, source }) => `${documentId} ("${externalId}" of "${source}")`);
  throw new RAGError(
    'USAGE',
    `"${name}" names documents of ${items.size} items: ${shown.join(', ')}${meant.length > NAMED ? ', ...' : ''}. Give their ids, or say --source too.`,
  );
}

function assertNamesSomething(
  name: string,
  {
    documents,
    items,
  }: { readonly documents: readonly NamedDocument[]; readonly items: readonly ForgottenItem[] },
  context: FindContext,
): void {
  const wanted = new Set(namesOf(name, context));
  const pathOf = pathsOf('items', context.config);
  const named = { wanted, pathOf };
  const isItem = ({ source, itemId }: ForgottenItem): boolean =>
    wanted.has(itemId) || wanted.has(pathOf(source, itemId) ?? itemId);
  if (documents.some((document) => isNamed(document, named)) || items.some(isItem)) return;
  throw new RAGError('USAGE', `Nothing is indexed under the name "${name}".`);
}

/** Items of which no document is left, and items that are known and have none: of a failure, or of a whole source. */
async function itemsOf(
  request: ForgetRequest,
  found: readonly NamedDocument[],
  context: FindContext,
): Promise<ForgottenItem[]> {
  const { tenant } = context.scope;
  const bySource = new Map<string, Set<string>>();
  const add = (source: string, itemId: string): unknown =>
    bySource.set(source, (bySource.get(source) ?? new Set<string>()).add(itemId));
  for (const { source, itemId } of found) add(source, itemId);
  for (const reader of context.readers)
    for (const source of await reader.sourceNames(tenant))
      for (const itemId of await itemsByName(request, source, { ...context, reader })) add(source, itemId);
  const ids = new Set(found.map(({ documentId }) => documentId));
  // An item that holds other documents too, in whatever generation, stays known.
  for (const reader of context.readers)
    for (const [source, itemIds] of bySource)
      for (const some of slicesOf([...itemIds], PAGE))
        for (const held of await reader.documentsOfItems(tenant, source, some))
          if (!ids.has(held.documentId)) itemIds.delete(held.itemId);
  return [...bySource].flatMap(([source, itemIds]) => [...itemIds].map((itemId) => ({ source, itemId })));
}

/** Items of a source that a request means by their names alone. Which project an item without documents is of, nobody knows. */
async function itemsByName(
  { source: wantedSource, documents: names, filter }: ForgetRequest,
  source: string,
  context: FindContext & { readonly reader: GenerationReader },
): Promise<string[]> {
  const { reader, scope, config } = context;
  if (filter !== undefined || scope.project !== undefined) return [];
  if (wantedSource !== undefined && wantedSource !== source) return [];
  const known = [...(await reader.items(scope.tenant, source)).keys()];
  if (names === undefined) return known;
  const wanted = new Set(names.flatMap((name) => namesOf(name, context)));
  const pathOf = pathsOf('items', config);
  return known.filter((itemId) => {
    const path = pathOf(source, itemId);
    return wanted.has(itemId) || (path !== undefined && wanted.has(path));
  });
}

/** Fields of a document that the ledger knows; those of its chunks are none. */
function fieldOf(document: NamedDocument, field: string): MetadataValue | undefined {
  switch (field) {
    case '$tenant':
      return document.tenant;
    case '$project':
      return document.project;
    case '$source':
      return document.source;
    case '$documentId':
      return document.documentId;
    default: {
      const { externalId, sourceType, title, metadata } = document;
      const facts = {
        source: externalId,
        sourceType,
        ...(title === undefined ? {} : { title }),
        ...liftFields(metadata),
      };
      return lookupPath(facts, field);
    }
  }
}

const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['$tenant', '$project', '$source', '$documentId']);

/** A field that no document has would make a negation mean everything. */
function assertOfDocuments(filter: Filter, sealing: MetadataSealing): void {
  sealing.assertFilterable(filter);
  const wrong = fieldsOf(filter).find((field) => {
    const [root = ''] = field.split('.');
    return field.startsWith('$') ? !SYSTEM_FIELDS.has(field) : CHUNK_KEYS.has(root);
  });
  if (wrong === undefined) return;
  throw new RAGError(
    'QUERY_INVALID',
    `"${wrong}" is no field of whole documents, so nothing can be forgotten by it. Filter by metadata.`,
  );
}

/** Names of the fields that a filter compares, each once. */
export function fieldsOf(filter: Filter): string[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return [...new Set(filter.filters.flatMap(fieldsOf))];
    case 'not':
      return fieldsOf(filter.filter);
    default:
      return [filter.field];
  }
}

/** The name under which a source is indexed that a person calls so: a folder is known by its place. */
export function sourceNamed(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const found = known.find(
    (candidate) => isPathSource(candidate) && candidate.slice('path:'.length) === name,
  );
  if (found !== undefined) return found;
  throw new RAGError(
    'USAGE',
    `Nothing is indexed of a source "${name}". Indexed sources: ${known.join(', ') || 'none'}.`,
  );
}
