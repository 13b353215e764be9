import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Engine,
  indexesOf,
  type KnowledgeDeploymentService,
  RAGError,
  SYSTEM_RUNTIME,
  type TenantIndexes,
} from '../../index.js';
import type { AuditLog } from '../../operations/audit/audit-log.js';
import type { RedisConnection } from '../../platform/redis/open-redis.js';
import { API_VERSION, API_VERSION_HEADER } from './api-version.js';
import type { ApiKey } from './authentication/key-store.js';
import type { Authenticate } from './authentication/principal.js';
import { rememberingView, ShownResults } from './feedback/shown-results.js';
import type { IndexPlace } from './index-place.js';
import { IndexRuns } from './index-runs.js';
import { registerOpenApi } from './openapi/register-openapi.js';
import { cors, helmet, serializerCompiler } from './packages.js';
import { auditCalls, auditedView, noteCaller } from './requests/audit-calls.js';
import { bytesUnderWay, limitBodies } from './requests/body-limits.js';
import { callersView } from './requests/callers-view.js';
import { checkRequest } from './requests/check-request.js';
import { takeTurns } from './requests/connection-turns.js';
import { countRequests, type ServiceMonitoring } from './requests/count-requests.js';
import { IdempotentWrites } from './requests/idempotent-writes.js';
import { joinPieces } from './requests/joined-pieces.js';
import { type CallLimits, limitCalls } from './requests/limit-calls.js';
import { limitLoad, limitTenants, limitUnfinishedBodies } from './requests/limit-load.js';
import { onceAMinute } from './requests/once-a-minute.js';
import { PartChecks } from './requests/part-checks.js';
import { PROBLEM_TYPE, problemOf } from './requests/problem.js';
import { logFailure, reasonOfStop, requestDeadline } from './requests/request-signal.js';
import { SharedPlaces } from './requests/shared-places.js';
import type { RetainedValues } from './retained/retained-values.js';
import { answerRoutes, chatRoutes } from './routes/answer-routes.js';
import { callerRoutes, type Offers } from './routes/caller-routes.js';
import { deploymentRoutes } from './routes/deployment-routes.js';
import { documentRoutes } from './routes/document-routes.js';
import { feedbackRoutes } from './routes/feedback-routes.js';
import { healthRoutes } from './routes/health-routes.js';
import { knowledgeRoutes } from './routes/knowledge-routes.js';
import { indexRoutes, maintenanceRoutes } from './routes/maintenance-routes.js';
import { mcpRoutes } from './routes/mcp-routes.js';
import { metricsRoute } from './routes/metrics-route.js';
import { operationRoutes } from './routes/operation-routes.js';
import { queryRoutes } from './routes/query-routes.js';
import { runRoutes } from './routes/run-routes.js';
import { uploadRoutes } from './routes/upload-routes.js';

/** What the routes need. */
export interface ServiceOptions {
  /** The one index of all tenants; it is not closed with the application. Either this, `indexes` or `deployments`. */
  readonly engine?: Engine | undefined;
  /** Finds the index of each tenant; not closed either. */
  readonly indexes?: TenantIndexes | undefined;
  /** Indexes of tenants by their deployments, with the routes that change these; not closed either. */
  readonly deployments?: KnowledgeDeploymentService | undefined;
  /** Says who calls, for every route but the health. There is no default. */
  readonly authenticate: Authenticate;
  /** Longest time of a request, in milliseconds; runs of `POST /rag/index` have none. @default 30,000 */
  readonly timeoutMs?: number | undefined;
  /** Calls of one route that a tenant may make in a minute; 0 for any number. @default 600 */
  readonly requestsPerMinute?: number | undefined;
  /** Requests under way at once, and as many whose bodies still come; more are refused with 503. 0 for any number. @default 256 */
  readonly maxRequests?: number | undefined;
  /** Those of one tenant of each; more are answered with 429. @default 128 */
  readonly maxRequestsPerTenant?: number | undefined;
  /** Forms with files that are read at once; more are refused with 503. 0 for any number. @default 16 */
  readonly maxUploads?: number | undefined;
  /** Those of one tenant; more are refused with 429. 0 for any number. @default 4 */
  readonly maxUploadsPerTenant?: number | undefined;
  /** How late the event loop may be, in milliseconds, before requests are refused with 503; 0 for any. @default 2,000 */
  readonly maxDelayMs?: number | undefined;
  /** Calls of the routes of a group that a tenant may make in a minute; they share the count. @default `requestsPerMinute` each route */
  readonly limits?: CallLimits['groups'];
  /** Where several processes count calls together; not closed with the application. @default each process counts for itself */
  readonly redis?: RedisConnection | undefined;
  /** Origins of web pages that may call from a browser. @default none */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Path under which a proxy shows the service, for the description of the routes. @default none */
  readonly basePath?: string | undefined;
  /** Path of the health. @default '/health/rag' */
  readonly healthEndpoint?: string | undefined;
  /** What is counted and checked, for `GET /metrics` and the health. It is not stopped with the application. @default there is no such route */
  readonly monitoring?: ServiceMonitoring | undefined;
  /** Where calls are logged, denied ones too. It is not closed with the application. @default nowhere */
  readonly audit?: AuditLog | undefined;
  /** Lists the keys of all tenants, without their secrets, for `GET .../keys`. @default there is no such route */
  readonly keys?: (() => Promise<readonly ApiKey[]>) | undefined;
  /** Feedback is taken: what is shown is known for an hour. The engine keeps it, by `rag.feedback`. @default false */
  readonly feedback?: boolean | undefined;
  /** Whether the sources that this process follows can be read; undefined where it follows none. @default no part of the health */
  readonly syncHealth?: (() => boolean | undefined) | undefined;
  /** Where outcomes of writes with an `idempotency-key` and what was shown are kept; not closed with the application. @default this process's memory */
  readonly kept?: RetainedValues | undefined;
  /** What writes are held against; where it is gone, the health says so. @default writes go to whatever is there */
  readonly place?: IndexPlace | undefined;
  /** Index runs of this process, those of a sync too; closed with the application. @default those that its requests begin */
  readonly runs?: IndexRuns | undefined;
  /** Fires when requests under way are to be given up. @default never */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * The routes of Ragstone for a Fastify application: `app.register(ragstonePlugin, { engine, authenticate, prefix: '/knowledge' })`. Each
 * sees the index through the scope of its caller and no other way. Nothing of the application outside is changed.
 */
export const ragstonePlugin: FastifyPluginAsync<ServiceOptions> = async (app, options) => {
  const { corsOrigins = [], requestsPerMinute = 600, limits: groups, redis } = options;
  const { healthEndpoint: endpoint = '/health/rag' } = options;
  const indexes = statedIndexes(options);
  app.setValidatorCompiler(checkRequest);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendProblem);
  takeTurns(app);
  closeConnectionsAtEnd(app);
  limitBodies(app);
  await app.register(helmet, {
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
  });
  if (corsOrigins.length > 0)
    await app.register(cors, {
      origin: [...corsOrigins],
      strictPreflight: true,
      exposedHeaders: READABLE_HEADERS,
    });
  countRequests(app, options.monitoring);
  auditCalls(app, options.audit);
  const limits = { most: options.maxRequests ?? 256, mostOfTenant: options.maxRequestsPerTenant ?? 128 };
  const [requests, bodies] = [new SharedPlaces(limits), new SharedPlaces(limits)];
  await limitLoad(app, requests, options.maxDelayMs ?? 2_000);
  const shown = options.feedback === true ? new ShownResults(options.kept) : undefined;
  const { place, monitoring } = options;
  const checks = new PartChecks(indexes, monitoring?.lastHealth);
  admitCallers(app, { indexes, shown, checks }, options);
  if (place !== undefined)
    app.addHook('preHandler', async (request) => {
      const { access } = request.routeOptions.config;
      if (access !== 'everyone' && access !== 'monitor') place.assertThere();
    });
  limitTenants(app);
  keepDeadlines(app);
  limitCalls(app, { requestsPerMinute, groups, authenticate: options.authenticate, redis });
  limitUnfinishedBodies(app, { requests, bodies });
  joinPieces(app, bytesUnderWay());
  await registerOpenApi(app, options.basePath);
  await app.register(knowledgeRoutes);
  const { maxUploads = 16, maxUploadsPerTenant = 4 } = options;
  await app.register(uploadRoutes, { maxUploads, maxUploadsPerTenant });
  await app.register(answerRoutes);
  await app.register(documentRoutes);
  await app.register(operationRoutes);
  await app.register(maintenanceRoutes);
  if (options.deployments !== undefined)
    await app.register(deploymentRoutes, { deployments: options.deployments });
  await app.register(feedbackRoutes, { shown });
  await app.register(callerRoutes, { offers: offersOf(options), keys: options.keys });
  const { audit } = options;
  if (audit !== undefined) await app.register(queryRoutes, { audit });
  await app.register(chatRoutes);
  const { runs = new IndexRuns() } = options;
  // Before it waits for connections: streams of runs end.
  app.addHook('preClose', () => runs.close());
  await app.register(indexRoutes, { runs });
  await app.register(runRoutes, { runs });
  await app.register(mcpRoutes, { sendProblem });
  const { deployments, syncHealth } = options;
  await app.register(healthRoutes, { checks, endpoint, redis, deployments, syncHealth, place });
  if (monitoring?.metrics !== undefined) await app.register(metricsRoute, monitoring.metrics);
};

function statedIndexes({ engine, indexes, deployments }: ServiceOptions): TenantIndexes {
  const stated = [indexes, deployments, engine && indexesOf(engine)].filter((one) => one !== undefined);
  if (stated.length === 1 && stated[0] !== undefined) return stated[0];
  throw new RAGError('USAGE', 'The plugin needs one of `engine`, `indexes` and `deployments`.');
}

const offersOf = ({ audit, deployments, feedback = false, keys }: ServiceOptions): Offers => ({
  feedback,
  deployments: deployments !== undefined,
  keys: keys !== undefined,
  queries: audit !== undefined,
  queryTexts: audit?.keepsText === true,
});

/** What pages of other origins may read of an answer beside its body. */
const READABLE_HEADERS = ['x-request-id', API_VERSION_HEADER, 'retry-after'];

interface Admission {
  readonly indexes: TenantIndexes;
  readonly shown: ShownResults | undefined;
  readonly checks: PartChecks;
}

/** Before a body is read. */
function admitCallers(
  app: FastifyInstance,
  { indexes, shown, checks }: Admission,
  { authenticate, timeoutMs = 30_000, stopping, kept }: ServiceOptions,
): void {
  const writes = new IdempotentWrites(kept);
  const isNews = onceAMinute();
  const never = new AbortController().signal;
  app.decorateRequest('ragstone', null);
  app.addHook('onRequest', async (request, reply) => {
    reply
      .header('x-request-id', request.id)
      .header(API_VERSION_HEADER, API_VERSION)
      .header('cache-control', 'no-store');
    const { access, isLong = false } = request.routeOptions.config;
    if (access === 'everyone') return;
    const principal = await authenticate({ headers: request.headers });
    noteCaller(request, principal);
    // A route that says nothing is for nobody.
    if (access === undefined || (access !== 'known' && !principal.permissions.includes(access)))
      throw new RAGError('FORBIDDEN', `The key or token does not have the permission "${access ?? 'none'}".`);
    const since = SYSTEM_RUNTIME.elapsed();
    const deadline = requestDeadline(request, reply, {
      timeoutMs: isLong ? undefined : timeoutMs,
      isWrite: access === 'write',
      stopping: stopping ?? never,
      // Writes have no limit for each part: what keeps one waiting is known when its time is over.
      onWaiting: () => void checks.check(),
    });
    const index = await indexes.of(principal.scope);
    const { deployment } = index;
    const whole = auditedView(request, index);
    // The user of this machine is the one who would read the log.
    const told =
      principal.isLocal === true
        ? whole
        : callersView(whole, {
            onWithheld: (texts) => {
              const withheld = texts.filter(isNews);
              if (withheld.length > 0) request.log.warn({ withheld }, 'callers are not told all');
            },
            keepsIndex: principal.permissions.includes('maintain'),
          });
    const view =
      shown === undefined
        ? told
        : rememberingView(told, async (results) => {
            try {
              await shown.remember({ principal, requestId: request.id, deployment }, results);
            } catch (error) {
              // Nobody's search fails because its feedback could not be taken.
              request.log.error({ err: error }, 'what was shown is not known for feedback');
            }
          });
    request.ragstone = {
      view,
      deployment,
      principal,
      signal: deadline.signal,
      checkDeadline: deadline.check,
      writes,
      knownOut: () => checks.outSince(since),
    };
  });
}

/** What was read is for a caller who still waits. What was written is done, and its outcome told even so. */
function keepDeadlines(app: FastifyInstance): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    const { ragstone, routeOptions } = request;
    if (routeOptions.config.access === 'read' && reply.statusCode < 400) {
      ragstone?.checkDeadline();
      ragstone?.signal.throwIfAborted();
    }
    return payload;
  });
}

/**
 * A connection that is kept open for further requests would keep the server open too; each answer from now on ends its own, and those on
 * which nothing was sent yet, as browsers open them, are ended at once.
 */
function closeConnectionsAtEnd(app: FastifyInstance): void {
  let isClosing = false;
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}

/** What is not the caller's fault is logged whole; a caller is told what is for it. */
export async function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const cause = reasonOfStop(error, request.ragstone?.signal);
  const problem = problemOf(cause, request.id, request.ragstone?.knownOut());
  if (request.audit) request.audit.reason = problem.reason;
  if (problem.status >= 500) logFailure(request, cause, 'a request failed');
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if ((problem.status === 429 || problem.status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', '1');
  // As it is: the schema of a route may not know this status.
  return reply.code(problem.status).type(PROBLEM_TYPE).serializer(JSON.stringify).send(problem);
}
