import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import { withoutUndefined } from '../../../core/without-undefined.js';
import { ROUTES } from '../../client/routes.js';
import type { IndexRuns } from '../index-runs.js';
import { EVENT_STREAM, type SentEvent, sendEvents } from '../requests/event-stream.js';
import { writeOnce } from '../requests/request-context.js';
import { jsonOf } from '../schemas/common.js';
import {
  failuresPage,
  failuresQuery,
  indexRun,
  runRequest,
  runsState,
  stoppedRuns,
} from '../schemas/runs.js';
import { WRITER_WAIT_MS } from './maintenance-routes.js';
import { serve } from './serve.js';

const tags = ['Maintenance'];

/** Runs that are begun by a request and go on without it, how they go, and what failed. */
export const runRoutes: FastifyPluginAsync<{ readonly runs: IndexRuns }> = async (app, { runs }) => {
  serve(app, {
    route: ROUTES.startRun,
    access: 'maintain',
    tags,
    summary: 'Begin to bring the index in step with its sources, without waiting for the end',
    body: runRequest,
    status: 202,
    response: jsonOf('It begins, or the same one is under way.', indexRun),
    answer: async ({ body, view, request, reply }) => {
      const { sources, retry } = body;
      const run = await writeOnce(request, async () =>
        runs.start(view.scope, { sources, retry }, ({ signal, onProgress }) => {
          const what = { ...withoutUndefined({ sources }), onProgress, signal };
          return retry === true
            ? view.retry({ ...what, waitMs: WRITER_WAIT_MS })
            : view.index({ ...what, options: { waitMs: WRITER_WAIT_MS } });
        }),
      );
      return reply.code(202).send(run);
    },
  });

  serve(app, {
    route: ROUTES.stopRuns,
    access: 'maintain',
    tags,
    summary: 'Stop the runs that requests began; what they wrote stays',
    response: jsonOf('How many there were.', stoppedRuns),
    answer: async ({ view, request }) => writeOnce(request, async () => ({ stopped: runs.stop(view.scope) })),
  });

  serve(app, {
    route: ROUTES.runEvents,
    access: 'maintain',
    tags,
    summary: 'How runs of this service go, as it changes',
    response: {
      description: 'Events `runs`, each the whole state (`RunsState`), the present one first.',
      content: { [EVENT_STREAM]: { schema: z.string() } },
    },
    answer: async ({ view, signal, request, reply }) => {
      async function* events(): AsyncGenerator<SentEvent> {
        for await (const state of runs.follow(view.scope, signal))
          yield { name: 'runs', data: runsState.parse({ runs: state }) };
      }
      return sendEvents(events(), { request, reply });
    },
  });

  serve(app, {
    route: ROUTES.failures,
    access: 'maintain',
    tags,
    summary: 'Items that could not be indexed, and when each is tried again',
    query: failuresQuery,
    response: jsonOf('Worst first, a page at a time.', failuresPage),
    answer: async ({ query, view }) => {
      const { source, cursor = '0', limit } = query;
      const all = await view.failures();
      const failures = all.filter((one) => source === undefined || one.source === source);
      const [start, end] = [Number(cursor), Number(cursor) + limit];
      return {
        failures: failures.slice(start, end),
        total: failures.length,
        ...(end < failures.length ? { cursor: String(end) } : {}),
      };
    },
  });
};
