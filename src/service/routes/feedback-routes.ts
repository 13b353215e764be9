import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { RAGError } from '../../index.js';
import type { FeedbackLog } from '../feedback/feedback-log.js';
import type { ShownResults } from '../feedback/shown-results.js';
import { assertStatedTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import { feedbackId, feedbackPage, feedbackQuery, feedbackRequest } from '../schemas/feedback.js';

const tags = ['Feedback'];

export interface FeedbackRouteOptions {
  readonly feedback: FeedbackLog;
  readonly shown: ShownResults;
}

/** What people say of what was shown, stored with it. */
export const feedbackRoutes: FastifyPluginAsyncZod<FeedbackRouteOptions> = async (
  app,
  { feedback, shown },
) => {
  app.post(
    '/feedback',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'Say whether a search or an answer helped',
        body: feedbackRequest,
        response: { 200: jsonOf('It is stored, with what was shown.', feedbackId), ...problemResponses },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { tenantId, ...stated } = request.body;
      assertStatedTenant(tenantId, context);
      const { principal } = context;
      const known = await shown.find({ principal, requestId: stated.requestId });
      if (known === undefined)
        throw new RAGError(
          'FEEDBACK_UNKNOWN',
          'Nothing that was shown to you is known under this `requestId`. Feedback is taken for an hour.',
        );
      if (stated.rank !== undefined && stated.rank > known.places.length)
        throw new RAGError('REQUEST_INVALID', 'body/rank: there was no such place.');
      return writeOnce(request, async () => {
        const { id } = await feedback.add(principal.scope.tenant, {
          ...known,
          ...stated,
          caller: principal.name,
        });
        return { id };
      });
    },
  );

  app.get(
    '/feedback',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'What was said, in the order in which it came',
        querystring: feedbackQuery,
        response: {
          200: jsonOf("The tenant's feedback, a page at a time.", feedbackPage),
          ...problemResponses,
        },
      },
    },
    async (request) => feedback.list(contextOf(request).principal.scope.tenant, request.query),
  );
};
