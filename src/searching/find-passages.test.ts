import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../config/schema/index.js';
import type { ScopeInput } from '../core/scope.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
const open: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-paths-'));
});

afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function engineWith(config: RAGSettingsInput): Promise<Engine> {
  const engine = await createEngine({ config: { provider: 'memory', ...config }, cwd: folder });
  open.push(engine);
  return engine;
}

/** One long text about the retry policy, in small chunks that are all found before the second text. */
const LONG = Array.from(
  { length: 6 },
  (_, i) =>
    `The retry policy of the gateway waits ${i + 2} seconds before attempt ${i + 1}, and the retry policy of the gateway then doubles the wait of attempt ${i + 1} until the limit is reached.`,
).join(' ');
const SHORT = 'A note on the gateway: somebody should describe its policy.';

describe('search, ask and explain-miss over small chunks that are joined', () => {
  it('agree on what is found and where', async () => {
    const engine = await engineWith({
      chunking: { strategy: 'adaptive' },
      retrieval: { nearDuplicates: { enabled: false } },
    });
    await engine.index({
      documents: [
        { id: 'long.md', text: LONG },
        { id: 'short.md', text: SHORT },
      ],
    });
    const text = 'retry policy of the gateway';
    const { results } = await engine.search({ text, options: { topK: 2 } });
    expect(results.map(({ metadata }) => metadata.source)).toEqual(['long.md', 'short.md']);
    const explanation = await engine.explainMiss({ text, options: { topK: 2 } }, 'short.md');
    expect(explanation).toMatchObject({ found: true, rank: 2 });
    const answer = await engine.ask({ question: text, topK: 2, mode: 'naive', abstainBelow: 0 });
    const shown = answer.sources.map(({ source, chunk_text }) => [source, chunk_text]);
    const reranked = await engine.search({ text, options: { topK: 2, rerank: false } });
    expect(shown).toEqual(reranked.results.map(({ metadata, content }) => [metadata.source, content]));
  });
});

describe('a scope without a document', () => {
  it('is told so, whether its tenant is empty or all of it is for others', async () => {
    const engine = await engineWith({});
    await engine.index({ documents: [{ id: 'short.md', text: SHORT, access: { groups: ['hr'] } }] });
    const kinds = async (scope: ScopeInput) => (await engine.as(scope).search('gateway')).noticeKinds;
    expect(await kinds({ tenant: 'default', groups: ['hr'] })).not.toContain('nothing-readable');
    expect(await kinds({ tenant: 'default' })).toContain('nothing-readable');
    expect(await kinds({ tenant: 'acme' })).toContain('nothing-readable');
  });
});

describe('how many passages', () => {
  const documents = Array.from({ length: 8 }, (_, i) => ({
    id: `d${i}.md`,
    text: `The gateway ${['listens', 'waits', 'answers', 'stops', 'starts', 'logs', 'signs', 'fails'][i]} by itself in case ${i}.`,
  }));
  const sourcesOf = async (engine: Engine, question: string) =>
    (await engine.ask({ question, abstainBelow: 0 })).sources.length;

  it('are searched for an answer follows retrieval.topK, as rag_top_k sets it', async () => {
    const engine = await createEngine({
      config: { rag: { provider: 'memory' }, rag_top_k: 2 },
      cwd: folder,
    });
    open.push(engine);
    await engine.index({ documents });
    expect((await engine.search('gateway')).results).toHaveLength(2);
    expect(await sourcesOf(engine, 'gateway')).toBe(2);
  });

  it('are left after reranking holds for answers too, and gives way to what is stated for them', async () => {
    const kept: RAGSettingsInput = { retrieval: { topK: 5, rerank: { topK: 3 } } };
    const engine = await engineWith(kept);
    await engine.index({ documents });
    expect((await engine.search('gateway')).results).toHaveLength(3);
    expect(await sourcesOf(engine, 'gateway')).toBe(3);
    const stated = await engineWith({ ...kept, answering: { topK: 4 } });
    await stated.index({ documents });
    expect(await sourcesOf(stated, 'gateway')).toBe(4);
  });
});
