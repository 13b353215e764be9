import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Engine } from 'ragstone';
import { Chatbot, type ChatReply } from '../src/chatbot.js';
import type { SearchLogLine } from '../src/rag-service.js';
import type { Satisfaction } from '../src/satisfaction.js';
import { createServer } from '../src/server.js';
import { openKnowledge } from './open-knowledge.js';

const lines: SearchLogLine[] = [];
let app: FastifyInstance;
let engine: Engine;

before(async () => {
  const opened = await openKnowledge();
  ({ engine } = opened);
  const chatbot = new Chatbot(engine, (line) => lines.push(line));
  app = createServer({ chatbot, service: opened.service });
});
after(async () => {
  await app.close();
  await engine.close();
});

async function post<Reply>(
  url: string,
  payload: object,
): Promise<{ readonly status: number; readonly reply: Reply }> {
  const response = await app.inject({ method: 'POST', url, payload });
  return { status: response.statusCode, reply: response.json<Reply>() };
}

const QUESTION = 'How often does Heron make a new plan?';

test('the chatbot answers over HTTP, and says which documents of which date it rests on', async () => {
  const { status, reply } = await post<ChatReply>('/chat', { message: QUESTION });
  assert.equal(status, 200);
  assert.match(reply.answer, /20 minutes.*\[\d\]/s);
  assert.equal(reply.mode, 'enhanced');
  const line = lines.at(-1) ?? assert.fail();
  assert.deepEqual([line.message, line.query], ['RAG search completed', QUESTION]);
  assert.ok(line.num_results > 0 && line.latency_ms > 0 && line.top_score > 0 && line.top_score <= 1);
  const [first] = reply.sources;
  assert.match(first?.document_id ?? '', /^heron-/);
  assert.match(first?.date ?? '', /^20\d\d-\d\d-\d\d$/);
  assert.equal(first?.source, 'project');
  assert.equal(new Set(reply.sources.map(({ document_id }) => document_id)).size, reply.sources.length);
});

test('an answer that is asked for again comes from the mode that looks further, and is counted', async () => {
  const before = (await app.inject('/stats')).json<Satisfaction>();
  const { reply } = await post<ChatReply>('/chat', { message: QUESTION, mode: 'naive' });
  const again = await post<ChatReply>(`/chat/${reply.id}/feedback`, { verdict: 'regenerated' });
  const last = await post<ChatReply>(`/chat/${again.reply.id}/feedback`, { verdict: 'regenerated' });
  assert.deepEqual([again.reply.mode, last.reply.mode], ['enhanced', 'agentic']);
  await post(`/chat/${last.reply.id}/feedback`, { verdict: 'good' });
  await post(`/chat/${last.reply.id}/feedback`, { verdict: 'good' });
  const now = (await app.inject('/stats')).json<Satisfaction>();
  assert.deepEqual(
    [now.answers - before.answers, now.regenerated - before.regenerated, now.good - before.good],
    [3, 2, 1],
  );
  assert.equal(now.regeneration_rate, now.regenerated / now.answers);
  const { feedback } = await engine.listFeedback();
  assert.deepEqual(
    feedback.map(({ question, answer, kind }) => [question, answer, kind]),
    ['regenerated', 'regenerated', 'good'].map((verdict) => [QUESTION, verdict, 'answer']),
  );
  assert.ok(feedback.every(({ places }) => places.length > 0));
});

test('what a body should not have is refused, and an answer that nobody gave cannot be judged', async () => {
  assert.equal((await post('/chat', { message: QUESTION, top_k: 3 })).status, 400);
  assert.equal((await post('/chat', { message: QUESTION, mode: 'psychic' })).status, 400);
  assert.equal((await post('/chat', { message: ' ' })).status, 400);
  assert.equal((await post('/chat/nobody/feedback', { verdict: 'bad' })).status, 404);
});

test('a text that is taken in is found by the next question', async () => {
  const text = 'Maren Holtby has a parrot called Quux. It can say three words.';
  const metadata = { source: 'linkedin', timestamp: '2026-02-09', version: 1 };
  const { reply } = await post('/documents', {
    text,
    document_id: 'linkedin_1',
    title: 'LinkedIn',
    metadata,
  });
  assert.deepEqual(reply, { document_id: 'linkedin_1', written: 1 });
  const { reply: answered } = await post<ChatReply>('/chat', { message: 'What is the name of her parrot?' });
  assert.match(answered.answer, /Quux/);
  assert.deepEqual(
    { ...answered.sources[0], n: 0 },
    { n: 0, document_id: 'linkedin_1', title: 'LinkedIn', source: 'linkedin', date: '2026-02-09' },
  );
  const context = await app.inject({ url: '/context', query: { query: 'parrot' } });
  assert.match(context.body, /^# Retrieved Information.*Quux/s);
});
