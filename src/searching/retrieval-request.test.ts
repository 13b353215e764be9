import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatModel } from '../core/chat-model.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import { askedThings } from './retrieval-request.js';

let folder: string;
let engine: Engine;

const WORK = ['the search team', 'the payment team', 'a museum', 'a railway', 'a bakery', 'a hospital'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-complexity-'));
  const config = {
    provider: 'memory',
    chat: { contextWindow: 1_000 },
    context: { shares: { system: 0.1, context: 0.4, history: 0.1, query: 0.1, response: 0.3 } },
    retrieval: { topK: 2, adaptiveTopK: { byComplexity: true, most: 5 } },
  } as const;
  engine = await createEngine({ config, cwd: folder });
  await engine.index(
    WORK.map((place, year) => ({
      id: place,
      text: `In 201${year} she worked for ${place} and wrote Python.`,
    })),
  );
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const ONE = 'Where did she work?';
const TWO = 'Which museum hired her, and when did she join the railway team?';
const FOUR =
  'Which museum hired her? When did she join the railway team? Which bakery sold bread? Which language is written at the hospital?';

test('a question is what it asks: one thing, questions that and joins, sentences, sides of a comparison', () => {
  expect(askedThings(ONE)).toEqual([ONE]);
  expect(askedThings(TWO)).toEqual(['Which museum hired her', 'when did she join the railway team']);
  expect(askedThings(FOUR)).toHaveLength(4);
  expect(askedThings('Compare the museum job with the railway job.')).toHaveLength(2);
});

test('a question gets topK results for each thing that it asks, at most so many, and is told how it was read', async () => {
  const shown = async (text: string) => {
    const { results, understanding } = await engine.search(text);
    return { results: results.length, parts: understanding?.parts?.length };
  };
  expect(await shown(ONE)).toEqual({ results: 2, parts: undefined });
  expect(await shown(TWO)).toEqual({ results: 4, parts: 2 });
  expect(await shown(FOUR)).toEqual({ results: 5, parts: 4 });
});

test('who says how many gets so many', async () => {
  const { results, understanding } = await engine.search({ text: FOUR, topK: 3 });
  expect(results).toHaveLength(3);
  expect(understanding?.parts).toBeUndefined();
});

test('an answer looks at as many', async () => {
  expect((await engine.ask({ question: ONE, abstainBelow: 0 })).sources).toHaveLength(2);
  expect((await engine.ask({ question: TWO, abstainBelow: 0 })).sources).toHaveLength(4);
  expect((await engine.ask({ question: TWO, abstainBelow: 0, topK: 1 })).sources).toHaveLength(1);
});

test('the context has its share of the window that is stated', async () => {
  expect((await engine.context(ONE)).tokens.budget).toBe(400);
  expect((await engine.ask(ONE)).context.tokens.budget).toBe(400);
});

test('a model that is handed in has its own window', async () => {
  const chatModel: ChatModel = {
    id: 'test:small',
    contextWindow: 2_000,
    async *stream() {
      yield { type: 'text', text: 'She wrote Python [1].' };
      yield { type: 'finish', reason: 'stop' };
    },
    generateObject: () => Promise.reject(new Error('It writes no objects.')),
    close: async () => {},
  };
  const config = { provider: 'memory', chat: { contextWindow: 1_000 } } as const;
  const own = await createEngine({ config, cwd: folder, chatModel });
  await own.index([{ id: 'a', text: 'She worked for the museum and wrote Python.' }]);
  expect((await own.ask('What did she write for the museum?')).context.tokens.budget).toBe(500);
  await own.close();
});

test('shares that do not add up to 1 are refused', async () => {
  const shares = { system: 0.1, context: 0.5, history: 0.1, query: 0.1, response: 0.3 };
  await expect(createEngine({ config: { context: { shares } }, cwd: folder })).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('must add up to 1'),
  });
});
