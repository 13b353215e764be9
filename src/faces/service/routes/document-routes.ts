import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import type { DocumentRequest, DocumentText } from '../../../index.js';
import { ROUTES } from '../../client/routes.js';
import { idText, jsonOf, takeFilters } from '../schemas/common.js';
import { passagesPage, passagesQuery, versionsResponse } from '../schemas/documents.js';
import { facetsRequest, facetsResponse } from '../schemas/facets.js';
import { documentPage, documentText, listQuery } from '../schemas/index-state.js';
import { countFacets } from './count-facets.js';
import { documentNotFound, serveDeletion } from './knowledge-routes.js';
import { type CallOf, serve } from './serve.js';

const tags = ['Documents'];
const idParams = z.object({ id: idText });

const BYTES = 'application/octet-stream';

const alone = (name: string | undefined) => (name === undefined ? undefined : [name]);

/** Throws `DOCUMENT_NOT_FOUND`. */
async function documentOf(
  { params: { id }, view, signal }: CallOf<z.output<typeof idParams>>,
  wanted: Omit<DocumentRequest, 'id' | 'signal'>,
): Promise<DocumentText> {
  const document = await view.get({ id, ...wanted, signal });
  if (document === undefined) throw documentNotFound();
  return document;
}

/** Documents of every source, as the caller may read them. */
export const documentRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.listDocuments,
    access: 'read',
    tags,
    summary: 'List documents, a page at a time',
    query: listQuery,
    response: jsonOf('Documents in the order of their ids.', documentPage),
    answer: async ({ query: { source, documentType, tag, ...page }, view }) => {
      const filters = { sources: alone(source), documentTypes: alone(documentType), tags: alone(tag) };
      return view.list(takeFilters({ ...page, ...filters }));
    },
  });

  serve(app, {
    route: ROUTES.facets,
    access: 'read',
    limit: 'ai-search',
    tags,
    summary: 'Which values there are to filter by, and how many documents have each',
    body: facetsRequest,
    response: jsonOf('Counts of what the caller may read.', facetsResponse),
    answer: async ({ body, view, signal }) => countFacets(view, { ...takeFilters(body), signal }),
  });

  serve(app, {
    route: ROUTES.getDocument,
    access: 'read',
    tags,
    summary: 'A document with its text',
    params: idParams,
    response: jsonOf('The document as it is indexed.', documentText),
    answer: async (call) => documentOf(call, {}),
  });

  serve(app, {
    route: ROUTES.documentPassages,
    access: 'read',
    tags,
    summary: 'How a document is cut into passages',
    params: idParams,
    query: passagesQuery,
    response: jsonOf('A page of them.', passagesPage),
    answer: async (call) => {
      const { passages } = await documentOf(call, { passages: call.query });
      return passages ?? { passages: [] };
    },
  });

  serve(app, {
    route: ROUTES.documentVersions,
    access: 'read',
    tags,
    summary: 'What history keeps of a document, as far as the caller may read it',
    params: idParams,
    response: jsonOf('Its versions.', versionsResponse),
    answer: async (call) => {
      const { versions } = await documentOf(call, { versions: true });
      return versions ?? { isKept: false, versions: [] };
    },
  });

  serve(app, {
    route: ROUTES.documentOriginal,
    access: 'read',
    tags,
    summary: 'The bytes of a document as its source has them',
    params: idParams,
    response: {
      description: 'An attachment, of no type that a browser runs; `x-media-type` says what it is.',
      content: { [BYTES]: { schema: z.string().meta({ format: 'binary' }) } },
    },
    answer: async (call) => {
      const { original } = await documentOf(call, { original: true });
      if (original === undefined) throw documentNotFound();
      const { name, mediaType, content } = original;
      return (
        call.reply
          .type(BYTES)
          .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('x-media-type', mediaType.replaceAll(/[^\x20-\x7e]/g, ''))
          // Bytes are sent as they are.
          .send(Buffer.from(content))
      );
    },
  });

  serveDeletion(app, ROUTES.deleteDocument, tags);
};
