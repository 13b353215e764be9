import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, indexesOf, RagDeploymentModel, type TenantIndexes } from '../../../index.js';
import { filesWith } from '../../../testing/files-with.js';
import { SqliteValues } from '../retained/sqlite-values.js';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';

async function service() {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'memory', feedback: { enabled: true } }, cwd });
  const opened = await testService({ engine, feedback: true });
  const folder = join(cwd, '.ragstone');
  await withDocuments(opened);
  const search = async (caller: string, query = 'How often are payments retried?') => {
    const body = { query, tenantId: caller.split('-')[0], minScore: 0 };
    return String((await opened.call(caller, 'POST', `${RAG}/search`, body)).json().requestId);
  };
  const send = (caller: string, body: object) => opened.call(caller, 'POST', `${RAG}/feedback`, body);
  const list = async (caller: string, query = '') =>
    (await opened.call(caller, 'GET', `${RAG}/feedback${query}`)).json();
  return { ...opened, folder, search, send, list };
}

test('feedback is stored with what was shown, for maintainers of the index of the tenant', async () => {
  const { search, send, list, call, folder } = await service();
  const requestId = await search('acme-reader');
  const sent = await send('acme-reader', { requestId, helpful: true, rank: 1, comment: 'Just right.' });
  expect([sent.status, Object.keys(sent.json())]).toEqual([200, ['id']]);
  const answered = await call('acme', 'POST', `${RAG}/answer`, {
    question: 'How often are payments retried?',
  });
  await send('acme', { requestId: answered.json().requestId, helpful: false });
  const page = await list('acme');
  expect(page).toMatchObject({
    unreadable: 0,
    feedback: [
      {
        ...{ caller: 'b', requestId, helpful: true, rank: 1, comment: 'Just right.', kind: 'search' },
        question: 'How often are payments retried?',
        places: [{ rank: 1, source: 'open' }],
      },
      { caller: 'a', helpful: false, kind: 'answer', places: [{ rank: 1, source: 'open' }] },
    ],
  });
  expect(await list('globex')).toEqual({ feedback: [], unreadable: 0, withheld: 0 });
  expect((await call('acme-reader', 'GET', `${RAG}/feedback`)).status).toBe(403);
  const [file = ''] = readdirSync(join(folder, 'feedback'));
  if (process.platform !== 'win32') expect(statSync(join(folder, 'feedback', file)).mode & 0o077).toBe(0);
  // The groups of the other document keep it out of what is stored.
  expect(readFileSync(join(folder, 'feedback', file), 'utf8')).not.toContain('pay"');
});

test('what a tenant was shown of a store of the customer is in no file, and feedback is taken', async () => {
  const cwd = temporaryFolder();
  const engine = await createEngine({ config: { provider: 'memory', feedback: { enabled: true } }, cwd });
  const deployment = { deploymentId: 'of-acme', deploymentModel: RagDeploymentModel.CustomerOwned };
  const indexes: TenantIndexes = {
    ...indexesOf(engine),
    of: async (scope) => ({ view: engine.as(scope), deployment }),
  };
  const kept = new SqliteValues(cwd);
  onTestFinished(() => kept.close());
  const { call } = await testService({ indexes, kept, feedback: true });
  await call('acme', 'POST', `${RAG}/index`, { tenantId: 'acme', id: 'lamp', content: 'The lamp is blue.' });
  const body = { query: 'the quagganote', tenantId: 'acme', minScore: 0 };
  const { requestId } = (await call('acme', 'POST', `${RAG}/search`, body)).json();
  expect(await filesWith(cwd, 'quagganote')).toEqual([]);
  expect((await call('acme', 'POST', `${RAG}/feedback`, { requestId, helpful: true })).status).toBe(200);
});

test("another's request is as unknown as none, and what was not shown is refused", async () => {
  const { search, send, list } = await service();
  const requestId = await search('acme-hr');
  const reply = async (caller: string, id: string) => {
    const { status, text, headers } = await send(caller, { requestId: id, helpful: true });
    return [status, text.replaceAll(String(headers['x-request-id']), 'ID')];
  };
  const none = await reply('acme', 'never-asked');
  expect(none[0]).toBe(404);
  for (const caller of ['acme', 'acme-reader', 'globex'])
    expect(await reply(caller, requestId)).toEqual(none);
  expect((await send('acme-hr', { requestId, helpful: true, rank: 1_000 })).status).toBe(400);
  expect((await send('acme-hr', { requestId, helpful: true, places: [] })).status).toBe(400);
  expect((await send('acme-hr', { requestId, helpful: true, tenantId: 'globex' })).status).toBe(403);
  expect((await list('acme')).feedback).toEqual([]);
});

test('a page goes on where the one before ended, and a torn line costs no other', async () => {
  const { search, send, list, folder } = await service();
  const requestId = await search('acme');
  for (const comment of ['one', 'two €', 'three']) await send('acme', { requestId, helpful: true, comment });
  const [file = ''] = readdirSync(join(folder, 'feedback'));
  appendFileSync(join(folder, 'feedback', file), '{"requestId":"torn');
  await send('acme', { requestId, helpful: true, comment: 'four' });
  const comments: unknown[] = [];
  let unreadable = 0;
  for (let cursor = ''; ; ) {
    const page = (await list('acme', `?limit=2${cursor}`)) as {
      feedback: { comment: string }[];
      unreadable: number;
      cursor?: string;
    };
    comments.push(...page.feedback.map(({ comment }) => comment));
    unreadable += page.unreadable;
    if (page.cursor === undefined) break;
    cursor = `&cursor=${page.cursor}`;
  }
  expect([comments, unreadable]).toEqual([['one', 'two €', 'three', 'four'], 1]);
});

test('clicks and verdicts on places become judgments, of the own tenant alone', async () => {
  const { search, send, list, call } = await service();
  for (let times = 0; times < 3; times++)
    expect((await send('acme', { requestId: await search('acme'), clicked: [1] })).status).toBe(200);
  const requestId = await search('globex', 'When does the zeppelin fly?');
  await send('globex', { requestId, relevant: [1] });
  await send('globex', { requestId, answer: 'regenerated' });
  expect((await list('acme')).feedback).toMatchObject([{ clicked: [1] }, { clicked: [1] }, { clicked: [1] }]);
  const judgments = async (caller: string) => {
    const { questions } = (await call(caller, 'GET', `${RAG}/feedback/judgments`)).json();
    return questions;
  };
  const ofAcme = await judgments('acme');
  expect(ofAcme).toMatchObject([
    { question: 'How often are payments retried?', gold: [{ path: 'open', grade: 3 }], alternates: [] },
  ]);
  expect(JSON.stringify(ofAcme)).not.toContain('zeppelin');
  expect(await judgments('globex')).toMatchObject([{ gold: [{ path: 'globex-plan' }] }]);
  expect((await call('acme-reader', 'GET', `${RAG}/feedback/judgments`)).status).toBe(403);
});

test('what others with more rights asked is not shown, and counted', async () => {
  const { search, send, list, call } = await service();
  await send('acme-hr', { requestId: await search('acme-hr', 'How do salaries rise?'), relevant: [1] });
  expect(await list('acme')).toEqual({ feedback: [], unreadable: 0, withheld: 1 });
  expect((await list('acme-hr')).feedback).toMatchObject([{ question: 'How do salaries rise?' }]);
  const judged = (await call('acme', 'GET', `${RAG}/feedback/judgments`)).json();
  expect(judged).toMatchObject({ questions: [], counts: { withheld: 1, events: 0 } });
});

test.each([
  [{}, 400],
  [{ helpful: true, unknown: 1 }, 400],
  [{ clicked: [0] }, 400],
  [{ clicked: ['1'] }, 400],
  [{ clicked: [51] }, 400],
  [{ relevant: [1], notRelevant: [1] }, 400],
  [{ rank: 1 }, 400],
  [{ answer: 'superb' }, 400],
  [{ clicked: [] }, 200],
])('a body %j is answered by %i', async (body, status) => {
  const { search, send } = await service();
  expect((await send('acme', { requestId: await search('acme'), ...body })).status).toBe(status);
});

test('feedback is off unless it is switched on, and then nothing of what was shown is kept', async () => {
  const opened = await testService();
  await withDocuments(opened);
  const found = await opened.call('acme', 'POST', `${RAG}/search`, { query: 'retries', tenantId: 'acme' });
  const body = { requestId: found.json().requestId, helpful: true };
  for (const reply of [
    await opened.call('acme', 'POST', `${RAG}/feedback`, body),
    await opened.call('acme', 'GET', `${RAG}/feedback`),
    await opened.call('acme', 'GET', `${RAG}/feedback/judgments`),
  ])
    expect([reply.status, reply.json().reason, reply.json().detail]).toEqual([
      409,
      'FEEDBACK_OFF',
      'This service keeps no feedback.',
    ]);
});
