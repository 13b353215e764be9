import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyHttpOptions, LogController } from 'fastify';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import {
  type BackgroundUpgrade,
  type Engine,
  type KnowledgeDeploymentService,
  RAGError,
  SYSTEM_RUNTIME,
  startUpgrade,
  type UpgradeEvent,
} from '../../index.js';
import { openAuditLog } from '../../operations/audit/open-audit-log.js';
import { openRedis, type RedisConnection } from '../../platform/redis/open-redis.js';
import { KEPT_BY_SERVICES, rememberServer } from '../../platform/redis/remembered-servers.js';
import { createAuthenticate } from './authentication/create-authenticate.js';
import { KeyStore } from './authentication/key-store.js';
import { consolePage } from './console-page.js';
import { followSources } from './follow-sources.js';
import { IndexPlace } from './index-place.js';
import { IndexRuns } from './index-runs.js';
import { ragstonePlugin, sendProblem } from './ragstone-plugin.js';
import { takeTurns } from './requests/connection-turns.js';
import { countRequests, type ServiceMonitoring } from './requests/count-requests.js';
import { refuseConnection } from './requests/refuse-connection.js';
import { refuseUnknown } from './requests/refuse-unknown.js';
import { RedisValues } from './retained/redis-values.js';
import type { RetainedValues } from './retained/retained-values.js';
import { SqliteValues } from './retained/sqlite-values.js';

/** Where the service listens, and how it is stopped. */
export interface RunningService {
  /** `http://127.0.0.1:7240`, with the base path. */
  readonly url: string;
  /** Nobody needs a key: only this machine reaches it. */
  readonly isOpen: boolean;
  /** Takes no more requests, waits for those under way (`rag.server.stopMs`), then gives up what is left. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The one index of all tenants. Either this or `deployments`. */
  readonly engine?: Engine | undefined;
  /** Indexes of tenants by their deployments; moves that were interrupted go on. */
  readonly deployments?: KnowledgeDeploymentService | undefined;
  readonly config: ResolvedConfig;
  /** @default rag.server.host */
  readonly host?: string | undefined;
  /** @default rag.server.port */
  readonly port?: number | undefined;
  /** Where log lines (JSON) go, and from which severity on. @default nowhere */
  readonly log?: ServiceLog | undefined;
  /** Its metrics and its last check are told over HTTP. The service does not stop it. @default there is no `/metrics` */
  readonly monitoring?: ServiceMonitoring | undefined;
}

export interface ServiceLog {
  readonly level: string;
  readonly write: (line: string) => void;
}

/** Who sends a request's bytes one by one keeps no connection longer. */
const READING_MS = 60_000;
const REQUEST_ID = /^[\w.:-]{1,100}$/;
const MOST_PATH_PARAMETER = 3_000;

/**
 * Starts the HTTP service over an engine or deployments, which it does not close.
 *
 * @throws RAGError `CONFIG_INVALID` where it would be open to other machines, `ADDRESS_IN_USE`, `SECRET_MISSING`
 */
export async function startService({
  engine,
  deployments,
  config,
  host: wanted,
  port,
  log,
  monitoring: watch,
}: StartOptions): Promise<RunningService> {
  const unset = config.unset?.get('server');
  if (unset !== undefined) throw unset;
  const { server, monitoring } = config.rag;
  const host = wanted ?? server.host;
  const { jwt, corsOrigins, requireKeys } = server;
  const authentication = await createAuthenticate({ host, place: config, jwt, corsOrigins, requireKeys });
  const stopping = new AbortController();
  const app = Fastify(serverOptions(log, server.basePath));
  takeTurns(app);
  app.setErrorHandler(sendProblem);
  refuseUnknown(app, authentication.authenticate, sendProblem);
  app.addHook('onRequest', async ({ routeOptions, headers }) => {
    if (routeOptions.config.access === 'everyone') await authentication.guard({ headers });
  });
  countRequests(app, watch);
  await app.register(consolePage, { basePath: server.basePath, jwt });
  app.addHook('onResponse', async ({ raw }, { statusCode }) => {
    if (statusCode < 400 || raw.complete) return;
    // Closed at once, the answer may be lost on its way to a caller that is still sending.
    SYSTEM_RUNTIME.setTimer(() => raw.complete || raw.socket.destroy(), LINGER_MS, { isBackground: true });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ragstone } = request;
    // The route, not the address: it may hold ids of documents.
    const fields = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    request.log.info(
      { ...fields, caller: ragstone?.principal.name, tenant: ragstone?.principal.scope.tenant },
      'answered',
    );
  });
  const audit = openAuditLog(config, (error) =>
    app.log.error({ err: error, reason: error.reason }, 'a call was not logged'),
  );
  const redis = await connectRedis(config, app.log);
  let sync: ReturnType<typeof followSources>;
  let upgrade: BackgroundUpgrade | undefined;
  const kept = retainedValues(config.dataDir, redis);
  const runs = new IndexRuns();
  const isInFolder = config.rag.ledger.type !== 'postgres' && config.rag.provider !== 'memory';
  await app.register(ragstonePlugin, {
    kept,
    place: isInFolder ? new IndexPlace(config.dataDir) : undefined,
    engine,
    audit,
    keys: () => new KeyStore(config).list(),
    feedback: config.rag.feedback.enabled,
    deployments,
    authenticate: authentication.authenticate,
    timeoutMs: server.timeoutMs,
    requestsPerMinute: server.requestsPerMinute,
    maxRequests: server.maxRequests,
    maxRequestsPerTenant: server.maxRequestsPerTenant,
    maxUploads: server.maxUploads,
    maxUploadsPerTenant: server.maxUploadsPerTenant,
    maxDelayMs: server.maxDelayMs,
    limits: server.limits,
    redis,
    corsOrigins,
    basePath: server.basePath,
    healthEndpoint: monitoring.healthCheck.endpoint,
    monitoring: watch,
    runs,
    stopping: stopping.signal,
    syncHealth: () => sync?.states().every(({ failures }) => failures === 0),
  });
  try {
    await app.listen({ host, port: port ?? server.port });
    sync = followSources({ engine, deployments, config, runs }, app.log);
    upgrade = followUpgrade({ engine, deployments, config }, app.log);
  } catch (error) {
    await app.close();
    kept.close();
    redis?.close();
    throw listeningError(error, host, port ?? server.port);
  }
  // Nobody waits for it, and what one cannot do is no reason to stop.
  const resuming = goOn(deployments, app.log, stopping.signal).catch((error: unknown) =>
    app.log.error({ err: error }, 'interrupted work cannot go on'),
  );
  return {
    url: urlOf(host, app.server.address()) + server.basePath,
    isOpen: authentication.isOpen,
    stop: async () => {
      const giveUp = SYSTEM_RUNTIME.setTimer(() => {
        stopping.abort(new RAGError('SERVICE_UNAVAILABLE', 'The service stops.'));
      }, server.stopMs);
      // An answer that is not read to its end would keep the service for ever.
      const cut = SYSTEM_RUNTIME.setTimer(() => app.server.closeAllConnections(), server.stopMs + CUT_MS);
      await Promise.all([app.close(), sync?.stop(), upgrade?.stop()]);
      // A move is taken up again by the next service.
      stopping.abort(new RAGError('SERVICE_UNAVAILABLE', 'The service stops.'));
      await resuming;
      await audit?.close();
      kept.close();
      redis?.close();
      giveUp();
      cut();
    },
  };
}

/** What a service that was killed left: writes are finished, moves go on. */
async function goOn(
  deployments: KnowledgeDeploymentService | undefined,
  log: FastifyBaseLogger,
  signal: AbortSignal,
): Promise<void> {
  const writes = await deployments?.finishWrites({
    signal,
    onProblem: (tenant, error) => log.error({ err: error, tenant }, 'interrupted writes cannot be finished'),
  });
  for (const { tenantId: tenant, finished, takenBack, left } of writes ?? [])
    log[left.length > 0 ? 'error' : 'info'](
      { tenant, finished, takenBack, left: left.length },
      'interrupted writes were finished',
    );
  await deployments?.resumeMoves({
    signal,
    onProblem: (tenant, error) => log.error({ err: error, tenant }, 'a move cannot go on'),
  });
}

/** Where processes agree: the server where one is set, else a file of the data folder. */
function retainedValues(dataDir: string, redis: RedisConnection | undefined): RetainedValues {
  const own = new SqliteValues(dataDir);
  return redis === undefined ? own : new RedisValues(redis, own);
}

/** The server that counts calls for several processes; undefined where none is set. */
async function connectRedis(
  config: ResolvedConfig,
  log: FastifyBaseLogger,
): Promise<RedisConnection | undefined> {
  const { redis } = config.rag.server;
  if (redis === undefined) return undefined;
  await resolveSecrets({ redis }, ['rag', 'server'], config);
  const onChange = (isUp: boolean): void => {
    if (isUp) log.info('Redis answers: calls are counted together with other processes');
    else log.error('Redis does not answer: this process counts calls for itself until it does');
  };
  const url = redis.reveal();
  const connection = await openRedis({ url, onChange });
  rememberServer(config.dataDir, { setting: 'rag.server.redis', url, ttl: KEPT_BY_SERVICES });
  return connection;
}

/** For the rest of a refused request, once it was answered. */
const LINGER_MS = 2_000;

/** Between giving work up and cutting connections, for the answers that say so. */
const CUT_MS = 2_000;

const serverOptions = (log: StartOptions['log'], basePath: string): FastifyHttpOptions<Server> => ({
  // Whether a proxy cuts it off or not; who asks without the proxy (a probe) leaves it out.
  rewriteUrl: (request) => withoutBase(originForm(request), basePath),
  requestTimeout: READING_MS,
  // Two keys are no key: without it the first of two headers would hold, and the other be passed over.
  http: { joinDuplicateHeaders: true },
  // An address that cannot be decoded is of no route.
  frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
  clientErrorHandler: refuseConnection,
  routerOptions: { maxParamLength: MOST_PATH_PARAMETER },
  // Requests are logged once, when they are answered, without what they hold.
  logController: new LogController({ disableRequestLogging: true }),
  return503OnClosing: false,
  genReqId: ({ headers }) => {
    const stated = headers['x-request-id'];
    return typeof stated === 'string' && REQUEST_ID.test(stated) ? stated : SYSTEM_RUNTIME.uniqueName();
  },
  logger:
    log === undefined ? false : { level: log.level, stream: { write: log.write }, redact: ['err.cause'] },
});

/** The path of an address in absolute form, whose authority takes the place of `Host` (RFC 9112, section 3.2.2). */
function originForm({ url = '/', headers }: IncomingMessage): string {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (authority === undefined) return url;
  headers.host = authority;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** An address as the routes know it. */
function withoutBase(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  if (!url.startsWith(basePath) || !/^(?:[/?]|$)/.test(rest)) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function listeningError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there already',
    EADDRNOTAVAIL: 'this machine has no such address',
    EACCES: 'this account may not use the port',
    ENOTFOUND: 'nobody knows a host of this name',
  };
  const problem = problems[String(code)];
  if (problem === undefined) return error;
  return new RAGError(
    'ADDRESS_IN_USE',
    `The service cannot listen at ${host}, port ${port}: ${problem}. Name another with \`--port\` or \`--host\`.`,
    { cause: error, details: { host, port } },
  );
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = typeof address === 'object' && address !== null ? address.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

interface Served {
  readonly engine?: Engine | undefined;
  readonly deployments?: KnowledgeDeploymentService | undefined;
  readonly config: ResolvedConfig;
}

/** Makes the vectors of `rag.embedding.upgrade` for the index of all tenants while the service runs; undefined where none is set. */
function followUpgrade(
  { engine, deployments, config }: Served,
  log: FastifyBaseLogger,
): BackgroundUpgrade | undefined {
  const served = engine ?? deployments?.shared;
  if (config.rag.embedding.upgrade === undefined || served === undefined) return undefined;
  return startUpgrade(served, { onEvent: (event) => logEvent(event, log) });
}

function logEvent(event: UpgradeEvent, log: FastifyBaseLogger): void {
  switch (event.type) {
    case 'upgrade-started': {
      const { wanted, done, total } = event.status;
      log.info({ model: wanted, done, total }, 'better vectors are being made');
      break;
    }
    case 'upgrade-finished': {
      const { outcome, from, to, chunks, embeddingMs, comparison } = event.result;
      log.info(
        { outcome, from, to, chunks, embeddingMs, verdict: comparison?.verdict },
        'better vectors are complete',
      );
      break;
    }
    case 'upgrade-failed': {
      const { reason, message, nextAt } = event;
      log.warn({ reason, nextAt, problem: message }, 'better vectors could not be made');
      break;
    }
  }
}
