import type * as z from 'zod';
import { withoutUndefined } from '../../../core/without-undefined.js';
import {
  type DeploymentReference,
  EVERYONE,
  type PushedDocument,
  RAGError,
  type ScopeInput,
  type SearchResult,
} from '../../../index.js';
import type { KnowledgeDocumentInput, knowledgeDocument, ragSearchResult } from '../schemas/knowledge.js';

/** Keys of the metadata under which a knowledge document keeps what the engine has no place for. */
const ID = 'knowledgeId';
/** What `DELETE .../source/ID` compares. */
export const PARENT = 'sourceDocumentId';
const POSITION = 'knowledgePosition';
const COUNT = 'knowledgeCount';
/** The engine makes fields of what is in there. */
const BLOB = 'knowledgeMetadata';
/** What of it has a name that means something else, or is a text. */
const REST = 'knowledgeRest';
/** Of a file, whose own title is the document's. */
const NAME = 'knowledgeName';

/** A document without its content. */
type KnowledgeFields = Omit<KnowledgeDocumentInput, 'content'>;

/** Throws `REQUEST_INVALID` for a document without any id. */
export function idOf({ id, documentId, chunkIndex }: KnowledgeFields): string {
  if (id !== undefined) return id;
  if (documentId === undefined)
    throw new RAGError('REQUEST_INVALID', 'A document needs `id` or `documentId`.');
  return chunkIndex === undefined ? documentId : `${documentId}:${chunkIndex}`;
}

/** The document as the engine indexes it. */
export function toPushed(
  document: KnowledgeFields,
  content: Pick<PushedDocument, 'text' | 'bytes' | 'fileName'>,
): PushedDocument {
  const id = idOf(document);
  const {
    documentId = id,
    documentName,
    documentType,
    chunkIndex,
    chunkCount,
    tags,
    metadata,
    access,
  } = document;
  const { createdAt, updatedAt } = document;
  const kept = {
    [ID]: id,
    [PARENT]: documentId,
    sourceType: documentType,
    tags,
    [POSITION]: chunkIndex,
    [COUNT]: chunkCount,
    [BLOB]: metadata,
    [NAME]: content.fileName === undefined ? undefined : documentName,
    createdAt: createdAt && new Date(createdAt).toISOString(),
    updatedAt: updatedAt && new Date(updatedAt).toISOString(),
  };
  return { id, ...content, title: documentName, metadata: withoutUndefined(kept), access };
}

/** Throws `REQUEST_INVALID` where two documents of a request would be one. */
export function assertDistinct(ids: readonly string[]): void {
  if (new Set(ids).size < ids.length)
    throw new RAGError('REQUEST_INVALID', 'Two of the documents have the same id.');
}

/** Callers may not shut themselves out of a document that they restrict. Throws `FORBIDDEN`. */
export function assertReadableBy(
  { groups: own = [], clearance = 0 }: ScopeInput,
  { access: { groups = [], level = 0 } = {} }: Pick<KnowledgeFields, 'access'>,
): void {
  const foreign = groups.find((group) => group !== EVERYONE && !own.includes(group));
  if (foreign !== undefined)
    throw new RAGError(
      'FORBIDDEN',
      `The key or token is not of the group ${JSON.stringify(foreign)} that \`access.groups\` names. Name groups of its own, or leave them out.`,
    );
  if (level > clearance)
    throw new RAGError(
      'FORBIDDEN',
      `The level ${level} of \`access\` is above the clearance of the key or token, ${clearance}. State one up to that.`,
    );
}

/** What a caller is told that was indexed. */
export function toIndexed(
  document: KnowledgeDocumentInput,
  { tenantId, deployment }: { readonly tenantId: string; readonly deployment: DeploymentReference },
): z.infer<typeof knowledgeDocument> {
  const id = idOf(document);
  return { ...document, ...deployment, id, documentId: document.documentId ?? id, tenantId };
}

/** Who states where a document is to be kept must not find it kept elsewhere. Throws `REQUEST_INVALID`. */
export function assertDeployment(
  { deploymentId, deploymentModel }: Pick<KnowledgeFields, 'deploymentId' | 'deploymentModel'>,
  deployment: DeploymentReference,
): void {
  const stated = { deploymentId, deploymentModel };
  for (const key of ['deploymentId', 'deploymentModel'] as const)
    if (stated[key] !== undefined && stated[key] !== deployment[key])
      throw new RAGError(
        'REQUEST_INVALID',
        `The tenant's documents are kept with ${key} ${JSON.stringify(deployment[key])}. State that, or leave it out.`,
      );
}

/** A passage under the names of the index schema; of documents that came another way, what they have. */
export function toRagResult(
  { id, content, score, metadata, explanation }: SearchResult,
  { tenantId, deployment }: { readonly tenantId: string; readonly deployment: DeploymentReference },
): z.infer<typeof ragSearchResult> {
  const documentId = textOf(metadata.documentId) ?? id;
  const own = textOf(metadata[ID]) ?? documentId;
  const { tags } = metadata;
  return {
    tenantId,
    ...deployment,
    id: own,
    chunkId: id,
    documentId: textOf(metadata[PARENT]) ?? own,
    documentName: textOf(metadata[NAME]) ?? metadata.title,
    documentType: metadata.sourceType,
    chunkIndex: wholeOf(metadata[POSITION]) ?? wholeOf(metadata.chunkIndex),
    chunkCount: wholeOf(metadata[COUNT]) ?? wholeOf(metadata.chunkTotal),
    content,
    score,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    metadata: statedMetadata(metadata),
    source: metadata.source,
    lines: metadata.lines,
    path: explanation?.path,
    createdAt: dateOf(metadata.createdAt),
    updatedAt: dateOf(metadata.updatedAt),
  };
}

/** Names of a passage's metadata that are no field of the caller's. */
const OF_RESULTS: ReadonlySet<string> = new Set([
  ...[ID, PARENT, POSITION, COUNT, BLOB, REST, NAME],
  ...['documentId', 'title', 'source', 'sourceType', 'url', 'tags', 'createdAt', 'updatedAt', 'redactions'],
  ...['lines', 'offsets', 'headingPath', 'pages', 'symbols', 'gap', 'revision', 'chunkIndex', 'chunkTotal'],
]);

/** The metadata as a caller stated it, or as the document itself states its fields. */
function statedMetadata(metadata: SearchResult['metadata']): unknown {
  const fields = Object.fromEntries(Object.entries(metadata).filter(([name]) => !OF_RESULTS.has(name)));
  const { [REST]: rest } = metadata;
  if (rest === undefined) return Object.keys(fields).length === 0 ? undefined : fields;
  if (typeof rest !== 'string') return { ...fields, ...Object(rest) };
  // A text whose fields were taken out is one again; another one stands for itself.
  const others = objectOf(rest);
  return others === undefined ? rest : JSON.stringify({ ...fields, ...others });
}

function objectOf(text: string): object | undefined {
  try {
    return text.startsWith('{') ? (JSON.parse(text) as object) : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const wholeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;

/** A source may give a date that is none. */
const dateOf = (date: Date | undefined): string | undefined =>
  date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
