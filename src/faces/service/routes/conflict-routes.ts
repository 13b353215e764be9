import type { FastifyPluginAsync } from 'fastify';
import { ROUTES } from '../../client/routes.js';
import { jsonOf } from '../schemas/common.js';
import { conflictsRequest, conflictsResponse } from '../schemas/conflicts.js';
import { serve } from './serve.js';

/** What documents say alike, and where they contradict each other, as far as the caller may read both. */
export const conflictRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.conflicts,
    // It compares all that may be read, which is work as that of an answer.
    access: 'read',
    limit: 'ai-answer',
    tags: ['Documents'],
    summary: 'Duplicates and conflicts between documents',
    body: conflictsRequest,
    response: jsonOf('Findings, the newer document of each first.', conflictsResponse),
    answer: async ({ body, view, signal, request }) => {
      const { ...asked } = body;
      const found = await view.conflicts({ ...asked, signal: signal });
      return { ...found, requestId: request.id };
    },
  });
};
