import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type DataSource,
  type DataSourceConfig,
  EmbeddingService,
  type IRAGOrchestrator,
  RAGError,
  RAGErrorCode,
  RAGOrchestrator,
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
