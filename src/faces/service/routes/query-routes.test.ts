import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { AuditLog } from '../../../operations/audit/audit-log.js';
import type { QueriesPage } from '../../client/index.js';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';

/** A service whose log is put aside with each few lines. */
async function logged(text: boolean) {
  const options = { required: false, maxFileBytes: 4_096, keepFiles: 0, onFailure: () => undefined };
  const audit = new AuditLog({ dataDir: temporaryFolder(), text, ...options });
  const service = await testService({ audit });
  await withDocuments(service);
  const ask = (caller: string, query: string, body: object = {}) =>
    service.call(caller, 'POST', `${RAG}/explain`, { query, ...body });
  const list = async (caller: string, query = '') =>
    (await service.call(caller, 'GET', `${RAG}/queries${query}`)).json() as unknown as QueriesPage;
  return { ...service, audit, ask, list };
}

test('questions of the tenant are listed, youngest first, over files put aside, page by page', async () => {
  const { ask, list, call } = await logged(true);
  for (let at = 0; at < 25; at++) await ask('acme', `retries of payments ${at}`, { minScore: 0 });
  await ask('globex', 'the zeppelin');
  await call('acme', 'GET', `${RAG}/documents`);
  const first = await list('acme', '?limit=20');
  expect(first.queries.map(({ text }) => text)).toEqual(
    Array.from({ length: 20 }, (_, at) => `retries of payments ${24 - at}`),
  );
  expect(first.queries[0]).toMatchObject({ kind: 'search', caller: 'a', results: 1, isWithheld: false });
  const rest = await list('acme', `?limit=20&cursor=${first.cursor}`);
  expect(rest.queries.map(({ text }) => text)).toEqual(
    [4, 3, 2, 1, 0].map((at) => `retries of payments ${at}`),
  );
  expect(rest).toMatchObject({ isWhole: true });
  expect(rest).not.toHaveProperty('cursor');
});

test('those that found nothing, and answers that were withheld', async () => {
  const { ask, list, call } = await logged(true);
  await ask('acme', 'retries of payments', { minScore: 0 });
  await ask('acme', 'zebra', { minScore: 1 });
  await call('acme', 'POST', `${RAG}/answer`, { question: 'Who won the race of the zebras in Peru?' });
  await call('acme', 'POST', `${RAG}/answer`, { question: 'How often are payments retried?' });
  expect((await list('acme', '?only=without-results')).queries.map(({ text }) => text)).toEqual(['zebra']);
  const withheld = (await list('acme', '?only=withheld')).queries;
  expect(withheld).toMatchObject([
    { kind: 'answer', text: expect.stringContaining('zebras'), isWithheld: true },
  ]);
});

test('a search that was cancelled is not one that found nothing', async () => {
  const { audit, list } = await logged(true);
  const search = { face: 'http', action: 'POST /explain', tenant: 'acme', results: 0 } as const;
  await audit.record({ ...search, outcome: 'failed', reason: 'ABORTED' });
  await audit.record({ ...search, outcome: 'done' });
  expect((await list('acme')).queries.map(({ reason }) => reason)).toEqual([undefined, 'ABORTED']);
  expect((await list('acme', '?only=without-results')).queries).toHaveLength(1);
});

test('words are told where they are logged, to who has the rights with which they were asked', async () => {
  const { ask, list, call } = await logged(true);
  await ask('acme-hr', 'salaries of the board');
  expect((await list('acme-hr')).queries).toMatchObject([{ text: 'salaries of the board' }]);
  const [told] = (await list('acme')).queries;
  expect(told).toMatchObject({ kind: 'search', caller: 'c' });
  expect(told).not.toHaveProperty('text');
  expect((await list('globex')).queries).toEqual([]);
  expect((await call('acme-reader', 'GET', `${RAG}/queries`)).status).toBe(403);
  const without = await logged(false);
  await without.ask('acme', 'retries');
  expect((await without.list('acme')).queries[0]).not.toHaveProperty('text');
});

test('pages go on where the one before ended, whatever is written and put aside between them', async () => {
  const { audit, ask, list } = await logged(true);
  for (let at = 0; at < 9; at++)
    await audit.record({
      ...{ face: 'http', action: 'POST /search', outcome: 'done', tenant: 'acme', groups: [] },
      // Longer than what is read at once, and no longer than a file.
      text: `first ${at} ${'é'.repeat(40_000 * (at % 2))}`,
    });
  const first = await list('acme', '?limit=3');
  for (let at = 0; at < 30; at++) await ask('acme', `later ${at}`);
  const told: (string | undefined)[] = [];
  for (let { cursor } = first; cursor !== undefined; ) {
    const page = await list('acme', `?limit=2&cursor=${cursor}`);
    told.push(...page.queries.map(({ text }) => text?.slice(0, 7)));
    ({ cursor } = page);
  }
  expect(told).toEqual([5, 4, 3, 2, 1, 0].map((at) => `first ${at}`));
  expect(await list('acme', '?cursor=gone.1.2')).toEqual({ queries: [], isWhole: true });
});

test('of a long log no more is looked at for a page than its share, and the next goes on there', async () => {
  const { audit, list } = await logged(true);
  const search = { face: 'http', outcome: 'done', tenant: 'acme' } as const;
  await audit.record({ ...search, action: 'POST /search', results: 0, text: 'the oldest' });
  for (let at = 0; at < 4; at++)
    await audit.record({ ...search, action: 'GET /x', documents: ['x'.repeat(3_000_000)] });
  const first = await list('acme', '?only=without-results');
  expect(first).toMatchObject({ queries: [], isWhole: false });
  expect(await list('acme', `?only=without-results&cursor=${first.cursor}`)).toMatchObject({
    queries: [{ kind: 'search', results: 0 }],
    isWhole: true,
  });
});
