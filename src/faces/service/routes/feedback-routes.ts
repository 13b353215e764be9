import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { RAGError } from '../../../index.js';
import type { ShownResults } from '../feedback/shown-results.js';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import {
  feedbackId,
  feedbackJudgments,
  feedbackPage,
  feedbackQuery,
  feedbackRequest,
  judgmentsQuery,
} from '../schemas/feedback.js';

const tags = ['Feedback'];

export interface FeedbackRouteOptions {
  /** Undefined where no feedback is taken. */
  readonly shown: ShownResults | undefined;
}

/** What people opened of what they were shown, and say of it, stored with what the service itself showed them. */
export const feedbackRoutes: FastifyPluginAsyncZod<FeedbackRouteOptions> = async (app, { shown }) => {
  app.post(
    '/feedback',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'Say what was opened of a search or an answer, and whether it helped',
        body: feedbackRequest,
        response: { 200: jsonOf('It is stored, with what was shown.', feedbackId), ...problemResponses },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { tenantId, ...stated } = request.body;
      assertTenant(tenantId, context);
      const { principal, view, deployment, signal } = context;
      const known = await shown?.find({ principal, requestId: stated.requestId, deployment });
      // The engine says that feedback is off.
      if (shown === undefined) await view.listFeedback({ limit: 1 });
      if (known === undefined)
        throw new RAGError(
          'FEEDBACK_UNKNOWN',
          'Nothing that was shown to you is known under this `requestId`. Feedback is taken for an hour.',
        );
      const { kind, question, places } = known;
      const ranks = ['clicked', 'relevant', 'notRelevant'] as const;
      const named = [stated.rank ?? [], ...ranks.map((field) => stated[field] ?? [])].flat();
      if (named.some((rank) => rank > places.length))
        throw new RAGError('REQUEST_INVALID', `body: a rank is of no place; ${places.length} were shown.`);
      const shownPlaces = places.map(({ chunkIds, score }) => ({ chunkIds, score }));
      return writeOnce(request, async () => {
        const said = { ...stated, kind, query: question, shown: shownPlaces, caller: principal.name, signal };
        const { id } = await view.feedback(said).catch(asRequestError);
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
    async (request) => contextOf(request).view.listFeedback(request.query),
  );

  app.get(
    '/feedback/judgments',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Questions with graded passages, made of the feedback',
        querystring: judgmentsQuery,
        response: {
          200: jsonOf(
            'Questions as `ragstone eval --questions` takes them, and what they rest on.',
            feedbackJudgments,
          ),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { view, signal } = contextOf(request);
      return view.feedbackJudgments({ ...request.query, signal });
    },
  );
};

/** What the engine calls a wrong use is a wrong body here. */
function asRequestError(error: unknown): never {
  if (RAGError.isInstance(error) && error.reason === 'USAGE')
    throw new RAGError('REQUEST_INVALID', `body: ${error.message}`);
  throw error;
}
