import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import * as z from 'zod';
import type { IndexRuns } from '../index-runs.js';
import { EVENT_STREAM, type SentEvent, sendEvents } from '../requests/event-stream.js';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { jsonOf, problemResponses } from '../schemas/common.js';
import {
  failuresPage,
  failuresQuery,
  indexRun,
  runRequest,
  runsState,
  stoppedRuns,
} from '../schemas/runs.js';
import { WRITER_WAIT_MS } from './maintenance-routes.js';

const tags = ['Maintenance'];

/** Runs that are begun by a request and go on without it, how they go, and what failed. */
export const runRoutes: FastifyPluginAsyncZod<{ readonly runs: IndexRuns }> = async (app, { runs }) => {
  app.post(
    '/runs',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Begin to bring the index in step with its sources, without waiting for the end',
        body: runRequest,
        response: {
          202: jsonOf('It begins, or the same one is under way.', indexRun),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const context = contextOf(request);
      const { sources, retry, tenantId } = request.body;
      assertTenant(tenantId, context);
      const { view } = context;
      const run = await writeOnce(request, async () =>
        runs.start(view.scope, { sources, retry }, ({ signal, onProgress }) => {
          const what = { ...(sources === undefined ? {} : { sources }), onProgress, signal };
          return retry === true
            ? view.retry({ ...what, waitMs: WRITER_WAIT_MS })
            : view.index({ ...what, options: { waitMs: WRITER_WAIT_MS } });
        }),
      );
      return reply.code(202).send(run);
    },
  );

  app.delete(
    '/runs',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Stop the runs that requests began; what they wrote stays',
        response: { 200: jsonOf('How many there were.', stoppedRuns), ...problemResponses },
      },
    },
    async (request) =>
      writeOnce(request, async () => ({ stopped: runs.stop(contextOf(request).view.scope) })),
  );

  app.get(
    '/runs/events',
    {
      config: { access: 'maintain', isLong: true },
      schema: {
        tags,
        summary: 'How runs of this service go, as it changes',
        response: {
          200: {
            description: 'Events `runs`, each the whole state (`RunsState`), the present one first.',
            content: { [EVENT_STREAM]: { schema: z.string() } },
          },
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { view, signal } = contextOf(request);
      async function* events(): AsyncGenerator<SentEvent> {
        for await (const state of runs.follow(view.scope, signal))
          yield { name: 'runs', data: runsState.parse({ runs: state }) };
      }
      return sendEvents(events(), { request, reply });
    },
  );

  app.get(
    '/failures',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Items that could not be indexed, and when each is tried again',
        querystring: failuresQuery,
        response: { 200: jsonOf('Worst first, a page at a time.', failuresPage), ...problemResponses },
      },
    },
    async (request) => {
      const { source, cursor = '0', limit } = request.query;
      const all = await contextOf(request).view.failures();
      const failures = all.filter((one) => source === undefined || one.source === source);
      const [start, end] = [Number(cursor), Number(cursor) + limit];
      return {
        failures: failures.slice(start, end),
        total: failures.length,
        ...(end < failures.length ? { cursor: String(end) } : {}),
      };
    },
  );
};
