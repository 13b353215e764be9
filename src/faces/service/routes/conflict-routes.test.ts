import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../../index.js';
import { testService } from '../test-service.js';

const PATH = '/api/ai/rag/conflicts';
const statement = (days: number): string =>
  `Failed card payments are retried after ${days} days by the billing service.`;

async function service() {
  const config = { provider: 'memory', conflicts: { enabled: true } } as const;
  const own = await testService({ engine: await createEngine({ config, cwd: temporaryFolder() }) });
  const staff = { groups: ['hr'], level: 2 };
  const acme = own.engine.as({ tenant: 'acme', groups: ['hr'], clearance: 2 });
  await acme.push([
    { id: 'old', text: statement(3), metadata: { updatedAt: '2023-01-01T00:00:00Z' } },
    { id: 'new', text: statement(5), metadata: { updatedAt: '2024-01-01T00:00:00Z' } },
    { id: 'secret', text: statement(9), access: staff },
  ]);
  await own.engine.as({ tenant: 'globex' }).push([{ id: 'theirs', text: statement(7) }]);
  return own;
}

test('a caller is shown conflicts of which it may read both sides, the newer document first', async () => {
  const { call } = await service();
  const open = await call('acme-reader', 'POST', PATH, { tenantId: 'acme', kinds: ['conflict'] });
  expect(open.status).toBe(200);
  expect(open.json()).toMatchObject({
    findings: [
      {
        kind: 'conflict',
        differences: [{ kind: 'quantity', first: '5 days', second: '3 days' }],
        passages: [
          { quote: statement(5), places: [{ externalId: 'new', date: '2024-01-01T00:00:00Z' }] },
          { quote: statement(3), places: [{ externalId: 'old' }] },
        ],
      },
    ],
    totals: { conflict: 1, duplicate: 0 },
    examined: 2,
    notExamined: [],
  });
  expect(open.text).not.toMatch(/secret|theirs|9 days|7 days/);
  const all = await call('acme-hr', 'POST', PATH, {});
  expect(all.json()).toMatchObject({ examined: 3 });
  expect(all.text).toContain('9 days');
  expect((await call('globex', 'POST', PATH, {})).json()).toMatchObject({ findings: [], examined: 1 });
});

test('of one document those that it has a part in, and none of one that may not be read', async () => {
  const { call, engine } = await service();
  const idOf = async (name: string) =>
    (await engine.get(name, { tenant: 'acme', groups: ['hr'], clearance: 2 }))?.id;
  const count = async (document: string | undefined) => {
    const { findings, totals } = (await call('acme-reader', 'POST', PATH, { document })).json();
    return [(findings as object[]).length, totals];
  };
  expect(await count(await idOf('old'))).toEqual([1, { conflict: 1, duplicate: 0 }]);
  expect(await count(await idOf('secret'))).toEqual([0, { conflict: 0, duplicate: 0 }]);
  expect(await count('nobody')).toEqual([0, { conflict: 0, duplicate: 0 }]);
});

test('what does not fit is refused, and so is a service that does not look for them', async () => {
  const { call } = await service();
  expect((await call('acme', 'POST', PATH, { tenantId: 'globex' })).status).toBe(403);
  expect((await call('acme', 'POST', PATH, { limit: 5_000 })).status).toBe(400);
  expect((await call('acme', 'POST', PATH, { kinds: [] })).status).toBe(400);
  const misspelt = await call('acme', 'POST', PATH, { kind: ['conflict'] });
  expect(misspelt.json()).toMatchObject({
    reason: 'REQUEST_INVALID',
    detail: 'The body has no "kind". Did you mean kinds?',
  });
  expect((await call('nobody', 'POST', PATH, {})).status).toBe(401);
  const off = await testService();
  const refused = await off.call('acme', 'POST', PATH, {});
  expect([refused.status, refused.json()]).toMatchObject([409, { reason: 'CONFLICTS_OFF' }]);
  expect(refused.text).not.toContain('rag.conflicts');
});
