import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-evaluate-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
}

const lines = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

// Lexical scores alone decide, so every rank can be worked out by hand.
const DATASET = {
  'ragstone.yaml': 'rag: { provider: memory }\n',
  'set/corpus.jsonl': lines(
    { _id: 'd1', title: '', text: 'marmalade marmalade queue' },
    { _id: 'd2', title: '', text: 'marmalade and a great deal of other matter besides it' },
    { _id: 'd3', title: '', text: 'gondola' },
    { _id: 'd4', title: '', text: 'albatross' },
  ),
  'set/queries.jsonl': lines(
    { _id: 'q1', text: 'marmalade' },
    { _id: 'q2', text: 'gondola' },
    { _id: 'q3', text: 'albatross' },
  ),
  // q1: relevant at rank 2 (d1 is first); q2: at rank 1; q3: never found.
  'set/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t1\nq3\td1\t1\n',
};

describe('a data set through the whole engine', () => {
  test('gives the means that trec_eval would give, and what they were measured with', async () => {
    write(DATASET);
    const report = await evaluate({
      target: 'set',
      cwd,
      mode: 'lexical',
      metrics: 'mrr@10, hit@1, recall@5, ndcg@10, map',
    });
    expect(report).toMatchObject({ dataset: 'set', split: 'test', queries: 3, documents: 4, chunks: 4 });
    expect(report.metrics['mrr@10']).toBeCloseTo((1 / 2 + 1) / 3, 10);
    expect(report.metrics['hit@1']).toBeCloseTo(1 / 3, 10);
    expect(report.metrics['recall@5']).toBeCloseTo(2 / 3, 10);
    expect(report.metrics['ndcg@10']).toBeCloseTo((1 / Math.log2(3) + 1) / 3, 10);
    expect(report.metrics.map).toBeCloseTo((1 / 2 + 1) / 3, 10);
    expect(report.config).toMatchObject({
      mode: 'lexical',
      store: 'memory',
      rerank: 'reader',
      minSimilarity: 0,
      nearDuplicates: false,
      mmr: 1,
      recency: 0,
      chunking: { strategy: 'whole' },
    });
    expect(report.notices).toEqual([]);
  });

  test('drops the query itself where asked, and writes the run', async () => {
    write({
      ...DATASET,
      'set/queries.jsonl': lines({ _id: 'd1', text: 'marmalade' }),
      'set/qrels/test.tsv': 'd1\td2\t1\n',
    });
    const options = { target: 'set', cwd, mode: 'lexical', metrics: 'mrr@10' } as const;
    expect((await evaluate(options)).metrics['mrr@10']).toBeCloseTo(1 / 2, 10);
    const dropped = await evaluate({ ...options, dropSelf: true, run: 'run.txt' });
    expect(dropped.metrics['mrr@10']).toBe(1);
    expect(readFileSync(join(cwd, 'run.txt'), 'utf8')).toMatch(/^d1 Q0 d2 1 \S+ ragstone\n$/);
  });

  test('says that a relevant document is not in the corpus', async () => {
    write({ ...DATASET, 'set/qrels/test.tsv': 'q1\td2\t1\nq1\tnowhere\t1\n' });
    const { notices, metrics } = await evaluate({ target: 'set', cwd, mode: 'lexical', metrics: 'recall@5' });
    expect(metrics['recall@5']).toBeCloseTo(1 / 2, 10);
    expect(notices).toEqual([expect.stringContaining('1 relevant documents are not in the corpus')]);
  });

  test('leaves the index of the project alone', async () => {
    write(DATASET);
    await evaluate({ target: 'set', cwd, mode: 'lexical' });
    expect(readdirSync(cwd).sort()).toEqual(['.ragstone', 'ragstone.yaml', 'set']);
    // The reader keeps what it read for the next time.
    expect(readdirSync(join(cwd, '.ragstone'))).toEqual(['cache']);
  });

  test('a reranker that is not there is an error, never figures without it', async () => {
    write(DATASET);
    await expect(evaluate({ target: 'set', cwd, rerank: 'cross-encoder:x' })).rejects.toMatchObject({
      reason: 'RERANKER_UNAVAILABLE',
      message: expect.stringContaining('"x"'),
    });
  });

  test('the built-in reranker is named in the report', async () => {
    write(DATASET);
    const { config, queries } = await evaluate({ target: 'set', cwd, rerank: 'builtin' });
    expect(config.rerank).toBe('builtin');
    expect(queries).toBeGreaterThan(0);
  });
});

describe('a folder with questions', () => {
  test('is indexed as index would, and scored by quote and by file', async () => {
    write({
      'ragstone.yaml': 'rag: { provider: memory }\n',
      'docs/queue.md': '# Queue\n\nThe marmalade queue is drained hourly.\n',
      'docs/boat.md': '# Boat\n\nThe gondola waits for passengers.\n',
      'questions.jsonl': lines(
        {
          id: '1',
          question: 'marmalade queue drained',
          type: 'fact',
          gold: [{ path: 'queue.md', quote: 'The marmalade queue is drained hourly.' }],
        },
        {
          id: '2',
          question: 'gondola passengers',
          type: 'how',
          gold: [{ path: 'boat.md', quote: 'a sentence that the file does not hold' }],
        },
      ),
    });
    const report = await evaluate({ target: 'docs', questions: 'questions.jsonl', cwd, mode: 'lexical' });
    expect(report).toMatchObject({ dataset: 'docs', split: 'questions.jsonl', queries: 2, documents: 2 });
    expect(report.metrics['hit@5']).toBe(0.5);
    expect(report.metrics['file@5']).toBe(1);
    expect(report.byType?.fact).toMatchObject({ questions: 1, metrics: { 'hit@5': 1 } });
    expect(report.notices).toEqual([]);
  });

  test('says that files of gold quotes are not there, in place of zeros alone', async () => {
    write({
      'ragstone.yaml': 'rag: { provider: memory }\n',
      'docs/queue.md': '# Queue\n\nThe marmalade queue is drained hourly.\n',
      'questions.jsonl': lines({
        id: '1',
        question: 'marmalade queue drained',
        type: 'fact',
        gold: [{ path: 'docs/queue.md', quote: 'The marmalade queue is drained hourly.' }],
      }),
    });
    const report = await evaluate({ target: 'docs', questions: 'questions.jsonl', cwd, mode: 'lexical' });
    expect(report.metrics['file@5']).toBe(0);
    expect(report.notices.join()).toContain('1 of 1 files that gold quotes name are not indexed');
  });
});
