import { RAGError } from '../core/errors.js';
import { documentIdOf } from '../core/ids.js';
import { toldNotices } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import { pushSourceName } from '../indexing/folder-names.js';
import type { GenerationReader } from '../ledger/ledger.js';
import type { RelatedRequest, RelatedResponse } from '../operations/engine.js';
import { FIELDS } from '../operations/fields.js';
import { keyName, numberName, pageName, pathName, urlName, WHOLE_KEY } from '../relations/graph/names.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { nothingIndexed } from '../resources/open-collection.js';
import { readableGraph } from '../resources/readable-graph.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import { nearDocuments } from './near-documents.js';

/** Documents that are looked at around an item. */
const MOST_DOCUMENTS = 500;
/** Documents of one name that are told apart. */
const MEANT = 50;
/** Most documents that a message names. */
const NAMED = 5;

/** Documents that are connected with one, the closest first. Throws `INDEX_EMPTY`, `DOCUMENT_NOT_FOUND`, and `USAGE` where a name means several. */
export async function findRelated(
  {
    item,
    hops = FIELDS.related.hops.preset,
    limit = FIELDS.related.limit.preset,
    kinds,
    signal,
  }: RelatedRequest,
  scope: Scope,
  resources: EngineResources,
): Promise<RelatedResponse> {
  const live = await resources.ledger.live();
  if (live === undefined) throw nothingIndexed(resources.config);
  const index = await resources.stores.collection();
  const { reader } = index;
  const graph = readableGraph(index, scopeCollection(index.collection, scope, index.sealing), { scope });
  const { documentId } = await itemCalled(item, { reader, scope, readable: graph.readable, signal });
  const options = { hops, kinds, maxDocuments: MOST_DOCUMENTS };
  const { documents, notices } = await graph.around(new Map([[documentId, 1]]), options);
  const found = documents.filter((document) => document.documentId !== documentId).slice(0, limit);
  const described = await describe([documentId, ...found.flatMap(idsOf)], reader);
  const documentOf = (id: string): RelatedResponse['item'] =>
    described.get(id) ?? { id, source: '', externalId: id };
  return {
    item: documentOf(documentId),
    related: found.map(({ documentId: id, score, path }) => ({ ...documentOf(id), score, path })),
    documents: Object.fromEntries(described),
    ...toldNotices(notices),
  };
}

const idsOf = ({
  documentId,
  path,
}: {
  readonly documentId: string;
  readonly path: readonly { readonly to: string }[];
}): string[] => [documentId, ...path.map(({ to }) => to)];

interface Asking {
  readonly reader: GenerationReader;
  readonly scope: Scope;
  readonly readable: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The document that is meant: by its id, the id it was pushed under, its key, its number, its path in its source, the end of a path that
 * leads there, its address, or the end of its path where no other has it. What the scope may not read is never meant.
 */
async function itemCalled(
  item: string,
  { reader, scope, readable, signal }: Asking,
): Promise<{ readonly documentId: string }> {
  const sources = await reader.sourceNames(scope.tenant);
  const ids = [item, documentIdOf(scope.tenant, pushSourceName(scope.project), item)];
  const ways: (() => Promise<readonly string[]>)[] = [
    async () => ids,
    ...namesOf(item, sources).map((names) => async () => {
      const hits = await reader.graph.named(scope.tenant, names, { limit: MEANT });
      return hits.map(({ documentId }) => documentId);
    }),
  ];
  for (const way of ways) {
    const found = [...(await readable([...new Set(await way())]))];
    const [documentId] = found;
    if (documentId === undefined) continue;
    if (found.length > 1) throw await ambiguous(item, found, reader);
    return { documentId };
  }
  const { tenant } = scope;
  const { ending, near } = await nearDocuments(plainPath(item), { reader, tenant, readable, signal });
  const [documentId] = ending;
  if (documentId === undefined) throw unknownItem(item, near);
  if (ending.length > 1) throw await ambiguous(item, ending, reader);
  return { documentId };
}

const plainPath = (item: string): string => item.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');

/** Names that an item may mean, those first that leave least to doubt. */
function namesOf(item: string, sources: readonly string[]): string[][] {
  const inAll = (nameIn: (source: string) => string): string[] => sources.map(nameIn);
  const number = /^(?:AB)?#?(\d{1,9})$/.exec(item)?.[1];
  const url = urlName(item);
  const path = plainPath(item);
  const ends = [...path.matchAll(/(?:^|\/)(?=[^/])/g)].map(({ index, 0: slash }) =>
    path.slice(index + slash.length),
  );
  return [
    ...(url === undefined ? [] : [[url]]),
    ...(WHOLE_KEY.test(item) ? [[keyName(item)]] : []),
    inAll((source) => pathName(source, item)),
    ...(number === undefined ? [] : [inAll((source) => numberName(source, number))]),
    ...ends.map((end) => inAll((source) => pathName(source, end))),
    ...ends.map((end) => inAll((source) => pageName(source, end))),
  ];
}

const unknownItem = (item: string, near: readonly string[]): RAGError =>
  new RAGError(
    'DOCUMENT_NOT_FOUND',
    `Nothing that may be read here is called "${item}".${near.length === 0 ? '' : ` Nearly so: ${near.join(', ')}.`} Give the id of a result, a path inside of its source, or the key of an item.`,
  );

async function ambiguous(item: string, ids: readonly string[], reader: GenerationReader): Promise<RAGError> {
  const described = [...(await describe(ids, reader)).values()].slice(0, NAMED);
  const names = described.map(({ id, externalId, source }) => `${externalId} of ${source} (${id})`);
  const more = ids.length > NAMED ? `, and ${ids.length - NAMED} more` : '';
  return new RAGError(
    'USAGE',
    `"${item}" is the name of ${ids.length} documents: ${names.join(', ')}${more}. Give the id of one of them.`,
  );
}

/** Documents that the scope may read, as people know them. */
async function describe(
  ids: readonly string[],
  reader: GenerationReader,
): Promise<Map<string, RelatedResponse['item']>> {
  const found = await Promise.all([...new Set(ids)].map((id) => reader.document(id)));
  return new Map(
    found.flatMap((document) => {
      if (document === undefined) return [];
      const { documentId: id, source, externalId, title, metadata } = document;
      const url = typeof metadata.url === 'string' ? metadata.url : undefined;
      return [[id, { id, source, externalId, title, url }] as const];
    }),
  );
}
