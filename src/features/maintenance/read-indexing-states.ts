import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { Scope } from '../../core/scope.js';
import type { GenerationReader, LedgerDocument, LedgerItem } from '../../ledger/ledger.js';
import type { IndexingState, IndexingStatePage, ListRequest } from '../../operations/engine.js';
import { FIELDS } from '../../operations/fields.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { typeOfSource } from './read-source-states.js';
import { sourcesOfScope } from './sources-of-scope.js';

/** No id of a document begins so. */
const FAILED = 'failed:';

/** Where each document stands, in the order of their ids, then items of which nothing was ever indexed. */
export async function readIndexingStates(
  { cursor, limit = FIELDS.list.limit.preset }: Pick<ListRequest, 'cursor' | 'limit'>,
  resources: EngineResources,
  scope: Scope,
): Promise<IndexingStatePage> {
  const reader = (await resources.ledger.live())?.reader;
  if (reader === undefined) return { states: [] };
  const found: LedgerDocument[] = [];
  let after = cursor;
  while (found.length < limit && after?.startsWith(FAILED) !== true) {
    const page = await reader.documents(after, limit - found.length);
    found.push(...page.filter((document) => isOfScope(document, scope)));
    after = page.at(-1)?.documentId ?? `${FAILED}0`;
  }
  const states = await statesOfDocuments(found, reader, scope.tenant);
  if (after?.startsWith(FAILED) !== true) return { states, cursor: after };
  const start = Number(after.slice(FAILED.length));
  const failed = await neverIndexed(reader, scope);
  const room = limit - states.length;
  const end = start + room;
  return {
    states: [...states, ...failed.slice(start, end).map((item) => stateOfItem(item, resources.config))],
    ...(end < failed.length ? { cursor: FAILED + end } : {}),
  };
}

const isOfScope = ({ tenant, project }: LedgerDocument, scope: Scope): boolean =>
  tenant === scope.tenant && (scope.project === undefined || project === scope.project);

async function statesOfDocuments(
  documents: readonly LedgerDocument[],
  reader: GenerationReader,
  tenant: string,
): Promise<IndexingState[]> {
  const items = new Map<string, ReadonlyMap<string, LedgerItem>>();
  for (const source of new Set(documents.map((document) => document.source))) {
    const ids = documents.flatMap((document) => (document.source === source ? document.itemId : []));
    items.set(source, await reader.items(tenant, source, [...new Set(ids)]));
  }
  return Promise.all(
    documents.map(async (document) => {
      const chunks = await reader.chunks(document.documentId);
      const ids = chunks.flatMap(({ chunkId, state }) => (state === 'stale' ? [] : chunkId));
      return stateOfDocument(document, items.get(document.source)?.get(document.itemId), ids);
    }),
  );
}

function stateOfDocument(
  document: LedgerDocument,
  item: LedgerItem | undefined,
  chunkIds: readonly string[],
): IndexingState {
  const { documentId, externalId, sourceType, indexedAt, revision, metadata, status } = document;
  const error = item?.error;
  return {
    id: documentId,
    source_path: externalId,
    source_type: sourceType,
    ...(indexedAt === undefined ? {} : { last_indexed: new Date(indexedAt) }),
    content_hash: revision,
    chunk_count: chunkIds.length,
    vector_ids: chunkIds,
    status: error === undefined ? status : 'failed',
    ...(error === undefined ? {} : { error_message: error.message }),
    retry_count: item?.attempts ?? 0,
    metadata,
  };
}

/** Items that failed, of which no document is known. */
async function neverIndexed(reader: GenerationReader, scope: Scope): Promise<LedgerItem[]> {
  const inScope = await sourcesOfScope(reader, scope);
  const failed = await reader.failures(Number.MAX_SAFE_INTEGER);
  const found: LedgerItem[] = [];
  for (const item of failed) {
    if (item.tenant !== scope.tenant || !inScope(item.source)) continue;
    const documents = await reader.documentsOfItems(item.tenant, item.source, [item.itemId]);
    if (documents.length === 0) found.push(item);
  }
  return found;
}

const stateOfItem = (
  { source, itemId, attempts, error }: LedgerItem,
  config: ResolvedConfig,
): IndexingState => ({
  id: itemId,
  source_path: itemId,
  source_type: typeOfSource(source, config),
  chunk_count: 0,
  vector_ids: [],
  status: 'failed',
  ...(error === undefined ? {} : { error_message: error.message }),
  retry_count: attempts,
  metadata: {},
});
