import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { DocumentRequest, DocumentText } from '../../../index.js';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { idText, jsonOf, problemResponses, takeFilters } from '../schemas/common.js';
import { passagesPage, passagesQuery, versionsResponse } from '../schemas/documents.js';
import { facetsRequest, facetsResponse } from '../schemas/facets.js';
import { documentPage, documentText, listQuery } from '../schemas/index-state.js';
import { countFacets } from './count-facets.js';
import { deleteOne, documentNotFound } from './knowledge-routes.js';

const tags = ['Documents'];
const idParams = z.object({ id: idText() });

const BYTES = 'application/octet-stream';

/** Throws `DOCUMENT_NOT_FOUND`. */
async function documentOf(
  request: FastifyRequest<{ Params: { id: string } }>,
  wanted: Omit<DocumentRequest, 'id' | 'signal'>,
): Promise<DocumentText> {
  const { view, signal } = contextOf(request);
  const document = await view.get({ id: request.params.id, ...wanted, signal });
  if (document === undefined) throw documentNotFound();
  return document;
}

/** Documents of every source, as the caller may read them. */
export const documentRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get(
    '/documents',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'List documents, a page at a time',
        querystring: listQuery,
        response: { 200: jsonOf('Documents in the order of their ids.', documentPage), ...problemResponses },
      },
    },
    async (request) => {
      const { view } = contextOf(request);
      const { cursor, limit, source, documentType, tag } = request.query;
      return view.list({
        cursor,
        limit,
        filters: {
          ...(source === undefined ? {} : { source: [source] }),
          ...(documentType === undefined ? {} : { sourceType: [documentType] }),
          ...(tag === undefined ? {} : { tags: [tag] }),
        },
      });
    },
  );

  app.post(
    '/facets',
    {
      config: { access: 'read', limit: 'ai-search' },
      schema: {
        tags,
        summary: 'Which values there are to filter by, and how many documents have each',
        body: facetsRequest,
        response: { 200: jsonOf('Counts of what the caller may read.', facetsResponse), ...problemResponses },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { limit, tenantId, filters } = takeFilters(request.body);
      assertTenant(tenantId, context);
      return countFacets(context.view, { limit, filters, signal: context.signal });
    },
  );

  app.get(
    '/documents/:id',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'A document with its text',
        params: idParams,
        response: { 200: jsonOf('The document as it is indexed.', documentText), ...problemResponses },
      },
    },
    (request) => documentOf(request, {}),
  );

  app.get(
    '/documents/:id/passages',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'How a document is cut into passages',
        params: idParams,
        querystring: passagesQuery,
        response: { 200: jsonOf('A page of them.', passagesPage), ...problemResponses },
      },
    },
    async (request) => {
      const { passages } = await documentOf(request, { passages: request.query });
      return passages ?? { passages: [] };
    },
  );

  app.get(
    '/documents/:id/versions',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'What history keeps of a document, as far as the caller may read it',
        params: idParams,
        response: { 200: jsonOf('Its versions.', versionsResponse), ...problemResponses },
      },
    },
    async (request) => {
      const { versions } = await documentOf(request, { versions: true });
      return versions ?? { isKept: false, versions: [] };
    },
  );

  app.get(
    '/documents/:id/original',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'The bytes of a document as its source has them',
        params: idParams,
        response: {
          200: {
            description: 'An attachment, of no type that a browser runs; `x-media-type` says what it is.',
            content: { [BYTES]: { schema: z.string().meta({ format: 'binary' }) } },
          },
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { original } = await documentOf(request, { original: true });
      if (original === undefined) throw documentNotFound();
      const { name, mediaType, content } = original;
      return (
        reply
          .type(BYTES)
          .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('x-media-type', mediaType.replaceAll(/[^\x20-\x7e]/g, ''))
          // Bytes are sent as they are.
          .send(Buffer.from(content) as unknown as string)
      );
    },
  );

  app.delete(
    '/documents/:id',
    {
      config: { access: 'write' },
      schema: {
        tags,
        summary: 'Delete a document',
        params: idParams,
        response: { 204: z.null().describe('It is deleted.'), ...problemResponses },
      },
    },
    async (request, reply) => {
      await writeOnce(request, () => deleteOne(request.params.id, contextOf(request).view));
      return reply.code(204).send(null);
    },
  );
};
