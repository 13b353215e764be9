import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEngine,
  type Engine,
  type PushedDocument,
  type SearchQuery,
  type SearchResponse,
} from '../../src/index.js';

/**
 * Rankings of a small corpus, kept in files, so that a review sees what a change does to them. Where a change is meant,
 * `npx vitest run tests/pins -u` writes them anew.
 */
const FOLDER = new URL('./', import.meta.url);
const SHOWN = 5;

const linesOf = async <T>(name: string): Promise<T[]> =>
  (await readFile(new URL(name, FOLDER), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

let cwd: string;
let engine: Engine;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ragstone-pins-'));
  engine = await createEngine({ config: { provider: 'memory' }, cwd });
  await engine.index({ documents: await linesOf<PushedDocument>('corpus.jsonl') });
});
afterAll(async () => {
  await engine.close();
  await rm(cwd, { recursive: true });
});

/** What a search finds once the reader has read all candidates, however long that takes on this machine. */
async function whenRead(text: string, options: NonNullable<SearchQuery['options']>): Promise<SearchResponse> {
  for (;;) {
    const response = await engine.search({ text, options });
    if (response.lanes.every(({ unfinished }) => unfinished !== true)) return response;
  }
}

async function rankings(options: { mode: 'hybrid' | 'dense' | 'lexical'; rerank: boolean }): Promise<string> {
  const blocks: string[] = [];
  for (const { id, text } of await linesOf<{ id: string; text: string }>('queries.jsonl')) {
    const { results, lanes } = await whenRead(text, { topK: SHOWN, ...options });
    const off = lanes.filter(({ status }) => status === 'empty' || status === 'failed');
    const ranks = results.map(
      ({ metadata, score }, i) => `  ${i + 1}  ${score.toFixed(2)}  ${metadata.source}`,
    );
    const notes = off.map(({ lane, status, reason = '' }) => `  ${lane} ${status}: ${reason}`.trimEnd());
    blocks.push([`${id}  ${text}`, ...ranks, ...notes].join('\n'));
  }
  return `${blocks.join('\n\n')}\n`;
}

describe('pinned rankings', () => {
  test.each([
    ['hybrid', { mode: 'hybrid', rerank: false }],
    ['hybrid-reranked', { mode: 'hybrid', rerank: true }],
    ['lexical', { mode: 'lexical', rerank: false }],
    ['dense', { mode: 'dense', rerank: false }],
  ] as const)('%s', async (name, options) => {
    await expect(await rankings(options)).toMatchFileSnapshot(`./${name}.txt`);
  });
});
