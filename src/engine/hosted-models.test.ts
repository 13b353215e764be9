import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anthropicWire } from '../../tests/fakes/wire/anthropic-wire.js';
import { type ChatBehaviour, chatReply } from '../../tests/fakes/wire/chat-wire.js';
import { compatibleEmbeddingWire, embeddingReply } from '../../tests/fakes/wire/embedding-wire.js';
import { compatibleRerankWire, rerankReply } from '../../tests/fakes/wire/rerank-wire.js';
import { startWireServer, type WireServer } from '../../tests/fakes/wire/wire-server.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

let folder: string;
const open: (Engine | WireServer)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-hosted-'));
  await writeFile(
    join(folder, 'a.md'),
    '# Report\n\nRevenue grew by three percent over the previous quarter.\n',
  );
  await writeFile(join(folder, 'b.md'), '# Manual\n\nPress the red lever to stop the machine at once.\n');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const thing of open.splice(0)) await thing.close();
  await rm(folder, { recursive: true, force: true });
});

async function engineWith(config: RAGSettingsInput): Promise<Engine> {
  const engine = await createEngine({ cwd: folder, config: { provider: 'libsql', ...config } });
  open.push(engine);
  return engine;
}

const sources: RAGSettingsInput['sources'] = [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }];

/** Writes a context that holds a word of no document: `zirconium` for the report. */
const writesContexts = (body: unknown): ChatBehaviour => ({
  kind: 'answer',
  text: JSON.stringify(body).includes('Revenue') ? 'This is about zirconium sales.\n' : 'About a machine.',
});

async function anthropic(behave: (body: unknown) => ChatBehaviour): Promise<WireServer> {
  const server = await startWireServer(anthropicWire, (request) =>
    chatReply(anthropicWire, request, behave(request.body)),
  );
  open.push(server);
  return server;
}

const contextual = (server: WireServer, more: RAGSettingsInput['chat'] = {}): RAGSettingsInput => ({
  sources,
  chat: { model: 'anthropic:claude-haiku-4-5-20251001', maxRetries: 0, ...more },
  modelProviders: { anthropic: { apiKey: 'test-key', baseUrl: `${server.url}/v1` } },
  indexing: { contextual: { enabled: true } },
});

describe('contextual retrieval', () => {
  it('says what it would cost, and sends nothing', async () => {
    const server = await anthropic(writesContexts);
    const engine = await engineWith(contextual(server));
    const { estimate } = await engine.index({ options: { dryRun: true } });
    expect(estimate?.contexts).toMatchObject({ chunks: 2, outputTokens: 240 });
    expect(estimate?.contexts?.cost).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(0);
  });

  it('is found by what was written, shows what stands in the document, and is paid for once', async () => {
    const server = await anthropic(writesContexts);
    const engine = await engineWith(contextual(server));
    const { success, notices } = await engine.index();
    expect(success).toBe(true);
    expect(notices).toContainEqual(expect.stringMatching(/wrote 2 contexts with 34 tokens, \$0\.0001\.$/));
    expect(server.violations).toEqual([]);
    expect(server.requests).toHaveLength(2);

    const { results } = await engine.search({ text: 'zirconium', options: { mode: 'lexical' } });
    expect(results[0]?.metadata.source).toBe('a.md');
    expect(results[0]?.content).toContain('Revenue grew');
    expect(JSON.stringify(results)).not.toContain('zirconium');

    await engine.index({ options: { force: true } });
    expect(server.requests).toHaveLength(2);
    const { estimate } = await engine.index({ options: { dryRun: true, force: true } });
    expect(estimate?.contexts).toMatchObject({ chunks: 0, cost: 0 });
  });

  it('indexes a document without contexts where the model fails, reports it, and tries again', async () => {
    let isDown = true;
    const server = await anthropic((body) =>
      isDown && JSON.stringify(body).includes('Revenue')
        ? { kind: 'status', status: 500 }
        : writesContexts(body),
    );
    const engine = await engineWith(contextual(server));
    const first = await engine.index();
    expect(first.success).toBe(false);
    expect(first.stats.errors).toMatchObject([
      { item: 'a.md', reason: 'CHAT_UNAVAILABLE', message: expect.stringContaining('1 of 1 chunks') },
    ]);
    const found = await engine.search({ text: 'revenue', options: { mode: 'lexical' } });
    expect(found.results[0]?.metadata.source).toBe('a.md');

    isDown = false;
    expect(await engine.retry()).toMatchObject({ success: true });
    const { results } = await engine.search({ text: 'zirconium', options: { mode: 'lexical' } });
    expect(results[0]?.metadata.source).toBe('a.md');
  });

  it('writes the contexts of one tenant without those of another, also where a document has the same name and words', async () => {
    const server = await anthropic(writesContexts);
    const engine = await engineWith({
      ...contextual(server),
      chunking: { unit: 'characters', minSize: 10, maxSize: 45, overlap: 0 },
    });
    const shared = '## Terms\n\nAll rights are reserved.';
    const push = (tenant: string, text: string) =>
      engine.push([{ id: 'a', text, mediaType: 'text/markdown' }], { tenant });
    await push('acme', `${shared}\n\n## Figures\n\nRevenue grew.`);
    await push('other', shared);
    const options = { mode: 'lexical' } as const;
    expect((await engine.search({ text: 'zirconium', options }, { tenant: 'acme' })).results).toHaveLength(2);
    expect((await engine.search({ text: 'zirconium', options }, { tenant: 'other' })).results).toEqual([]);
  });

  it('stops asking a model that refuses the key', async () => {
    const server = await anthropic(() => ({ kind: 'status', status: 401 }));
    const engine = await engineWith(contextual(server));
    const { stats } = await engine.index({ options: { parallel: 1 } });
    expect(stats.errors.map(({ reason }) => reason)).toEqual(['CHAT_REJECTED', 'CHAT_REJECTED']);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a hosted embedding model', () => {
  const ollama = (server: WireServer): RAGSettingsInput => ({
    sources,
    embedding: { model: 'ollama:nomic-embed-text', dimensions: 768, timeoutMs: 300 },
    modelProviders: { ollama: { baseUrl: `${server.url}/v1` } },
  });

  it('indexes, searches, estimates, and gives its usage; what is cached is not sent again', async () => {
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    open.push(server);
    const engine = await engineWith(ollama(server));
    const { estimate } = await engine.index({ options: { dryRun: true } });
    expect(estimate?.embedding).toMatchObject({ texts: 2, isExact: false });
    expect(server.requests).toHaveLength(0);

    const { notices } = await engine.index();
    expect(notices).toContainEqual(expect.stringMatching(/^ollama:nomic-embed-text embedded 6 tokens/));
    expect(server.requests).toHaveLength(1);
    await engine.index({ options: { force: true } });
    expect(server.requests).toHaveLength(1);

    const { lanes } = await engine.search('red lever');
    expect(lanes.find(({ lane }) => lane === 'dense')).toMatchObject({ status: 'ran' });
    expect(server.violations).toEqual([]);
    expect(await engine.status()).toMatchObject({ embedder: 'ollama:nomic-embed-text', dimensions: 768 });
  });

  it('is not asked again about files that move to another source', async () => {
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    open.push(server);
    await (await engineWith(ollama(server))).index();
    const asked = server.requests.length;
    const handbook = { name: 'handbook', type: 'files' as const, root: '.' };
    const moved = await engineWith({ ...ollama(server), sources: [handbook] });
    const { stats } = await moved.index();
    expect(stats).toMatchObject({ documentsProcessed: 2, documentsDeleted: 2, embeddingsComputed: 0 });
    expect((await moved.status()).documents).toBe(2);
    expect(server.requests).toHaveLength(asked);
  });

  it('is asked by each tenant, for what is not asked would tell that another one has the text', async () => {
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    open.push(server);
    const engine = await engineWith(ollama(server));
    const push = (tenant: string, id: string) =>
      engine.push([{ id, text: 'The merger is in May.' }], { tenant });
    for (const tenant of ['default', 'acme', 'other'])
      expect((await push(tenant, 'plan')).stats).toMatchObject({ embeddingsComputed: 1 });
    expect((await push('acme', 'copy')).stats).toMatchObject({ embeddingsComputed: 0 });
  });

  it('is asked by each scope that wants a vector, whatever others embedded', async () => {
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    open.push(server);
    const engine = await engineWith(ollama(server));
    await engine.push([{ id: 'plan', text: 'The merger is in May.' }]);
    const asked = async (groups: readonly string[], tenant = 'default') => {
      const before = server.requests.length;
      await engine.embed({ texts: ['The merger is in May.'] }, { tenant, groups });
      return server.requests.length - before;
    };
    expect([await asked([]), await asked([])]).toEqual([1, 0]);
    expect([await asked(['hr']), await asked([], 'acme'), await asked(['hr'])]).toEqual([1, 1, 0]);
  });

  it('leaves the other lanes to answer where its server is silent, and says so', async () => {
    let isSilent = false;
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      isSilent ? { kind: 'silence' } : embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    open.push(server);
    const engine = await engineWith(ollama(server));
    await engine.index();
    isSilent = true;
    const { results, lanes, notices } = await engine.search('red lever');
    expect(results[0]?.metadata.source).toBe('b.md');
    expect(lanes.find(({ lane }) => lane === 'dense')).toMatchObject({ status: 'failed' });
    expect(notices.join(' ')).toContain('300 ms');
  });

  it.each([
    ['openai:text-embedding-3-small', 'OPENAI_API_KEY'],
    ['azure:text-embedding-3-small', 'AZURE_OPENAI_API_KEY'],
    ['google:gemini-embedding-001', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['cohere:embed-v4.0', 'COHERE_API_KEY'],
    ['voyage:voyage-3.5', 'VOYAGE_API_KEY'],
    ['huggingface:intfloat/multilingual-e5-large', 'HF_TOKEN'],
  ])('%s without its key says which variable to set', async (model, variable) => {
    vi.stubEnv(variable, '');
    const engine = await engineWith({ sources, embedding: { model } });
    await expect(engine.index()).rejects.toMatchObject({
      reason: 'SECRET_MISSING',
      message: expect.stringContaining(variable),
    });
  });
});

describe('a hosted reranker', () => {
  it('reorders, and is skipped and reported where it is late', async () => {
    let isSilent = false;
    const server = await startWireServer(compatibleRerankWire, (request) =>
      isSilent
        ? { kind: 'silence' }
        : rerankReply(compatibleRerankWire, request, (text) => (text.includes('Revenue') ? 0.9 : 0.1)),
    );
    open.push(server);
    const engine = await engineWith({
      sources,
      retrieval: { rerank: { enabled: true, model: 'vllm:bge-reranker-v2-m3', deadlineMs: 1000 } },
      modelProviders: { vllm: { baseUrl: `${server.url}/v1` } },
    });
    await engine.index();
    const reranked = await engine.search('the machine and the quarter');
    expect(reranked.results[0]?.metadata.source).toBe('a.md');
    expect(reranked.degradationLevel).toBe(0);
    expect(server.violations).toEqual([]);

    isSilent = true;
    const late = await engine.search('the machine and the quarter');
    expect(late.results.length).toBeGreaterThan(0);
    expect(late.degradationLevel).toBe(1);
    expect(late.lanes.find(({ lane }) => lane === 'rerank')).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('1000 ms'),
    });
  });
});
