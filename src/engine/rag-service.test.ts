import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RAGDocument } from './rag-service.js';
import { RAGService } from './rag-service.js';

const PBIS: readonly RAGDocument[] = [
  ['PBI-1', 'Implement user authentication with OAuth tokens', 'pbi', 'alpha'],
  ['PBI-2', 'User authentication: lock the account after five failures', 'pbi', 'alpha'],
  ['PBI-3', 'Log out users whose authentication has expired', 'pbi', 'beta'],
  ['PBI-4', 'Plan the database migration to the new cluster', 'pbi', 'beta'],
  ['DOC-1', 'Database migration guide for operators', 'documentation', 'beta'],
].map(([id = '', content = '', kind = '', team = '']) => ({
  id,
  content,
  metadata: { kind, team, title: id },
}));

describe('RAGService, as the specification calls it', () => {
  let folder: string;
  let service: RAGService;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ragstone-service-'));
    service = await RAGService.initialize({
      provider: 'memory',
      storage: { local: { path: join(folder, 'vector-db') } },
    });
    const { success, stats } = await service.index({ sources: PBIS });
    expect(success).toBe(true);
    expect(stats.documentsProcessed).toBe(PBIS.length);
  });
  afterAll(async () => {
    await service.clear();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('finds similar PBIs', async () => {
    const results = await service.search({ text: 'implement user authentication', options: { topK: 3 } });
    expect(results).toHaveLength(3);
    expect(results[0]?.metadata.source).toBe('PBI-1');
    for (const { content, score } of results) {
      expect(content).toContain('authentication');
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  test('applies metadata filters', async () => {
    const results = await service.search({
      text: 'database migration',
      filters: { metadata: { team: 'beta', kind: 'pbi' } },
    });
    expect(results.map(({ metadata }) => metadata.source).sort()).toEqual(['PBI-3', 'PBI-4']);
  });

  test('hybridSearch answers as search does', async () => {
    const ids = (await service.search('database migration')).map(({ id }) => id);
    expect((await service.hybridSearch('database migration')).map(({ id }) => id)).toEqual(ids);
  });

  test('searchWithReranking reranks with the built-in model where nothing is configured, as search does unless told not to', async () => {
    const options = { explainScore: true };
    const [plain] = await service.search({
      text: 'database migration',
      options: { ...options, rerank: false },
    });
    const [usual] = await service.search({ text: 'database migration', options });
    const [reranked] = await service.searchWithReranking({ text: 'database migration', options });
    expect(plain?.explanation?.rerankScore).toBeUndefined();
    expect(reranked?.explanation?.rerankScore).toBeGreaterThan(0);
    expect(usual?.explanation?.rerankScore).toBe(reranked?.explanation?.rerankScore);
  });

  test('a document pushed again is replaced, and the others stay', async () => {
    const { stats } = await service.index({
      sources: [{ id: 'DOC-1', content: 'A kaleidoscope instead', metadata: { title: 'DOC-1' } }],
    });
    expect(stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 0 });
    expect((await service.search('kaleidoscope'))[0]?.metadata.source).toBe('DOC-1');
    expect((await service.getStatus()).documents).toBe(PBIS.length);
  });

  test('a dry run changes nothing', async () => {
    const { dryRun } = await service.index({
      sources: [{ id: 'NEW', content: 'A gondola' }],
      options: { dryRun: true },
    });
    expect(dryRun).toBe(true);
    expect((await service.getStatus()).documents).toBe(PBIS.length);
  });

  test('an unknown source and a document without text are refused', async () => {
    await expect(service.index({ sources: ['nowhere'] })).rejects.toMatchObject({ reason: 'USAGE' });
    const broken = { id: 'X', content: 7 } as unknown as RAGDocument;
    await expect(service.index({ sources: [broken] })).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  test('clear empties the index', async () => {
    await service.clear();
    await expect(service.search('authentication')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
  });
});
