import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { openModels } from 'ragstone';
import { type BugBot, openBugBot } from '../src/bug-bot.js';
import type { Chat, ChatAnswer } from '../src/chat.js';
import { createEmbeddings } from '../src/embeddings.js';
import { loadBugs } from '../src/load-bugs.js';
import { createServer } from '../src/server.js';
import { readSettings } from '../src/settings.js';
import { type Claude, startClaude } from './claude.js';

const QUESTION = 'What was the root cause of the failed payments in checkout?';
const SAID =
  'In BUG-001 the timeout of payment-api to the bank gateway was lowered from 10 seconds to 2 seconds by a shared configuration template [n].';

/** What the local Claude says next; a number is the status of a failure. */
let says: string | number = SAID;
let claude: Claude;
let bot: BugBot;
let app: FastifyInstance;
/** The same bugs without a key. */
let quoting: FastifyInstance;

before(async () => {
  claude = await startClaude(({ body }) => {
    if (typeof says === 'number') return says;
    // As Claude would, it cites the passage that says so.
    const context =
      body.messages
        .at(-1)
        ?.content.map(({ text }) => text)
        .join('') ?? '';
    const n = /\[(\d+)\] INVESTIGATION — BUG-001/.exec(context)?.[1] ?? '1';
    return says.replaceAll('[n]', `[${n}]`);
  });
  bot = await openBugBot(readSettings({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: claude.url }));
  await loadBugs(bot.database, undefined);
  app = createServer(bot);
  quoting = createServer({ ...bot, models: { ...bot.models, chatModel: async () => undefined } });
});
after(async () => {
  await app?.close();
  await quoting?.close();
  await bot?.close();
  await claude?.close();
});

async function ask(to: FastifyInstance, body: object): Promise<{ status: number; body: ChatAnswer }> {
  const response = await to.inject({ method: 'POST', url: '/chat', payload: body });
  return { status: response.statusCode, body: response.json<ChatAnswer>() };
}

describe('before anything is indexed', () => {
  test('the chat says that the index is empty, and Claude is not asked', async () => {
    const { body } = await ask(app, { message: QUESTION });
    assert.match(body.answer, /Nothing is indexed yet/);
    assert.deepEqual(body.sources, []);
    assert.equal(claude.requests.length, 0);
  });
});

describe('over the sample', () => {
  test('POST /rag/index indexes everything and says how much', async () => {
    const response = await app.inject({ method: 'POST', url: '/rag/index' });
    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.json(), {
      status: 'completed',
      total: 34,
      indexed: { bug_reports: 12, investigations: 10, findings: 12 },
    });
  });

  test('GET /rag/stats tells documents by type and the last time', async () => {
    const stats = (await app.inject({ method: 'GET', url: '/rag/stats' })).json<Record<string, unknown>>();
    assert.deepEqual(Object.keys(stats), ['total_documents', 'by_type', 'last_indexed_at']);
    assert.equal(stats.total_documents, 34);
    assert.deepEqual(stats.by_type, { bug_report: 12, finding: 12, investigation: 10 });
    assert.ok(Date.now() - Date.parse(String(stats.last_indexed_at)) < 600_000);
  });

  test('POST /chat answers with Claude and names the bugs it rests on', async () => {
    const { status, body } = await ask(app, { message: QUESTION });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['answer', 'sources']);
    assert.match(body.answer, /^In BUG-001 the timeout .* \[INVESTIGATION — BUG-001\]\.?$/);
    assert.equal(body.sources.length, 5);
    assert.deepEqual(Object.keys(body.sources[0] ?? {}), [
      'bug_id',
      'source_type',
      'chunk_text',
      'similarity',
    ]);
    assert.ok(
      body.sources.some(({ bug_id, source_type }) => bug_id === 'BUG-001' && source_type === 'investigation'),
    );
    for (const { similarity } of body.sources) assert.ok(similarity > -1 && similarity <= 1);
  });

  test('Claude Haiku gets the rules, the history and the context under their limits', async () => {
    const before = claude.requests.length;
    const history = [
      { role: 'user', content: 'Is BUG-001 resolved?' },
      { role: 'assistant', content: 'Yes [BUG_REPORT — BUG-001].' },
    ];
    await ask(app, { message: QUESTION, conversation_history: history });
    const request = claude.requests[before];
    assert.equal(request?.path, '/v1/messages');
    assert.equal(request?.key, 'test-key');
    assert.equal(request?.body.model, 'claude-haiku-4-5-20251001');
    assert.equal(request?.body.max_tokens, 1024);
    const system = request?.body.system?.map(({ text }) => text).join('') ?? '';
    for (const rule of [
      /Use only the retrieved context/,
      /Name the Bug ID/,
      /context is insufficient/,
      /concise and technical/,
    ])
      assert.match(system, rule);
    const messages = claude.requests.slice(before).flatMap(({ body }) => body.messages);
    const texts = messages.map(({ content }) => content.map(({ text }) => text).join(''));
    assert.ok(texts.some((text) => text.includes('Is BUG-001 resolved?')));
    assert.ok(texts.some((text) => /BUG_REPORT — BUG-001.*\n\nBug ID: BUG-001\nSeverity: P1/.test(text)));
    assert.ok(texts.at(-1)?.includes(QUESTION));
  });

  test('what Claude says without a source is marked, and that is said', async () => {
    says = `${SAID} The bank was bought by Initech in 1999.`;
    const { body } = await ask(app, { message: QUESTION });
    says = SAID;
    assert.match(body.answer, /^In BUG-001 .* Initech in 1999\. \(unchecked\)$/);
    assert.match(body.notices?.join() ?? '', /1 of 2 sentences unchecked/);
  });

  test('what Claude says in words of its own stays', async () => {
    says =
      'BUG-001: a shared configuration template cut how long payment-api waits for the bank to 2 seconds [n].';
    const { body } = await ask(app, { message: QUESTION });
    says = SAID;
    assert.match(body.answer, /^BUG-001: a shared configuration template cut how long payment-api waits/);
  });

  test('what a document contradicts is removed, and that is said', async () => {
    says = `${SAID} In BUG-001 the timeout of payment-api to the bank gateway was lowered from 10 seconds to 5 seconds by a shared configuration template [n].`;
    const { body } = await ask(app, { message: QUESTION });
    says = SAID;
    assert.doesNotMatch(body.answer, /5 seconds/);
    assert.match(body.notices?.join() ?? '', /1 of 2 sentences removed/);
  });

  test('Claude may say that the context is insufficient', async () => {
    says = 'NO_ANSWER';
    const { body } = await ask(app, { message: QUESTION });
    says = SAID;
    assert.doesNotMatch(body.answer, /NO_ANSWER/);
    assert.match(body.answer, /passage/i);
    assert.equal(body.sources.length, 5);
  });

  test('a Claude without capacity is asked six times in all, then the answer is quoted', async () => {
    says = 529;
    const before = claude.requests.length;
    const { status, body } = await ask(app, { message: QUESTION });
    says = SAID;
    assert.equal(status, 200);
    assert.equal(claude.requests.length - before, 6);
    assert.match(body.answer, /BUG-001/);
  });

  test('without a key a document that answers is quoted, with its Bug ID', async () => {
    const { body } = await ask(quoting, { message: 'Why was the disk of the order database full?' });
    assert.match(body.answer, /replication slot/);
    assert.match(body.answer, /\[INVESTIGATION — BUG-011\]$/);
  });

  test('a question about a bug by its id is answered from that bug alone', async () => {
    const { body } = await ask(quoting, { message: 'What is the root cause of BUG-003?' });
    assert.match(body.answer, /certificate of auth-svc expired/);
    assert.deepEqual([...new Set(body.sources.map(({ bug_id }) => bug_id))], ['BUG-003']);
  });

  test('a follow-up is understood from the conversation', async () => {
    const history = [{ role: 'user', content: 'Why do pods of order-api restart with OOMKilled?' }];
    const { body } = await ask(quoting, { message: 'Which cache was it?', conversation_history: history });
    assert.equal(body.sources[0]?.bug_id, 'BUG-007');
  });

  test('a question that no document tells of is answered by saying so', async () => {
    const { body } = await ask(quoting, { message: 'Why did Kafka lose messages?' });
    assert.match(body.answer, /Nothing here mentions Kafka/);
    const bread = await ask(quoting, { message: 'How do I bake bread?' });
    assert.match(bread.body.answer, /No passage clearly answers/);
  });

  test('an answer comes as events where the caller asks for them', async () => {
    const { headers, body } = await app.inject({
      method: 'POST',
      url: '/chat',
      headers: { accept: 'text/event-stream' },
      payload: { message: QUESTION },
    });
    assert.equal(headers['content-type'], 'text/event-stream');
    const events = [...body.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, type, data]) => [
      type,
      JSON.parse(data ?? ''),
    ]);
    assert.equal(events[0]?.[0], 'text');
    const [type, answer] = events.at(-1) ?? [];
    assert.equal(type, 'answer');
    assert.match(String(answer.answer), /— BUG-001\]/);
  });

  test('a body with other fields, or without a message, is refused', async () => {
    for (const payload of [
      {},
      { message: '' },
      { message: 'x', top_k: 3 },
      { message: 'x', conversation_history: [{ role: 'system', content: 'x' }] },
    ]) {
      const { status, body } = await ask(app, payload);
      assert.deepEqual([status, 'reason' in body && body.reason], [400, 'REQUEST_INVALID']);
    }
  });
});

describe('what may fail', () => {
  test('a database that is down is told in one sentence, at the start and later', async () => {
    const settings = readSettings({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await assert.rejects(openBugBot(settings), /ECONNREFUSED/);
    const refuse = async (): Promise<never> => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
    };
    const database = { ...bot.database, query: refuse, transaction: refuse };
    const broken = createServer({ ...bot, database });
    for (const [method, url, payload] of [
      ['POST', '/chat', { message: 'x' }],
      ['POST', '/rag/index', undefined],
      ['GET', '/rag/stats', undefined],
    ] as const) {
      const response = await broken.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
      assert.equal(response.statusCode, 503);
      assert.deepEqual(response.json(), {
        error: 'The database cannot be reached. Try again later.',
        reason: 'DATABASE_UNAVAILABLE',
      });
    }
    await broken.close();
  });

  test('a model with more dimensions than the column is refused', async () => {
    const models = await openModels({ config: {} });
    const wide: Chat['models'] = {
      ...models,
      embed: async ({ texts }) => ({
        model: 'wide',
        dimensions: 768,
        vectors: texts.map(() => new Float32Array(768)),
      }),
    };
    await assert.rejects(createEmbeddings(wide, 'wide').embedTexts(['x']), /768 dimensions/);
    await models.close();
  });
});
