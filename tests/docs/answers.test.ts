import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreateEngineOptions, createEngine, type Engine } from '../../src/index.js';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));

/**
 * On a busy machine the reranker is late, and what it has not read comes in another order. Ids are of a named source: those of paths
 * hang on where the project lies, and what an index learns of itself is a sample by ids.
 */
const CONFIG = {
  rag: {
    provider: 'libsql',
    retrieval: { laneDeadlineMs: 600_000, rerank: { deadlineMs: 600_000 } },
    sources: [{ name: 'docs', type: 'files', root: DOCS }],
  },
} satisfies CreateEngineOptions['config'];

describe('what a newcomer asks the documentation', () => {
  let engine: Engine;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'ragstone-docs-'));
    engine = await createEngine({ config: CONFIG, dataDir });
    await engine.index();
  });
  afterAll(async () => {
    await engine.close();
    await rm(dataDir, { recursive: true });
  });

  test.each([
    ['which errors can be retried?', 'errors.md', 'STORE_UNAVAILABLE'],
    ['how is a search result scored?', 'retrieval.md', 'how well it matches'],
    ['how do I connect to Confluence?', 'sources/confluence.md', 'the name of an account and its API token'],
    ['which store should I use for a million chunks?', 'stores.md', 'lancedb'],
    ['what does RRF do?', 'configuration.md', 'weighted reciprocal rank fusion'],
    ['how are duplicates collapsed?', 'retrieval.md', 'the best passage stands for all of its document'],
    [
      'how is a table chunked?',
      'configuration.md',
      '`semantic` follows headings, paragraphs, lists, code and tables',
    ],
    ['how do I run it as a service?', 'service.md', 'ragstone serve'],
    ['how do I upgrade to a new version?', 'upgrading.md', 'ragstone index'],
    ['what does exit code 2 mean?', 'errors.md', 'the reason `USAGE` end with exit code 2'],
    ['how do I use MCP?', 'mcp.md', 'tell your assistant to start `npx ragstone mcp`'],
    ['how do I evaluate search on my own questions?', 'evaluation.md', '`ragstone eval` counts it'],
    ['how is a broken index repaired?', 'troubleshooting.md', 'npx ragstone index --force'],
    ['what does outcome perhaps mean?', 'answering.md', 'none answers clearly'],
    ['which environment variable holds the API key?', 'sources/README.md', '`env:NAME`'],
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
