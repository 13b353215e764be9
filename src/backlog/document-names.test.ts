import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type DataSourceConfig, EmbeddingService, RAGOrchestrator } from './index.js';

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
