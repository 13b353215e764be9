import type { FastifyPluginAsync } from 'fastify';
import {
  type ComparedSide,
  compareSearches,
  type EngineView,
  type IndexStatus,
  RAGError,
  type SearchResult,
} from '../../../index.js';
import { ROUTES } from '../../client/routes.js';
import { failedSources, type IndexRuns } from '../index-runs.js';
import { writeOnce } from '../requests/request-context.js';
import { jsonOf, stated, takeFilters } from '../schemas/common.js';
import { compareRequest, compareResponse } from '../schemas/compare.js';
import {
  explainMissRequest,
  explainMissResponse,
  explainRequest,
  explainResponse,
  indexAllResponse,
  ownerQuery,
  runsResponse,
  sourcesResponse,
  statsResponse,
  statusResponse,
} from '../schemas/index-state.js';
import { serve } from './serve.js';

const tags = ['Maintenance'];

/** What is for maintainers of the index: it tells of everything in the tenant. */
export const maintenanceRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.explain,
    access: 'read',
    limit: 'ai-search',
    tags,
    summary: 'Find passages, with what each score is made of',
    body: explainRequest,
    response: jsonOf('Passages, the parts of their scores, and what each lane did.', explainResponse),
    answer: async ({ body, view, signal, request }) => {
      const { query, filters, asOf, ...options } = takeFilters(body);
      const found = await view.search({
        ...{ text: query, filters, asOf, signal },
        options: stated({ ...options, explainScore: true }),
      });
      return {
        ...found,
        requestId: request.id,
        results: found.results.map((result) => ({ ...result, ...placeOf(result) })),
      };
    },
  });

  serve(app, {
    route: ROUTES.compare,
    access: 'read',
    limit: 'ai-search',
    tags,
    summary: 'Search in two ways, for one question or a question set',
    body: compareRequest,
    response: jsonOf('What each way found, what moved, and how sure a difference is.', compareResponse),
    answer: async ({ body, context, view, signal }) => {
      const { query, questions, a, b, filters } = takeFilters(body);
      if ((query === undefined) === (questions === undefined))
        throw new RAGError('REQUEST_INVALID', 'The body needs one of `query` and `questions`.');
      if (questions !== undefined && !context.principal.permissions.includes('maintain'))
        throw new RAGError('FORBIDDEN', 'A question set needs the permission "maintain".');
      const { searches, scores } = await compareSearches(view, {
        questions: questions ?? [{ id: '1', question: query ?? '' }],
        a: stated({ topK: 10, ...a }),
        b: stated({ topK: 10, ...b }),
        ...{ filters, signal },
      });
      return { searches: searches.map((one) => ({ ...one, a: shown(one.a), b: shown(one.b) })), scores };
    },
  });

  serve(app, {
    route: ROUTES.explainMiss,
    access: 'maintain',
    tags,
    summary: 'Say which step lost a document that a query should find',
    body: explainMissRequest,
    response: jsonOf('Each step, and what would bring the document back.', explainMissResponse),
    answer: async ({ body, view, signal }) => {
      const { query, document, filters, ...options } = takeFilters(body);
      return view.explainMiss({ text: query, filters, options: stated(options), signal }, document);
    },
  });

  serve(app, {
    route: ROUTES.status,
    access: 'maintain',
    tags,
    summary: 'What is indexed, and what failed',
    query: ownerQuery,
    response: jsonOf('The index, as far as it is of the tenant.', statusResponse),
    answer: async ({ view }) => view.status(),
  });

  serve(app, {
    route: ROUTES.sources,
    access: 'maintain',
    tags,
    summary: 'Where documents come from, and how many of each',
    response: jsonOf('The sources of the tenant.', sourcesResponse),
    answer: async ({ view }) => {
      const status = await statusOrNothing(view);
      return { sources: status?.sources ?? [], following: status?.following };
    },
  });

  serve(app, {
    route: ROUTES.runs,
    access: 'maintain',
    tags,
    summary: 'The last index run, and when each source is read next',
    response: jsonOf('When it ran, and whether it succeeded.', runsResponse),
    answer: async ({ view }) => {
      const status = await statusOrNothing(view);
      return { lastRun: status?.lastRun, following: status?.following };
    },
  });
};

/** `POST /rag/index` and `GET /rag/stats`, with the bodies of a chat over bug reports. */
export const indexRoutes: FastifyPluginAsync<{ readonly runs: IndexRuns }> = async (app, { runs }) => {
  serve(app, {
    route: ROUTES.indexSources,
    access: 'maintain',
    tags,
    summary: 'Bring the index in step with every configured source',
    query: ownerQuery,
    response: jsonOf('How many documents are indexed of each source.', indexAllResponse),
    answer: async ({ view, signal, request }) => writeOnce(request, () => bringInStep(view, signal, runs)),
  });

  serve(app, {
    route: ROUTES.stats,
    access: 'read',
    tags,
    summary: 'How many documents of each type the caller may read',
    response: jsonOf('Counts, and the time of the youngest.', statsResponse),
    answer: async ({ view }) => {
      const { documents, byType, lastIndexedAt } = await view.countDocuments();
      return { total_documents: documents, by_type: { ...byType }, last_indexed_at: lastIndexedAt ?? null };
    },
  });
};

/** How long a run waits for another writer, in milliseconds. */
export const WRITER_WAIT_MS = 60_000;

async function bringInStep(view: EngineView, signal: AbortSignal, runs: IndexRuns) {
  const report = runs.begin(view.scope, { by: 'request' });
  const { success, stats } = await view
    .index({ signal, options: { waitMs: WRITER_WAIT_MS }, onProgress: report.progress })
    .catch((error: unknown) => {
      report.fail(error);
      throw error;
    });
  report.end({ success, stats });
  const { sources } = await view.status();
  const indexed = Object.fromEntries(sources.map(({ source, documents }) => [source, documents.indexed]));
  const total = Object.values(indexed).reduce((sum, count) => sum + count, 0);
  const failed = failedSources(stats.errors);
  return {
    status: success ? ('completed' as const) : ('partial' as const),
    total,
    indexed,
    ...(failed.length === 0 ? {} : { failed }),
  };
}

const EXCERPT_LENGTH = 180;

const excerptOf = (text: string): string =>
  text.length <= EXCERPT_LENGTH
    ? text
    : `${text
        .slice(0, EXCERPT_LENGTH - 1)
        .replace(/\s\S{0,30}$/, '')
        .toWellFormed()}…`;

const shown = ({ results, ...side }: ComparedSide) => ({
  ...side,
  results: results.map((result) => ({
    ...result,
    ...placeOf(result),
    excerpt: excerptOf(result.content.replaceAll(/\s+/g, ' ').trim()),
  })),
});

const placeOf = ({ metadata: { documentId, source, title, lines, headingPath } }: SearchResult) => ({
  ...{ documentId: String(documentId), source, title, lines, headingPath },
});

/** Before the first run there is nothing to tell. */
async function statusOrNothing(view: EngineView): Promise<IndexStatus | undefined> {
  try {
    return await view.status();
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return undefined;
    throw error;
  }
}
