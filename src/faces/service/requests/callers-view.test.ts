import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import {
  type ChatModel,
  createEngine,
  type EngineView,
  NOTICE_KINDS,
  type NoticeKind,
  RAGError,
  type SearchResponse,
} from '../../../index.js';
import { testService, withDocuments } from '../test-service.js';
import { callersView } from './callers-view.js';

const RAG = '/api/ai/rag';
const QUESTION = 'How often are payments retried?';

const fails = (): never => {
  throw new RAGError('CHAT_UNAVAILABLE', 'gpt-9: Incorrect API key provided: sk-proj-7. Organization org-7.');
};
const failingModel: ChatModel = {
  id: 'openai:gpt-9',
  contextWindow: 32_000,
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => fails() }) }),
  generateObject: async () => fails(),
  close: async () => undefined,
};

async function failingService() {
  const engine = await createEngine({
    config: { provider: 'memory' },
    cwd: temporaryFolder(),
    chatModel: failingModel,
  });
  const logged: string[] = [];
  const service = await testService({ engine }, (line) => logged.push(line));
  await withDocuments(service);
  return { ...service, logged };
}

test.each([
  ['/answer', { question: QUESTION }, undefined],
  ['/answer', { question: QUESTION, history: [{ role: 'user', content: 'Hello' }] }, undefined],
  ['/answer', { question: QUESTION }, 'text/event-stream'],
  ['/context', { query: QUESTION }, undefined],
  ['/explain', { query: QUESTION }, undefined],
])('the words of a provider are for the log: %s %j as %s', async (route, body, accept) => {
  const { call, logged } = await failingService();
  const headers = accept === undefined ? {} : { accept };
  const { status, text } = await call('acme-reader', 'POST', RAG + route, body, headers);
  expect(status).toBe(200);
  expect(text).not.toMatch(/sk-proj|org-7|gpt-9/);
  if (route !== '/answer') return;
  expect(text).toMatch(/ without the language model\."/);
  expect(logged.join('')).toContain('sk-proj-7');
});

test('the reason of a failure stays, without its words', async () => {
  const { call } = await failingService();
  const { json } = await call('acme-reader', 'POST', `${RAG}/answer`, { question: QUESTION });
  expect(json().fallback).toEqual({
    reason: 'CHAT_UNAVAILABLE',
    detail: expect.stringContaining('its log says why'),
  });
});

test('an assistant is not told them either', async () => {
  const { call } = await failingService();
  const ask = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask', arguments: { question: QUESTION } },
  };
  const { status, text } = await call('acme-reader', 'POST', '/mcp', ask, {
    accept: 'application/json, text/event-stream',
  });
  expect([status, text]).toEqual([200, expect.stringContaining('three times')]);
  expect(text).not.toMatch(/sk-proj|org-7|gpt-9/);
});

test('what is said of a question stays, and no command for maintainers of the index', async () => {
  const { call } = await failingService();
  const search = async (body: object) =>
    (await call('acme-reader', 'POST', `${RAG}/search`, { tenantId: 'acme', minScore: 0, ...body })).json()
      .notices;
  expect(await search({ query: QUESTION })).toEqual([
    'This tenant keeps documents that this scope may not read, and they are not searched.',
  ]);
  expect(await search({ query: QUESTION, tags: ['nowhere'] })).toContainEqual(
    'No document has tags nowhere.',
  );
  expect(await search({ query: 'payments '.repeat(1_100) })).toContainEqual(
    expect.stringMatching(/^The query has \d+ characters/),
  );
});

test.each([
  ['acme-reader', false],
  ['acme', true],
])('an explanation of a miss tells settings to maintainers alone: %s', async (caller, isTold) => {
  const logged: string[] = [];
  const service = await testService({}, (line) => logged.push(line));
  await service.engine.push(
    Array.from({ length: 6 }, (_, n) => ({ id: `d${n}`, text: `Payments are retried ${n} times.` })),
    { tenant: 'acme' },
  );
  const args = { query: QUESTION, document_id: 'd5', top_k: 1 };
  const ask = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'explain', arguments: args },
  };
  const accept = 'application/json, text/event-stream';
  const { json } = await service.call(caller, 'POST', '/mcp', ask, { accept });
  const { structuredContent: told } = json().result as { structuredContent: Record<string, unknown> };
  expect(told.found).toBe(false);
  expect(told.lost_at).toEqual(expect.any(String));
  expect((told.remedies as string[]).length > 0).toBe(isTold);
  expect(logged.join('').includes('withheld')).toBe(!isTold);
});

const OPERATORS_WORDS = 'See /var/lib/globex/ledger.db of the tenant globex: key sk-proj-7 was refused.';

/** What a caller is told of a notice, and what is said to be withheld. */
async function toldOf(kinds: readonly string[], notices = [OPERATORS_WORDS]) {
  const response = { notices, noticeKinds: kinds, results: [], lanes: [] } as unknown as SearchResponse;
  const withheld: string[] = [];
  const view = callersView({ search: async () => response } as unknown as EngineView, {
    onWithheld: (texts) => withheld.push(...texts),
    keepsIndex: true,
  });
  const { notices: told, noticeKinds } = await view.search('x');
  return { told, noticeKinds, withheld };
}

/** Their texts are made of counts, of what the caller asked and of what it was shown. */
const TOLD_WHOLE: readonly NoticeKind[] = [
  'graph-cut',
  'alike-left-out',
  'answer-one-sided',
  'deadline',
  'conflicts-cut',
  'sources-conflict',
  'query-cut',
  'query-wordless',
  'query-operators',
  'script-unread',
  'language-unread',
  'filters-empty',
  'nothing-readable',
  'below-threshold',
  'search-widened',
  'semantic-cache',
  'passage-instructs',
  'context-cut',
  'prompt-cut',
  'citations-changed',
  'sentences-unsupported',
  'sentences-removed',
  'answer-removed',
];

test.each(NOTICE_KINDS)(
  'of a notice of the kind %s a caller is told no more than is declared',
  async (kind) => {
    const { told, noticeKinds, withheld } = await toldOf([kind]);
    expect([told.length, noticeKinds.length]).toEqual([1, 1]);
    if (TOLD_WHOLE.includes(kind)) return expect([told, withheld]).toEqual([[OPERATORS_WORDS], []]);
    expect(told.join()).not.toMatch(/globex|sk-proj/);
    expect(withheld).toEqual([OPERATORS_WORDS]);
  },
);

test.each([
  ['of a kind that is not declared', ['new-kind']],
  ['of a kind that every object has', ['constructor']],
  ['of no kind', []],
])('a notice %s is not shown', async (_, kinds) => {
  const { told, noticeKinds, withheld } = await toldOf(kinds);
  expect(told.join()).not.toMatch(/globex|sk-proj/);
  expect([noticeKinds, withheld]).toEqual([['withheld'], [OPERATORS_WORDS]]);
});

test('one kind does not stand for the notice after it', async () => {
  const { told } = await toldOf(['query-cut'], ['The query is long.', OPERATORS_WORDS]);
  expect(told).toEqual(['The query is long.', expect.stringContaining('its log says why')]);
});
