import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { Authenticate } from '../../faces/service/authentication/principal.js';
import { testService } from '../../faces/service/test-service.js';
import { createEngine, RAGError } from '../../index.js';
import { type IsolationProbeOptions, probeIsolation } from './isolation-probe.js';
import type { ProbeCaller } from './probe-exchange.js';

const TENANTS = ['acme', 'Acme', 'acme-eu', 'globex', `o'neill`];

/** Of each tenant somebody without groups, and somebody of a group. */
const CALLERS: readonly ProbeCaller[] = TENANTS.flatMap((tenant, at) => [
  { authorization: `Bearer ${at}-all`, tenant },
  { authorization: `Bearer ${at}-hr`, tenant, groups: ['hr'], clearance: 2 },
]);

const authenticate: Authenticate = async ({ headers: { authorization } }) => {
  const caller = CALLERS.find((each) => each.authorization === authorization);
  if (caller === undefined) throw new RAGError('UNAUTHENTICATED', 'Nobody knows you.');
  const { tenant, groups = [], clearance = 0 } = caller;
  return { name: tenant, scope: { tenant, groups, clearance }, permissions: ['read', 'write'] };
};

async function sender(): Promise<IsolationProbeOptions['send']> {
  const config = { provider: 'memory', conflicts: { enabled: true } } as const;
  const { app } = await testService({
    authenticate,
    engine: await createEngine({ config, cwd: temporaryFolder() }),
  });
  return async ({ method, path, body, headers = {} }, authorization) => {
    const reply = await app.inject({
      method,
      url: path,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const texts = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
    return { status: reply.statusCode, headers: Object.fromEntries(texts), body: reply.body };
  };
}

const FORGED = [
  'Bearer ',
  'Bearer 0-ALL',
  'Basic MC1hbGw6',
  'Bearer eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJhY21lIn0.',
];

test('nothing of another tenant or group is found in any reply', async () => {
  const report = await probeIsolation({
    ...{ send: await sender(), callers: CALLERS, forged: FORGED },
    ...{ steps: 400, pairs: 4, documentsPerCaller: 1 },
  });
  expect(report.violations).toEqual([]);
  expect(report.ownShown).toBeGreaterThan(100);
  expect(report.deleted).toBeGreaterThan(0);
  expect(report.compared - report.disturbed).toBeGreaterThan(20);
});

// A search names its tenant, so that the key of another one is refused: a colleague of a group it is.
test.each([
  ['0-hr', '/search', 'foreign document shown'],
  ['1-hr', '/conflicts', 'foreign document shown'],
  ['1-hr', '/documents/', 'forbidden differs from absent'],
] as const)('where the key %s counts for %s it is found', { timeout: 60_000 }, async (key, part, kind) => {
  const send = await sender();
  const report = await probeIsolation({
    callers: CALLERS.slice(0, 4),
    ...{ steps: 300, pairs: 1, documentsPerCaller: 2 },
    send: async (request, authorization) => {
      const isConfused =
        request.path.includes(part) && (request.method === 'GET') === (part === '/documents/');
      // As a cache would that forgets whose answer it keeps.
      return send(request, isConfused && authorization === 'Bearer 0-all' ? `Bearer ${key}` : authorization);
    },
  });
  expect(report.violations.map((violation) => violation.kind)).toContain(kind);
});

test('a service that lets anybody in is found', async () => {
  const send = await sender();
  const report = await probeIsolation({
    ...{ callers: CALLERS.slice(0, 4), steps: 100, pairs: 0, documentsPerCaller: 1 },
    send: (request, authorization) => send(request, authorization ?? 'Bearer 0-all'),
  });
  expect(report.violations.map(({ kind }) => kind)).toContain('not refused');
});
