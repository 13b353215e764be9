import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  type ComparedSide,
  compareSearches,
  type EngineView,
  type IndexStatus,
  RAGError,
  type SearchQuery,
} from '../../../index.js';
import { failedSources, type IndexRuns } from '../index-runs.js';
import { assertTenant, contextOf, writeOnce } from '../requests/request-context.js';
import { jsonOf, problemResponses, takeFilters } from '../schemas/common.js';
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

const tags = ['Maintenance'];

/** What is for whoever keeps the index: it tells of everything in the tenant. */
export const maintenanceRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/explain',
    {
      config: { access: 'read', limit: 'ai-search' },
      schema: {
        tags,
        summary: 'Find passages, with what each score is made of',
        body: explainRequest,
        response: {
          200: jsonOf('Passages, the parts of their scores, and what each lane did.', explainResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { query, tenantId, topK, minScore, filters, asOf, ...options } = takeFilters(request.body);
      assertTenant(tenantId, context);
      const found = await context.view.search({
        text: query,
        filters,
        ...(asOf === undefined ? {} : { asOf }),
        options: searchOptions({ topK, minScore, ...options, explainScore: true }),
        signal: context.signal,
      });
      return {
        ...found,
        requestId: request.id,
        results: found.results.map(({ metadata, ...result }) => ({
          ...result,
          metadata,
          documentId: String(metadata.documentId),
          source: metadata.source,
          title: metadata.title,
          lines: metadata.lines,
          headingPath: metadata.headingPath,
        })),
      };
    },
  );

  app.post(
    '/compare',
    {
      config: { access: 'read', limit: 'ai-search', isLong: true },
      schema: {
        tags,
        summary: 'Search in two ways, for one question or a question set',
        body: compareRequest,
        response: {
          200: jsonOf('What each way found, what moved, and how sure a difference is.', compareResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { query, questions, a, b, filters, tenantId } = takeFilters(request.body);
      assertTenant(tenantId, context);
      if ((query === undefined) === (questions === undefined))
        throw new RAGError('REQUEST_INVALID', 'body: it needs one of `query` and `questions`.');
      if (questions !== undefined && !context.principal.permissions.includes('maintain'))
        throw new RAGError('FORBIDDEN', 'A question set needs the permission "maintain".');
      const { searches, scores } = await compareSearches(context.view, {
        questions: questions ?? [{ id: '1', question: query ?? '' }],
        a: searchOptions({ topK: 10, ...a }),
        b: searchOptions({ topK: 10, ...b }),
        filters,
        signal: context.signal,
      });
      return { searches: searches.map((one) => ({ ...one, a: shown(one.a), b: shown(one.b) })), scores };
    },
  );

  app.post(
    '/explain-miss',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Say which step lost a document that a query should find',
        body: explainMissRequest,
        response: {
          200: jsonOf('Each step, and what would bring the document back.', explainMissResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      const { query, document, tenantId, filters, ...options } = takeFilters(request.body);
      assertTenant(tenantId, context);
      const missed = { text: query, filters, options: searchOptions(options), signal: context.signal };
      return context.view.explainMiss(missed, document);
    },
  );

  app.get(
    '/status',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'What is indexed, and what failed',
        querystring: ownerQuery,
        response: {
          200: jsonOf('The index, as far as it is of the tenant.', statusResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      assertTenant(request.query.tenantId, context);
      return context.view.status();
    },
  );

  app.get(
    '/sources',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'Where documents come from, and how many of each',
        response: { 200: jsonOf('The sources of the tenant.', sourcesResponse), ...problemResponses },
      },
    },
    async (request) => {
      const status = await statusOrNothing(contextOf(request).view);
      return { sources: status?.sources ?? [], following: status?.following };
    },
  );

  app.get(
    '/runs',
    {
      config: { access: 'maintain' },
      schema: {
        tags,
        summary: 'The last index run, and when each source is read next',
        response: {
          200: jsonOf('When it ran, and whether it succeeded.', runsResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const status = await statusOrNothing(contextOf(request).view);
      return { lastRun: status?.lastRun, following: status?.following };
    },
  );
};

/** `POST /rag/index` and `GET /rag/stats`, with the bodies of a chat over bug reports. */
export const indexRoutes: FastifyPluginAsyncZod<{ readonly runs: IndexRuns }> = async (app, { runs }) => {
  app.post(
    '/rag/index',
    {
      config: { access: 'maintain', isLong: true },
      schema: {
        tags,
        summary: 'Bring the index in step with every configured source',
        querystring: ownerQuery,
        response: {
          200: jsonOf('How many documents are indexed of each source.', indexAllResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const context = contextOf(request);
      assertTenant(request.query.tenantId, context);
      return writeOnce(request, () => bringInStep(context.view, context.signal, runs));
    },
  );

  app.get(
    '/rag/stats',
    {
      config: { access: 'read' },
      schema: {
        tags,
        summary: 'How many documents of each type the caller may read',
        response: {
          200: jsonOf('Counts, and the time of the youngest.', statsResponse),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { documents, byType, lastIndexedAt } = await contextOf(request).view.countDocuments();
      return { total_documents: documents, by_type: { ...byType }, last_indexed_at: lastIndexedAt ?? null };
    },
  );
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
  results: results.map(({ id, content, score, match, metadata }) => ({
    ...{ id, score, match, documentId: String(metadata.documentId), source: metadata.source },
    ...{ title: metadata.title, lines: metadata.lines, headingPath: metadata.headingPath },
    excerpt: excerptOf(content.replaceAll(/\s+/g, ' ').trim()),
  })),
});

/** What is left to the index is not stated at all. */
const searchOptions = (stated: Readonly<Record<string, unknown>>): NonNullable<SearchQuery['options']> =>
  Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined && value !== null));

/** Before the first run there is nothing to tell. */
async function statusOrNothing(view: EngineView): Promise<IndexStatus | undefined> {
  try {
    return await view.status();
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return undefined;
    throw error;
  }
}
