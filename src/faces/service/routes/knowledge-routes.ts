import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { type EngineView, RAGError } from '../../../index.js';
import { MOST_DOCUMENT_BYTES } from '../requests/body-limits.js';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { idText, jsonOf, problemResponses, takeFilters } from '../schemas/common.js';
import {
  batchRequest,
  batchResponse,
  deletedParts,
  embeddingRequest,
  embeddingResponse,
  knowledgeDocument,
  knowledgeDocumentInput,
  ragSearchRequest,
  ragSearchResponse,
} from '../schemas/knowledge.js';
import { everyDocument } from './count-facets.js';
import {
  assertDeployment,
  assertDistinct,
  assertReadableBy,
  idOf,
  PARENT,
  toIndexed,
  toPushed,
  toRagResult,
} from './knowledge-document.js';
import { pushAll, pushOne } from './push-documents.js';

const tags = ['Knowledge'];
const idParams = z.object({ id: idText() });

/** Search, index, delete and embed, as `RagEndpoints` of the knowledge service has them. */
export const knowledgeRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/search',
    {
      config: { access: 'read', limit: 'ai-search' },
      schema: {
        tags,
        summary: 'Find passages by words, meaning and names',
        body: ragSearchRequest,
        response: { 200: jsonOf('Passages, best first.', ragSearchResponse), ...problemResponses },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { query, topK, minScore, mode, hops, deadlineMs, maxCost, asOf, tenantId, filters } = takeFilters(
        request.body,
      );
      assertTenant(tenantId, context);
      const found = await context.view.search({
        text: query,
        topK,
        filters,
        ...(asOf === undefined ? {} : { asOf }),
        options: {
          minScore,
          ...(mode === undefined ? {} : { mode }),
          ...(hops === undefined ? {} : { hops }),
          // The way is a part of the explanation.
          explainScore: mode === 'graph',
          ...(deadlineMs === undefined ? {} : { deadlineMs }),
          ...(maxCost === undefined ? {} : { maxCost }),
        },
        signal: context.signal,
      });
      return {
        ...found,
        requestId: request.id,
        results: found.results.map((result) => toRagResult(result, context.deployment)),
      };
    },
  );

  app.post(
    '/index',
    {
      bodyLimit: MOST_DOCUMENT_BYTES,
      config: { access: 'write' },
      schema: {
        tags,
        summary: 'Index a document, or replace the one of its id',
        body: knowledgeDocumentInput,
        response: {
          200: jsonOf('It is indexed: the next search finds it.', knowledgeDocument),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const document = request.body;
      assertTenant(document.tenantId, context);
      assertDeployment(document, context.deployment);
      assertReadableBy(context.principal.scope, document);
      const pushed = toPushed(document, { text: document.content });
      await writeOnce(request, () => pushOne(pushed, context));
      return toIndexed(document, {
        tenantId: context.principal.scope.tenant,
        deployment: context.deployment,
      });
    },
  );

  app.post(
    '/index/batch',
    {
      bodyLimit: MOST_DOCUMENT_BYTES,
      config: { access: 'write', limit: 'ai-batch' },
      schema: {
        tags,
        summary: 'Index many documents',
        body: batchRequest,
        response: {
          200: jsonOf('What became of each document, in their order.', batchResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { tenantId, documents } = request.body;
      // A document names its tenant itself, or the batch does for all of them.
      for (const document of documents) {
        assertTenant(document.tenantId ?? tenantId, context);
        assertDeployment(document, context.deployment);
        assertReadableBy(context.principal.scope, document);
      }
      assertTenant(tenantId, context);
      assertDistinct(documents.map(idOf));
      return writeOnce(request, async () => {
        const outcomes = await pushAll(
          documents.map((document) => toPushed(document, { text: document.content })),
          context,
        );
        const failed = outcomes.filter(({ error }) => error !== undefined).length;
        return {
          results: outcomes.map(({ id, error }) => ({
            id,
            success: error === undefined,
            error: error && { reason: error.reason, message: error.message },
          })),
          indexed: outcomes.length - failed,
          failed,
        };
      });
    },
  );

  app.delete(
    '/:id',
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
      const { view } = contextOf(request);
      await writeOnce(request, () => deleteOne(request.params.id, view));
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/source/:id',
    {
      config: { access: 'write' },
      schema: {
        tags,
        summary: 'Delete every document that was indexed as a part of another one',
        params: idParams,
        response: {
          200: jsonOf('How many were deleted.', deletedParts),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { view, signal } = contextOf(request);
      return writeOnce(request, async () => ({
        deleted: await deleteParts(request.params.id, view, signal),
      }));
    },
  );

  app.post(
    '/embedding',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'The vector of a text, by the model of the index',
        body: embeddingRequest,
        response: { 200: jsonOf('A vector of unit length.', embeddingResponse), ...problemResponses },
      },
    },
    async (request) => {
      const { view, signal } = contextOf(request);
      const { text, kind } = request.body;
      const { model, dimensions, vectors } = await view.embed({ texts: [text], kind, signal });
      return { embedding: [...(vectors[0] ?? [])], model, dimensions };
    },
  );
};

/** What the caller may not read is as absent as what is not there. Throws `DOCUMENT_NOT_FOUND`. */
export async function deleteOne(id: string, view: EngineView): Promise<void> {
  if ((await view.delete([id])) === 0) throw documentNotFound();
}

export const documentNotFound = (): RAGError =>
  new RAGError('DOCUMENT_NOT_FOUND', 'There is no document of this id.');

async function deleteParts(parent: string, view: EngineView, signal: AbortSignal): Promise<number> {
  const filters = { metadata: { [PARENT]: parent } };
  const parts: string[] = [];
  for await (const { id } of everyDocument(view, { filters, signal })) parts.push(id);
  return view.delete(parts.length === 0 ? [parent] : parts);
}
