import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine, RAGError } from '../../index.js';
import type { Authenticate, Principal } from './authentication/principal.js';
import { ragstonePlugin, type ServiceOptions } from './ragstone-plugin.js';

/** Callers by the keys that they send. */
const CALLERS: Readonly<Record<string, Principal>> = {
  acme: { name: 'a', scope: { tenant: 'acme' }, permissions: ['read', 'write', 'maintain'] },
  'acme-reader': { name: 'b', scope: { tenant: 'acme' }, permissions: ['read'] },
  'acme-hr': {
    name: 'c',
    scope: { tenant: 'acme', groups: ['hr'], clearance: 2 },
    permissions: ['read', 'write', 'maintain'],
  },
  operator: { name: 'e', scope: { tenant: 'operator' }, permissions: ['admin'] },
  globex: { name: 'd', scope: { tenant: 'globex' }, permissions: ['read', 'write', 'maintain'] },
};

const byName: Authenticate = async ({ headers }) => {
  const caller = CALLERS[headers.authorization?.replace('Bearer ', '') ?? ''];
  if (caller === undefined) throw new RAGError('UNAUTHENTICATED', 'Nobody knows you.');
  return caller;
};

type Method = NonNullable<InjectOptions['method']>;

/** An application with the routes, over an engine in memory. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly engine: Engine;
  /** Sends JSON as a caller. */
  call(
    caller: string,
    method: Method,
    url: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body read as JSON. */
  readonly json: () => Record<string, unknown>;
}

/** Goes with the test. */
export async function testService(
  options: Partial<ServiceOptions> = {},
  log?: (line: string) => void,
): Promise<TestService> {
  const engine =
    options.engine ?? (await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() }));
  const app = Fastify({
    routerOptions: { maxParamLength: 3_000 },
    logger: log === undefined ? false : { stream: { write: log } },
  });
  await app.register(ragstonePlugin, {
    authenticate: byName,
    requestsPerMinute: 0,
    // The machine of a test may be busy.
    maxDelayMs: 0,
    ...options,
    ...(options.indexes === undefined && options.deployments === undefined ? { engine } : {}),
  });
  onTestFinished(async () => {
    await app.close();
    await engine.close();
  });
  const call: TestService['call'] = async (caller, method, url, body, headers = {}) => {
    const {
      statusCode,
      headers: given,
      body: text,
    } = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${caller}`, ...headers },
      ...(body === undefined ? {} : { payload: body }),
    });
    return {
      status: statusCode,
      headers: given,
      text,
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  };
  return { app, engine, call };
}

/** Documents of two tenants, one of them for few. */
export async function withDocuments({ engine }: TestService): Promise<void> {
  await engine.push(
    [
      {
        id: 'open',
        title: 'Retries',
        text: 'Payments are retried three times, after one, two and four seconds.',
      },
      {
        id: 'pay',
        title: 'Salaries',
        text: 'Salaries of the board rise by nine percent in May.',
        access: { groups: ['hr'], level: 2 },
      },
    ],
    { tenant: 'acme' },
  );
  await engine.push([{ id: 'globex-plan', text: 'The zeppelin of Globex flies on Tuesday.' }], {
    tenant: 'globex',
  });
}
