import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import { type EngineView, RAGError } from '../../../index.js';
import { ROUTES, type Route } from '../../client/routes.js';
import { MOST_DOCUMENT_BYTES } from '../requests/body-limits.js';
import { assertTenant, writeOnce } from '../requests/request-context.js';
import { idText, jsonOf, stated, takeFilters } from '../schemas/common.js';
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
import { serve } from './serve.js';

const tags = ['Knowledge'];
const idParams = z.object({ id: idText });

/** Search, index, delete and embed, as `RagEndpoints` of the knowledge service has them. */
export const knowledgeRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.search,
    access: 'read',
    limit: 'ai-search',
    tags,
    summary: 'Find passages by words, meaning and names',
    body: ragSearchRequest,
    response: jsonOf('Passages, best first.', ragSearchResponse),
    answer: async ({ body, context, view, signal, request }) => {
      const { query, filters, asOf, ...options } = takeFilters(body);
      const found = await view.search({
        ...{ text: query, filters, asOf, signal },
        // The way is a part of the explanation.
        options: stated({ ...options, explainScore: options.mode === 'graph' }),
      });
      return {
        ...found,
        requestId: request.id,
        results: found.results.map((result) =>
          toRagResult(result, { tenantId: view.scope.tenant, deployment: context.deployment }),
        ),
      };
    },
  });

  serve(app, {
    route: ROUTES.indexDocument,
    access: 'write',
    bodyLimit: MOST_DOCUMENT_BYTES,
    tags,
    summary: 'Index a document, or replace the one of its id',
    body: knowledgeDocumentInput,
    response: jsonOf('It is indexed: the next search finds it.', knowledgeDocument),
    answer: async ({ body: document, context, request }) => {
      assertDeployment(document, context.deployment);
      assertReadableBy(context.principal.scope, document);
      const pushed = toPushed(document, { text: document.content });
      await writeOnce(request, () => pushOne(pushed, context));
      return toIndexed(document, {
        tenantId: context.principal.scope.tenant,
        deployment: context.deployment,
      });
    },
  });

  serve(app, {
    route: ROUTES.indexDocuments,
    access: 'write',
    limit: 'ai-batch',
    bodyLimit: MOST_DOCUMENT_BYTES,
    tags,
    summary: 'Index many documents',
    body: batchRequest,
    response: jsonOf('What became of each document, in their order.', batchResponse),
    answer: async ({ body, context, request }) => {
      const { documents } = body;
      // A document names its tenant itself, or the batch does for all of them.
      for (const document of documents) {
        assertTenant(document.tenantId, context);
        assertDeployment(document, context.deployment);
        assertReadableBy(context.principal.scope, document);
      }
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
  });

  serveDeletion(app, ROUTES.deleteKnowledgeDocument, tags);

  serve(app, {
    route: ROUTES.deleteParts,
    access: 'write',
    tags,
    summary: 'Delete every document that was indexed as a part of another one',
    params: idParams,
    response: jsonOf('How many were deleted.', deletedParts),
    answer: async ({ params, view, signal, request }) => {
      return writeOnce(request, async () => ({
        deleted: await deleteParts(params.id, view, signal),
      }));
    },
  });

  serve(app, {
    route: ROUTES.embed,
    access: 'read',
    tags,
    summary: 'The vector of a text, by the model of the index',
    body: embeddingRequest,
    response: jsonOf('A vector of unit length.', embeddingResponse),
    answer: async ({ body, view, signal }) => {
      const { text, kind } = body;
      const { model, dimensions, vectors } = await view.embed({ texts: [text], kind, signal });
      return { embedding: [...(vectors[0] ?? [])], model, dimensions };
    },
  });
};

/** Deletion of a document by its id, under whichever path. */
export const serveDeletion = (app: FastifyInstance, route: Route, tags: string[]): void =>
  serve(app, {
    route,
    access: 'write',
    tags,
    summary: 'Delete a document',
    params: idParams,
    status: 204,
    response: z.null().describe('It is deleted.'),
    answer: async ({ params, view, request, reply }) => {
      await writeOnce(request, () => deleteOne(params.id, view));
      return reply.code(204).send(null);
    },
  });

/** What the caller may not read is as absent as what is not there. Throws `DOCUMENT_NOT_FOUND`. */
async function deleteOne(id: string, view: EngineView): Promise<void> {
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
