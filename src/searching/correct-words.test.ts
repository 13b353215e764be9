import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
const open: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-words-'));
});
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
  await rm(folder, { recursive: true });
});

async function engineWith(config: RAGSettingsInput = {}): Promise<Engine> {
  const engine = await createEngine({ config: { provider: 'memory', ...config }, cwd: folder });
  open.push(engine);
  await engine.index({
    documents: [
      { id: 'ci.md', text: 'Continuous integration builds every change on the server.' },
      { id: 'audit.md', text: 'Audit logs are kept for thirty days by the archive.' },
      { id: 'pay.md', text: 'The remuneration committee meets monthly.', access: { groups: ['hr'] } },
    ],
  });
  return engine;
}

const correction = { searchedFor: 'continuous integration' };

describe.each(['memory', 'libsql', 'lancedb'] as const)('over the store %s', (provider) => {
  it('a search says what it searched for, and finds it', async () => {
    const engine = await engineWith({ provider });
    const response = await engine.search({ text: 'continuos integraton', options: { mode: 'lexical' } });
    expect(response).toMatchObject({
      query: 'continuos integraton',
      correction: {
        ...correction,
        words: [{ typed: 'continuos', used: 'continuous' }, { used: 'integration' }],
      },
    });
    expect(response.results[0]?.metadata.source).toBe('ci.md');
    expect(response.understanding?.keywords).toEqual(['continuous', 'integration']);
  });
});

it('a query without mistakes has no correction', async () => {
  const response = await (await engineWith()).search('continuous integration');
  expect(response).not.toHaveProperty('correction');
});

it('is switched off for a query or by the configuration', async () => {
  const engine = await engineWith();
  const typed = { text: 'continuos integraton', options: { mode: 'lexical', exactWords: true } } as const;
  expect((await engine.search(typed)).results).toEqual([]);
  const off = await engineWith({ retrieval: { spelling: { enabled: false } } });
  const response = await off.search({ ...typed, options: { mode: 'lexical' } });
  expect(response.results).toEqual([]);
  expect(response).not.toHaveProperty('correction');
});

it('takes words from what the scope may read, and from nothing else', async () => {
  const engine = await engineWith();
  const text = 'the remuneraton comittee';
  const open = await engine.search({ text, options: { mode: 'lexical' } });
  expect(open).not.toHaveProperty('correction');
  const hr = engine.as({ tenant: 'default', groups: ['hr'] });
  expect((await hr.search({ text, options: { mode: 'lexical' } })).correction?.searchedFor).toBe(
    'the remuneration committee',
  );
  const other = engine.as({ tenant: 'other', groups: ['hr'] });
  expect(await other.search({ text, options: { mode: 'lexical' } })).not.toHaveProperty('correction');
});

it('learns words that are indexed later, and forgets those that are deleted', async () => {
  const engine = await engineWith();
  const ask = async (): Promise<string | undefined> =>
    (await engine.search({ text: 'the zookeper quorums', options: { mode: 'lexical' } })).correction
      ?.searchedFor;
  expect(await ask()).toBeUndefined();
  await engine.index({ documents: [{ id: 'zk.md', text: 'Zookeeper keeps the quorum.' }] });
  expect(await ask()).toBe('the zookeeper quorums');
  await engine.index({ deleted: ['zk.md'] });
  expect(await ask()).toBeUndefined();
});

it('an answer reads the question as it was meant, and says so', async () => {
  const engine = await engineWith();
  const question = 'How long are audit logs kept by the archvie?';
  const answer = await engine.ask({ question, abstainBelow: 0 });
  expect(answer).toMatchObject({
    question,
    standaloneQuestion: 'How long are audit logs kept by the archive?',
    correction: { words: [{ typed: 'archvie', used: 'archive' }] },
  });
  const exact = await engine.ask({ question, abstainBelow: 0, exactWords: true });
  expect(exact.standaloneQuestion).toBe(question);
  expect(exact).not.toHaveProperty('correction');
});

it('an explanation of a miss follows the search as it is made', async () => {
  const engine = await engineWith();
  const asked = { text: 'continuos integraton', options: { mode: 'lexical' } } as const;
  expect(await engine.explainMiss(asked, 'ci.md')).toMatchObject({
    query: 'continuos integraton',
    correction,
    found: true,
  });
  const exact = await engine.explainMiss(
    { ...asked, options: { mode: 'lexical', exactWords: true } },
    'ci.md',
  );
  expect(exact).toMatchObject({ found: false, lostAt: 'lexical' });
  expect(exact).not.toHaveProperty('correction');
});
