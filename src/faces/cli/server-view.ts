import { withoutUndefined } from '../../core/without-undefined.js';
import type { AskRequest, Filter, MissExplanation, SearchQuery, SearchResponse } from '../../index.js';
import {
  type ExplainResponse,
  type Health,
  type IndexCounts,
  RagstoneClient,
  ServiceError,
  type SourcesResponse,
} from '../client/index.js';
import { OPERATION_ROUTES, type OperationName } from '../client/routes.js';
import type { CliContext } from './context.js';
import type { IndexView, OperationCalls, ShownAnswer, ShownAnswerEvent, ShownStatus } from './index-view.js';
import { noAddress, refused } from './refuse-on-server.js';

/** A language model may write for long; the service's own limit is mostly the shorter one. */
const ANSWER_TIMEOUT_MS = 300_000;
/** Of a health check that a container ends with. */
const HEALTH_TIMEOUT_MS = 4_000;
/** More than the service takes in one body, and more than a model is shown. */
const MOST_TURNS = 100;

interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}

/** The index behind a service, as far as commands ask for it. */
export interface ServerView extends IndexView {
  /** Has the service bring its index in step with its own sources, and tells meanwhile how many documents are indexed. */
  indexSources(told: (documents: number) => void): Promise<IndexCounts>;
  /** Whether the service can answer; asked once, at a path of its own where it has another. */
  health(endpoint: string | undefined): Promise<Health>;
}

/**
 * The index of the service at `--server`, for the holder of `RAGSTONE_KEY`. It loads neither the engine nor a configuration. The
 * service tells what its schemas state, in the words of the engine.
 */
export function openServer({ server = '', env, signal }: CliContext, tenant: string | undefined): ServerView {
  const key = keyOf(env);
  const client = clientOf({ url: server, key, tenant });
  const told = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      throw withNextStep(error, key);
    }
  };
  const asked = async (name: OperationName, { signal: _, ...request }: object & Stoppable) => {
    const call: Promise<object> = client[name](withoutUndefined(request) as never, { signal });
    const { requestId: __, ...found } = (await told(call)) as { readonly requestId: string };
    return found;
  };
  // Routes that take and give what the engine does.
  const operations = Object.fromEntries(
    Object.keys(OPERATION_ROUTES).map((name) => [
      name,
      (request: object) => asked(name as OperationName, request),
    ]),
  ) as OperationCalls;
  const answering = { signal, timeoutMs: ANSWER_TIMEOUT_MS };
  return {
    // The route of searches answers in a form of its own.
    search: async (query) =>
      toSearchResponse(
        await told(client.explain({ topK: null, minScore: null, ...toSearch(query) }, { signal })),
      ),
    ask: async (request) => {
      const { requestId: _, ...answer } = await told(client.answer(toQuestion(request), answering));
      return answer as ShownAnswer;
    },
    async *askStream(request): AsyncGenerator<ShownAnswerEvent> {
      try {
        for await (const event of client.answerEvents(toQuestion(request), answering))
          yield event as ShownAnswerEvent;
      } catch (error) {
        throw withNextStep(error, key);
      }
    },
    ...operations,
    explainMiss: async (query, document) =>
      (await told(client.explainMiss({ ...toSearch(query), document }, { signal }))) as MissExplanation,
    status: async () => (await told(client.status({ signal }))) as ShownStatus,
    health: (healthEndpoint) =>
      told(
        clientOf({ url: server, healthEndpoint }).health({
          signal,
          retries: 0,
          timeoutMs: HEALTH_TIMEOUT_MS,
        }),
      ),
    indexSources: async (onCount) => {
      const patient = clientOf({ url: server, key, tenant, fetch: await patientFetch() });
      const asking = setInterval(() => {
        // What is told of it on the way is no reason to stop.
        client.sources({ signal, retries: 0 }).then(
          ({ sources }) => onCount(indexedOf(sources)),
          () => undefined,
        );
      }, COUNT_INTERVAL_MS);
      try {
        return await told(patient.indexSources({ signal }));
      } finally {
        clearInterval(asking);
      }
    },
  };
}

/** How often a service that indexes is asked how far it is. */
const COUNT_INTERVAL_MS = 3_000;

const indexedOf = (sources: SourcesResponse['sources']): number =>
  sources.reduce((sum, { documents }) => sum + documents.indexed, 0);

/** A run may take hours, and its answer comes at the end: the `fetch` of Node.js gives up after five minutes. */
async function patientFetch(): Promise<typeof fetch> {
  const { Agent, fetch: send } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return ((url: string, init: object) => send(url, { ...init, dispatcher })) as unknown as typeof fetch;
}

/** What no header holds would be repeated by the error of the platform. */
function keyOf({ RAGSTONE_KEY: key }: NodeJS.ProcessEnv): string | undefined {
  if (key === undefined || key === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(key))
    throw refused('RAGSTONE_KEY holds spaces or characters that no key has: copy the key again.');
  return key;
}

function clientOf(options: ConstructorParameters<typeof RagstoneClient>[0]): RagstoneClient {
  if (!URL.canParse(String(options.url))) throw noAddress();
  try {
    return new RagstoneClient(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refused(`--server: ${error.message.replace('as `key`', 'in RAGSTONE_KEY')}`);
  }
}

/** The failure of a call with what a person at a command line does about it. */
function withNextStep(error: unknown, key: string | undefined): unknown {
  if (!ServiceError.isInstance(error)) return error;
  const step = nextStep(error, key);
  if (step === undefined) return error;
  const { reason, code, category, retryable, status, requestId, retryAfterMs, cause } = error;
  const facts = { reason, code, category, retryable, status, requestId, retryAfterMs, cause };
  return new ServiceError({ ...facts, message: `${error.message} ${step}` });
}

function nextStep({ reason }: ServiceError, key: string | undefined): string | undefined {
  if (reason === 'SERVER_UNREACHABLE')
    return 'Start it there with "ragstone serve", or give its address with --server.';
  if (reason === 'UNAUTHENTICATED')
    return key === undefined
      ? 'Set RAGSTONE_KEY to a key of that service; it is not set.'
      : 'RAGSTONE_KEY holds no key of that service, or a revoked one. Where it runs, "ragstone keys create" makes a key; it is shown once.';
  if (reason === 'FORBIDDEN')
    return key === undefined
      ? 'RAGSTONE_KEY is not set: without a key there is the tenant "default" alone.'
      : 'A key is of one tenant and has the permissions that it was made with: leave out --tenant, or set RAGSTONE_KEY to another key.';
  return undefined;
}

/** A search of the command line as routes take it. */
function toSearch({ text, filters, filter, asOf, options = {} }: SearchQuery) {
  const { topK, minSimilarity, mode, hops, collapse, exactWords, deadlineMs, maxCost } = options;
  return {
    query: text,
    ...withoutUndefined({
      topK,
      minScore: minSimilarity,
      mode,
      hops,
      collapse,
      exactWords,
      deadlineMs,
      maxCost,
    }),
    ...withoutUndefined({ asOf: asText(asOf) }),
    ...toFilters({ filters, filter }),
  };
}

const asText = (asOf: SearchQuery['asOf']): string | undefined =>
  asOf instanceof Date ? asOf.toISOString() : asOf;

/** A question of the command line as routes take it. */
function toQuestion({ question = '', history = [], options, filters, filter, ...request }: AskRequest) {
  const { mode, limits, answerer, topK, abstainBelow, exactWords, asOf } = request;
  return {
    question,
    history: history.slice(-MOST_TURNS),
    ...withoutUndefined({
      mode,
      limits: limits && withoutUndefined(limits),
      answerer,
      topK,
      abstainBelow,
      exactWords,
      asOf: asText(asOf),
      collapse: options?.collapse,
    }),
    ...toFilters({ filters, filter }),
  };
}

function toFilters({ filters = {}, filter }: Pick<SearchQuery, 'filters' | 'filter'>) {
  const { sourceType, source, dateRange: { start, end } = {} } = filters;
  return withoutUndefined({
    documentTypes: sourceType === undefined ? undefined : [...sourceType],
    sources: source === undefined ? undefined : [...source],
    since: start?.toISOString(),
    until: end?.toISOString(),
    metadata: filter === undefined ? undefined : toMetadata(filter),
  });
}

type Values = (string | number | boolean)[];

/** What `--filter` states, as fields with the values that each may have: all that a route takes. */
function toMetadata(filter: Filter): Record<string, Values> {
  const fields = new Map<string, Values>();
  for (const stated of filter.op === 'and' ? filter.filters : [filter]) {
    const [field, values] = alternativesOf(stated);
    if (fields.has(field)) throw refused(`A service filters a field once: "${field}" is given twice.`);
    fields.set(field, values);
  }
  return Object.fromEntries(fields);
}

/** The field that one `--filter` is about, and the forms of its value. */
function alternativesOf(filter: Filter): readonly [field: string, values: Values] {
  const values = new Set<Values[number]>();
  let field = '';
  for (const part of filter.op === 'or' ? filter.filters : [filter]) {
    if ((part.op !== 'eq' && part.op !== 'contains') || part.value === null)
      throw new Error(`A filter "${part.op}" is none of a command line.`);
    ({ field } = part);
    values.add(part.value);
  }
  return [field, [...values]];
}

/** The passages as a search of the engine gives them; times come as text. */
function toSearchResponse({ requestId: _, results, ...found }: ExplainResponse): SearchResponse {
  return {
    ...found,
    results: results.map(
      ({ documentId: _id, source: _source, title: _title, lines: _lines, headingPath: _path, ...result }) => {
        const { createdAt, updatedAt } = result.metadata;
        return {
          ...result,
          metadata: {
            ...result.metadata,
            ...withoutUndefined({ createdAt: asDate(createdAt), updatedAt: asDate(updatedAt) }),
          },
        };
      },
    ),
  } as unknown as SearchResponse;
}

const asDate = (value: unknown): Date | undefined =>
  typeof value === 'string' ? new Date(value) : undefined;
