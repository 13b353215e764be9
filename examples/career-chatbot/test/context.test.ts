import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ConversationTurn, tokenCounterFor, tokensOf } from 'ragstone';
import { contextWithFallback } from '../src/rag-context.js';
import type { RagService } from '../src/rag-service.js';
import { openKnowledge, openService } from './open-knowledge.js';
import { RecordingModel } from './recording-model.js';

let service: RagService;

before(async () => {
  ({ service } = await openKnowledge());
});
after(() => service.engine.close());

const HERON = 'How often does Heron make a new plan?';

test('the context has a quarter of the window, and names the source, title and date of each passage', async () => {
  const { text, entries, tokens } = await service.engine.context(HERON);
  assert.equal(tokens.budget, 2048);
  assert.ok(tokens.used <= tokens.budget);
  assert.ok(entries.length > 0);
  for (const { title = '', date, block } of entries) {
    assert.ok(text.includes(block) && block.includes(title) && date !== undefined);
  }
});

test('the first sentences of a document stand before its passages', async () => {
  const { entries } = await service.engine.context(HERON);
  assert.ok(entries.some(({ kind }) => kind === 'summary'));
  for (const [index, { kind, documentId }] of entries.entries())
    if (kind === 'summary') assert.equal(entries[index + 1]?.documentId, documentId);
});

test('what does not fit a small budget is shortened or left out, and is told of', async () => {
  const { entries, omitted, tokens, notices } = await service.engine.context({ text: HERON, budget: 150 });
  assert.ok(tokens.used <= 150);
  assert.ok(entries.some(({ isCompressed }) => isCompressed) || omitted.length > 0);
  assert.ok(notices.length > 0);
});

test('shares of the window are settings, and must add up', async () => {
  const shares = { system: 0.1, context: 0.5, history: 0.1, query: 0.05, response: 0.25 };
  const { service: other } = await openService({ overrides: { context: { shares } } });
  await other.ingestTexts([]);
  assert.equal((await other.engine.context(HERON)).tokens.budget, 4096);
  await other.engine.close();
  await assert.rejects(openService({ overrides: { context: { shares: { ...shares, context: 0.9 } } } }), {
    message: /must add up to 1/,
  });
});

test('a context for a model of its own is framed as the document frames it', async () => {
  const text = await contextWithFallback(service, HERON);
  assert.match(
    text,
    /^# Retrieved Information\n\nThe following information was found in the knowledge base:/,
  );
  assert.match(text, /If the information is insufficient, acknowledge limitations\.$/);
  assert.match(text, /20 minutes/);
});

test('where nothing reaches the threshold the best of a wider search are taken', async () => {
  const { service: strict } = await openKnowledge({ overrides: { retrieval: { minSimilarity: 0.99 } } });
  try {
    assert.match(await contextWithFallback(strict, HERON), /^# Retrieved Information.*\n## Heron/s);
    const { sources, notices } = await strict.engine.ask(HERON);
    const documents = new Set(sources.map(({ documentId }) => documentId));
    assert.ok(documents.size > 0 && documents.size <= 3);
    assert.match(notices.join(), /the search was widened/);
  } finally {
    await strict.engine.close();
  }
});

test('an empty knowledge base says that there is nothing, and claims nothing', async () => {
  const { service: empty, engine } = await openService();
  try {
    await empty.ingestTexts([]);
    const said = 'No specific information found in knowledge base. Provide a general response.';
    assert.equal(await contextWithFallback(empty, HERON), said);
    const { abstained, sources } = await engine.ask(HERON);
    assert.deepEqual([abstained, sources.length], [true, 0]);
  } finally {
    await engine.close();
  }
});

const TURN = 'Heron is a planner of lorries at Tallowfen, which had twenty-two depots by then. ';

test('a prompt keeps the question and its share of the conversation, and the oldest turns give way', async () => {
  const model = new RecordingModel(2_000, 'Heron makes a new plan every 20 minutes [1].');
  const { service: own } = await openKnowledge({ chatModel: model });
  const history = Array.from(
    { length: 12 },
    (_, turn): ConversationTurn => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: `Turn ${turn}. ${TURN.repeat(3)}`,
    }),
  );
  try {
    const { answerer, context, notices } = await own.engine.ask({ question: HERON, history });
    assert.equal(answerer, 'chat');
    assert.equal(context.tokens.budget, 500);
    const prompt = model.prompts.at(-1) ?? assert.fail();
    assert.equal(prompt[0]?.role, 'system');
    assert.ok(prompt.at(-1)?.content.includes(HERON));
    const turns = prompt.slice(1, -1).map(({ content }) => content);
    assert.ok(turns.length < history.length);
    assert.match(notices.join(), /earlier turns did not fit/);
    const counter = await tokenCounterFor(undefined);
    const used = prompt.reduce((sum, { content }) => sum + tokensOf(counter, content), 0);
    assert.ok(used <= 0.55 * model.contextWindow, `${used}`);
  } finally {
    await own.engine.close();
  }
});

test('a sentence that no source says is marked in the answer of a model', async () => {
  const model = new RecordingModel(8_000, 'Heron was written in Haskell by four hundred people in Peru [1].');
  const { service: own } = await openKnowledge({ chatModel: model });
  try {
    const { answer, support } = await own.engine.ask(HERON);
    assert.deepEqual(
      support.map(({ verdict }) => verdict),
      ['unsupported'],
    );
    assert.match(answer, /Haskell.*\(unchecked\)/);
  } finally {
    await own.engine.close();
  }
});
