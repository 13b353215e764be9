import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { idText, jsonOf, problemResponses, takeFilters } from '../schemas/common.js';
import { facetsRequest, facetsResponse } from '../schemas/facets.js';
import { documentPage, documentText, listQuery } from '../schemas/index-state.js';
import { countFacets } from './count-facets.js';
import { deleteOne, documentNotFound } from './knowledge-routes.js';

const tags = ['Documents'];
const idParams = z.object({ id: idText() });

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
    async (request) => {
      const document = await contextOf(request).view.get(request.params.id);
      if (document === undefined) throw documentNotFound();
      return document;
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
