import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../src/index.js';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));

describe('what a newcomer asks the documentation', () => {
  let engine: Engine;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'ragstone-docs-'));
    engine = await createEngine({ config: { provider: 'libsql' }, dataDir });
    await engine.index({ paths: [DOCS] });
  });
  afterAll(async () => {
    await engine.close();
    await rm(dataDir, { recursive: true });
  });

  test.each([
    ['which errors can be retried?', 'errors.md', 'STORE_UNAVAILABLE'],
    ['how is a search result scored?', 'retrieval.md', 'how well it matches'],
    ['how do I connect to Confluence?', 'sources/confluence.md', ''],
    ['which store should I use for a million chunks?', 'stores.md', 'lancedb'],
  ])('%s', async (question, page, words) => {
    const { outcome, answer, citations } = await engine.ask({ question, answerer: 'extractive' });
    expect(outcome).toBe('answer');
    expect(citations[0]?.source).toBe(page);
    expect(answer).toContain(words);
  });

  test('what it never mentions', async () => {
    const { outcome, answer, abstention } = await engine.ask({
      question: 'what does it cost to run on Mars?',
      answerer: 'extractive',
    });
    expect({ outcome, missing: abstention?.missing }).toEqual({ outcome: 'not-found', missing: ['Mars'] });
    expect(answer).toContain('Nothing here mentions Mars.');
  });
});
