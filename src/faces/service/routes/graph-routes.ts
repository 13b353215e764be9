import type { FastifyPluginAsync } from 'fastify';
import { ROUTES } from '../../client/routes.js';
import { jsonOf } from '../schemas/common.js';
import { relatedRequest, relatedResponse } from '../schemas/graph.js';
import { serve } from './serve.js';

/** What is connected with what, as far as the caller may read it. */
export const graphRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.related,
    access: 'read',
    limit: 'ai-search',
    tags: ['Documents'],
    summary: 'Documents that are connected with one, and how',
    body: relatedRequest,
    response: jsonOf('Connected documents, each with the way that leads to it.', relatedResponse),
    answer: async ({ body, view, signal, request }) => {
      const { ...asked } = body;
      const found = await view.related({ ...asked, signal: signal });
      return { ...found, requestId: request.id };
    },
  });
};
