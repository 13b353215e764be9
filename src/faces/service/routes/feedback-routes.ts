import type { FastifyPluginAsync } from 'fastify';
import { RAGError } from '../../../index.js';
import { ROUTES } from '../../client/routes.js';
import type { ShownResults } from '../feedback/shown-results.js';
import { writeOnce } from '../requests/request-context.js';
import { jsonOf } from '../schemas/common.js';
import { feedbackId, feedbackRequest } from '../schemas/feedback.js';
import { serve } from './serve.js';

export interface FeedbackRouteOptions {
  /** Undefined where no feedback is taken. */
  readonly shown: ShownResults | undefined;
}

/** What people opened of what they were shown, and say of it, stored with what the service itself showed them. */
export const feedbackRoutes: FastifyPluginAsync<FeedbackRouteOptions> = async (app, { shown }) => {
  serve(app, {
    route: ROUTES.sendFeedback,
    access: 'read',
    tags: ['Feedback'],
    summary: 'Say what was opened of a search or an answer, and whether it helped',
    body: feedbackRequest,
    response: jsonOf('It is stored, with what was shown.', feedbackId),
    answer: async ({ body: stated, context: { principal, deployment }, view, signal, request }) => {
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
        throw new RAGError(
          'REQUEST_INVALID',
          `The body has a rank of no place: ${places.length} were shown.`,
        );
      const shownPlaces = places.map(({ chunkIds, score }) => ({ chunkIds, score }));
      return writeOnce(request, async () => {
        const said = { ...stated, kind, query: question, shown: shownPlaces, caller: principal.name, signal };
        const { id } = await view.feedback(said).catch(asRequestError);
        return { id };
      });
    },
  });
};

/** What the engine calls a wrong use is a wrong body here. */
function asRequestError(error: unknown): never {
  if (RAGError.isInstance(error) && error.reason === 'USAGE')
    throw new RAGError('REQUEST_INVALID', error.message);
  throw error;
}
