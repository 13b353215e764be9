import { RAGError } from '../index.js';
import { inertName } from './output/place.js';
import { findDocument } from './tools/find-document.js';
import { readDocument } from './tools/get-document.js';
import type { ToolContext } from './tools/tool.js';

const SCHEME = 'ragstone://document/';
const PAGE = 100;

/** What an address of a resource looks like. */
export const DOCUMENT_TEMPLATE = {
  uriTemplate: `${SCHEME}{id}`,
  name: 'document',
  title: 'Indexed document',
  description: 'A document by its document_id. A long one comes in part; the tool get_document reads on.',
  mimeType: 'text/markdown',
};

/** Documents a page at a time. */
export async function listResources(cursor: string | undefined, { index }: ToolContext) {
  const page = await index.list({ cursor, limit: PAGE });
  return {
    resources: page.documents.map(({ id, externalId, title }) => ({
      uri: `${SCHEME}${encodeURIComponent(id)}`,
      name: inertName(externalId),
      ...(title === undefined ? {} : { title: inertName(title) }),
      mimeType: 'text/markdown',
    })),
    ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }),
  };
}

/** Throws a RAGError for an address of nothing that may be read. */
export async function readResource(uri: string, context: ToolContext) {
  const document = await findDocument(idOf(uri), context);
  const { text } = await readDocument(document, { start: 0, end: document.text.length }, context);
  return { contents: [{ uri, mimeType: 'text/markdown', text }] };
}

function idOf(uri: string): string {
  try {
    if (uri.startsWith(SCHEME)) return decodeURIComponent(uri.slice(SCHEME.length));
  } catch {
    // Not an address of ours either.
  }
  throw new RAGError(
    'QUERY_INVALID',
    `An address of a document begins with ${SCHEME} and holds its document_id.`,
  );
}
