import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import {
  ChromaStore,
  CrossEncoderReranker,
  type DataSource,
  type DataSourceConfig,
  DocumentVectors,
  EmbeddingService,
  type IRAGOrchestrator,
  loadRAGConfig,
  PBIJSONLoader,
  QueryProcessor,
  RAGError,
  RAGErrorCode,
  RAGOrchestrator,
  RAGService,
} from './index.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'ragstone-backlog-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('an orchestrator is initialised, indexes, and gives an enriched context', async () => {
  const dataDir = folder();
  const orchestrator = new RAGOrchestrator({ dataDir, cwd: dataDir });
  onTestFinished(() => orchestrator.close());
  await expect(orchestrator.search({ text: 'x' })).rejects.toMatchObject({ reason: 'USAGE' });
  const source: DataSourceConfig = { name: 'docs', type: 'markdown', paths: ['*.md'] };
  await orchestrator.initialize({ provider: 'memory', sources: [source] });
  writeFileSync(join(dataDir, 'adr.md'), '# ADR-1 Tokens\n\nOAuth tokens are kept in Redis.\n');
  writeFileSync(join(dataDir, 'other.md'), '# Van\n\nThe van has four wheels.\n');
  expect((await orchestrator.index(['docs'])).stats.documentsProcessed).toBe(2);
  expect((await orchestrator.getStatus()).documents).toBe(2);
  const found = await orchestrator.search({ text: 'where are OAuth tokens kept', topK: 1 });
  expect(found.technical_docs.map(({ ref }) => ref)).toEqual(['adr.md']);
  expect(found.past_decisions[0]?.decision).toBe('OAuth tokens are kept in Redis.');
  const filtered = await orchestrator.search({
    text: 'where are OAuth tokens kept',
    filters: { sourceType: ['pbi'] },
  });
  expect(filtered.technical_docs).toEqual([]);
  expect((await orchestrator.reindex()).success).toBe(true);
});

test('an orchestrator indexes sources by their configurations, names, and documents', async () => {
  const dataDir = folder();
  const cwd = folder();
  writeFileSync(join(cwd, 'adr.md'), '# ADR-1 Tokens\n\nOAuth tokens are kept in Redis.\n');
  mkdirSync(join(cwd, 'notes'));
  writeFileSync(join(cwd, 'notes/van.txt'), 'The van has four wheels.\n');
  const orchestrator = new RAGOrchestrator({ dataDir, cwd });
  const asDocumented: IRAGOrchestrator = orchestrator;
  onTestFinished(() => orchestrator.close());
  await asDocumented.initialize({ provider: 'libsql' });
  const sources: DataSource[] = [{ name: 'decisions', type: 'markdown', paths: ['*.md'] }];
  expect((await asDocumented.index(sources)).stats.documentsProcessed).toBe(1);
  await asDocumented.index([{ name: 'notes', type: 'files', root: 'notes' }]);
  await asDocumented.index(['decisions', { id: 'pushed', content: 'Bikes have two wheels.' }]);
  expect((await asDocumented.getStatus()).documents).toBe(3);
  await asDocumented.reindex();
  expect((await asDocumented.getStatus()).documents).toBe(3);
  const found = await asDocumented.search({ text: 'where are OAuth tokens kept', topK: 1 });
  expect(found.technical_docs.map(({ ref }) => ref)).toEqual(['adr.md']);
});

describe('an error of a pipeline of its own', () => {
  test('is made with a code, whether it can be recovered from, and a cause', () => {
    const cause = new Error('the socket was closed');
    const error = new RAGError(
      RAGErrorCode.VECTOR_STORE_UNAVAILABLE,
      'Chroma does not answer.',
      false,
      cause,
    );
    expect(error).toMatchObject({
      code: 'E001',
      message: 'Chroma does not answer.',
      recoverable: false,
      cause,
      reason: 'STORE_UNAVAILABLE',
    });
    expect([error instanceof Error, RAGError.isInstance(error), error.name]).toEqual([
      true,
      true,
      'RAGError',
    ]);
  });

  test.each(Object.values(RAGErrorCode))(
    'of code %s can be recovered from, unless it says otherwise',
    (code) => {
      expect(new RAGError(code, 'It failed.')).toMatchObject({ code, recoverable: true });
      expect(new RAGError(code, 'It failed.', true)).toMatchObject({ code, recoverable: true });
      expect(new RAGError(code, 'It failed.', false)).toMatchObject({ code, recoverable: false });
    },
  );
});

test('an embedding service encodes documents and queries with the model of the configuration', async () => {
  const cwd = folder();
  const service = await EmbeddingService.initialize({ config: {}, cwd });
  onTestFinished(() => service.close());
  expect(service.getModelName()).toBe('builtin');
  const [cats, invoice] = await service.encodeDocuments(['a cat sleeps', 'the invoice is due']);
  const query = await service.encodeQuery('cats');
  const dot = (a: Float32Array = new Float32Array()): number =>
    a.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0);
  expect(query).toHaveLength(service.getDimensions());
  expect(dot(cats)).toBeGreaterThan(dot(invoice));
});

test('a configuration of a folder is loaded, and a service is made of it', async () => {
  const cwd = folder();
  expect(await loadRAGConfig({ cwd })).toEqual({ enabled: true });
  writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  retrieval:\n    topK: 3\n  provider: memory\n');
  const config = await loadRAGConfig({ cwd });
  expect(config).toEqual({ enabled: true, provider: 'memory', retrieval: { topK: 3 } });
  const service = await RAGService.initialize(config, { cwd });
  await service.close();
  writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  enabled: false\n');
  expect((await loadRAGConfig({ cwd })).enabled).toBe(false);
  writeFileSync(join(cwd, 'ragstone.yaml'), 'rag:\n  enabld: false\n');
  await expect(loadRAGConfig({ cwd })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
});

test('a query is processed as a search of the index reads it, and results are ranked again', async () => {
  const cwd = folder();
  const service = await RAGService.initialize({ provider: 'memory' }, { cwd });
  onTestFinished(() => service.close());
  await service.engine.push([
    { id: 'a', text: 'OAuth tokens are kept in Redis for a day.' },
    { id: 'b', text: 'The van has four wheels and is kept in the yard.' },
  ]);
  const processor = new QueryProcessor(service.engine);
  const query = await processor.process('where are tokens kept?', { title: 'Log in with OAuth' });
  expect(query).toMatchObject({ text: 'where are tokens kept?\nLog in with OAuth', intent: 'question' });
  expect(query.keywords).toEqual(expect.arrayContaining(['tokens', 'oauth']));
  expect(await processor.extractKeywords('the tokens of a user')).toEqual(['tokens', 'user']);
  expect(await processor.expand(query)).toEqual([]);

  const reranker = await CrossEncoderReranker.initialize({ config: {}, cwd });
  onTestFinished(() => reranker.close());
  const results = await service.search({ text: 'what is kept where', options: { minScore: 0 } });
  expect(results).toHaveLength(2);
  const [first, ...others] = await reranker.rerank(
    'how long are OAuth tokens kept?',
    results.toReversed(),
    1,
  );
  expect(first?.content).toContain('Redis');
  expect(others).toEqual([]);
});

test('a loader reads backlog items of JSON files', async () => {
  const cwd = folder();
  const source: DataSource = { name: 'items', type: 'pbi_json', paths: ['*.json'] };
  writeFileSync(
    join(cwd, 'a.json'),
    JSON.stringify([
      { id: 'PBI-1', title: 'Log in' },
      { id: 'PBI-2', title: 'Log out' },
    ]),
  );
  const loader = new PBIJSONLoader({ cwd });
  expect([loader.canLoad(source), loader.canLoad('items')]).toEqual([true, false]);
  const loaded = await loader.load(source);
  expect(loaded.map(({ title }) => title)).toEqual(['Log in', 'Log out']);
  expect(loaded.map((document) => loader.extractMetadata(document).pbi_id)).toEqual(['PBI-1', 'PBI-2']);
  await expect(loader.load('items')).rejects.toMatchObject({ reason: 'USAGE' });
  writeFileSync(join(cwd, 'b.json'), '{');
  await expect(loader.load(source)).rejects.toMatchObject({ category: 'user' });
});

test('vectors of a caller are kept, found, filtered, counted and deleted in a store', async () => {
  const store = new DocumentVectors(createMemoryStore());
  onTestFinished(() => store.close());
  await expect(store.getStats()).rejects.toMatchObject({ reason: 'USAGE' });
  await store.initialize({ dimensions: 2 });
  const [east, north] = [new Float32Array([1, 0]), new Float32Array([0, 1])];
  await store.upsert([
    { id: 'a', vector: east, content: 'east', metadata: { kind: 'way' } },
    { id: 'b', vector: north, content: 'north' },
    { id: 'c', vector: north },
  ]);
  expect(await store.search({ vector: north, topK: 1, filter: { op: 'exists', field: 'kind' } })).toEqual([
    { id: 'a', content: 'east', score: 0, metadata: { kind: 'way' } },
  ]);
  expect((await store.search({ vector: north })).map(({ score }) => score)).toEqual([1, 1, 0]);
  expect(await store.delete(['b', 'x'])).toBe(1);
  expect(await store.delete({ op: 'eq', field: 'kind', value: 'way' })).toBe(1);
  expect(await store.getStats()).toEqual({ documents: 1 });
});

test('a store on a Chroma server says where there is none', async () => {
  const store = new ChromaStore({ host: '127.0.0.1', port: 9 });
  onTestFinished(() => store.close());
  await expect(store.initialize({ dimensions: 2 })).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
});
