import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type EngineView, SYSTEM_RUNTIME, type TenantIndex } from '../../../index.js';
import type { AuditLog } from '../../../operations/audit/audit-log.js';
import type { AuditEntry } from '../../../operations/audit/audit-record.js';
import { AuditTrail, notedView } from '../../../operations/audit/audit-trail.js';
import type { Principal } from '../authentication/principal.js';

/** What is known of a call on the way to its line. */
interface CallAudit {
  readonly trail: AuditTrail;
  principal?: Principal;
  /** Of the problem that it was answered with. */
  reason?: string;
  isLogged: boolean;
  isStream: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the routes of Ragstone that are not for everyone, where an audit log is kept. */
    audit: CallAudit | null;
  }
}

/**
 * Logs each call of a route that is not for everyone, before it is answered: what could not be logged is then not told, where the log is
 * required. Metrics that were read leave no line. What may change something is logged before it is done, too, and what is sent as it comes about before and after.
 */
export function auditCalls(app: FastifyInstance, log: AuditLog | undefined): void {
  app.decorateRequest('audit', null);
  if (log === undefined) return;
  const unknown = new UnknownCallers();
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.access === 'everyone') return;
    request.audit = { trail: new AuditTrail(log), isLogged: false, isStream: false };
  });
  app.addHook('preHandler', async (request) => {
    if (request.audit !== null && mayChange(request))
      await log.record({ ...factsOf(request, request.audit), outcome: 'begun' });
  });
  app.addHook('onSend', async (request, reply) => {
    const { audit } = request;
    // The answer that says that the log cannot be written comes by here again.
    if (audit === null || audit.isLogged) return;
    audit.isLogged = true;
    const { statusCode: status } = reply;
    // Numbers that are read four times a minute, and tell of nobody.
    if (request.routeOptions.config.access === 'monitor' && status < 400) return;
    const leftOut = audit.principal === undefined ? unknown.leftOutBefore() : undefined;
    if (leftOut === 'this too') return;
    audit.isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    const outcome = audit.isStream ? 'begun' : outcomeOf(status);
    await log.record({ ...factsOf(request, audit), leftOut, status, outcome });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { audit } = request;
    if (audit?.isStream !== true) return;
    const isWhole = reply.raw.writableEnded && audit.reason === undefined;
    const end = isWhole ? { outcome: 'done' } : { outcome: 'failed', reason: audit.reason ?? 'ABORTED' };
    try {
      await log.record({ ...factsOf(request, audit), status: reply.statusCode, ...end } as AuditEntry);
    } catch (error) {
      request.log.error({ err: error }, 'the end of a stream was not logged');
    }
  });
}

/** Who calls, as it was found out: who is known is named also where he is then refused. */
export function noteCaller({ audit }: FastifyRequest, principal: Principal): void {
  if (audit !== null) audit.principal = principal;
}

/** The index with what is done with it noted. */
export function auditedView({ audit }: FastifyRequest, { view, deployment }: TenantIndex): EngineView {
  if (audit === null) return view;
  audit.trail.servedBy(deployment);
  return notedView(view, audit.trail);
}

const MOST_UNKNOWN = 60;
const MINUTE_MS = 60_000;

/** Who has no key may call any number of times, and must not fill the log: some lines a minute say how many there were. */
class UnknownCallers {
  #since = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #leftOut = 0;

  leftOutBefore(): number | undefined | 'this too' {
    const now = SYSTEM_RUNTIME.elapsed();
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > MOST_UNKNOWN) {
      this.#leftOut += 1;
      return 'this too';
    }
    const before = this.#leftOut;
    this.#leftOut = 0;
    return before === 0 ? undefined : before;
  }
}

const DENIED: ReadonlySet<number> = new Set([401, 403, 429]);

const outcomeOf = (status: number): AuditEntry['outcome'] => {
  if (DENIED.has(status)) return 'denied';
  return status < 400 ? 'done' : 'failed';
};

/** Whether a request may change something. */
export const mayChange = ({ method, routeOptions }: FastifyRequest): boolean =>
  method !== 'GET' && method !== 'HEAD' && routeOptions.config.access !== 'read';

const SHOWN_KEY = /^Bearer rsk_([0-9a-f]{16})_/i;

function factsOf(
  request: FastifyRequest,
  { trail, principal, reason }: CallAudit,
): Omit<AuditEntry, 'outcome'> {
  const known = principal && {
    caller: principal.name,
    tenant: principal.scope.tenant,
    project: principal.scope.project,
    groups: principal.scope.groups ?? [],
    clearance: principal.scope.clearance ?? 0,
  };
  return {
    face: 'http',
    action: actionOf(request),
    reason,
    request: request.id,
    ...(known ?? {
      shownKey: SHOWN_KEY.exec(request.headers.authorization ?? '')?.[1],
      address: request.ip,
    }),
    ...trail.facts,
  };
}

/** The route, for an address may hold ids of documents; of `/mcp` the tool, too. */
function actionOf({ method, routeOptions, body }: FastifyRequest): string {
  const route = `${method} ${routeOptions.url ?? ''}`;
  if (!route.endsWith('/mcp')) return route;
  const called = textAt(body, 'method');
  const tool = called === undefined ? undefined : textAt(valueAt(body, 'params'), 'name');
  return [route, called, tool].filter((part) => part !== undefined).join(' ');
}

const valueAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** What a caller writes, as far as it may be a name. */
function textAt(value: unknown, key: string): string | undefined {
  const text = valueAt(value, key);
  return typeof text === 'string' && /^[\w/.-]{1,64}$/.test(text) ? text : undefined;
}
