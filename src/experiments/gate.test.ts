import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareConfigurations } from './compare.js';
import { evaluate } from './evaluate.js';
import { evaluateAgainst, writeBaseline } from './gate.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-gate-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const TOPICS = ['marmalade', 'gondola', 'albatross', 'lantern', 'saffron', 'glacier', 'tambourine', 'walnut'];
const MEANINGS = [
  'orange jam breakfast toast spread',
  'venice canal boat rowing',
  'seabird ocean wings flight',
  'lamp light candle glow',
  'spice cooking yellow flavour',
  'ice mountain frozen snow',
  'percussion drum music rhythm',
  'nut tree shell kernel',
];

/** A set in which every query has one right document, which only its topic's word finds. */
function writeSet(documents: readonly string[] = TOPICS): void {
  write('ragstone.yaml', 'rag: { provider: memory }\n');
  write('set/corpus.jsonl', lines(documents.map((topic) => ({ _id: topic, text: `All about ${topic}.` }))));
  write('set/queries.jsonl', lines(TOPICS.map((topic) => ({ _id: `q-${topic}`, text: `what is ${topic}` }))));
  write('set/qrels/test.tsv', TOPICS.map((topic) => `q-${topic}\t${topic}\t1\n`).join(''));
}

const options = () => ({ target: 'set', cwd, mode: 'lexical', baseline: 'baseline.json' }) as const;

describe('a gate over the whole engine', () => {
  test('passes an unchanged set, and its baseline is the same bytes each time', async () => {
    writeSet();
    await writeBaseline(options());
    const first = readFileSync(join(cwd, 'baseline.json'), 'utf8');
    await writeBaseline(options());
    expect(readFileSync(join(cwd, 'baseline.json'), 'utf8')).toBe(first);
    const { gate } = await evaluateAgainst(options());
    expect(gate).toMatchObject({ passed: true, metric: 'ndcg@10', worse: [], better: [] });
  });

  test('fails when documents that answered are gone', async () => {
    writeSet();
    await writeBaseline(options());
    writeSet(TOPICS.slice(5));
    const { gate, notices } = await evaluateAgainst(options());
    expect(gate.passed).toBe(false);
    expect(gate.worse.map(({ id }) => id).sort()).toEqual(
      TOPICS.slice(0, 5)
        .map((topic) => `q-${topic}`)
        .sort(),
    );
    expect(notices.join()).toContain('5 relevant documents are not in the corpus');
  });

  test('passes when documents that answer nothing are gone, and says what a new one improves', async () => {
    writeSet([...TOPICS.slice(1), 'unrelated matters']);
    await writeBaseline(options());
    writeSet();
    const { gate } = await evaluateAgainst(options());
    expect(gate.passed).toBe(true);
    expect(gate.better.map(({ id }) => id)).toEqual(['q-marmalade']);
  });

  test('fails when a weight is broken: all of it on the lane that is led astray', async () => {
    writeSet();
    // The topic's word is in its document alone; the rest of the query means another document without its words.
    const queries = TOPICS.map((topic, i) => ({
      _id: `q-${topic}`,
      text: `${topic} ${`${MEANINGS[(i + 1) % MEANINGS.length] ?? ''} `.repeat(4)}`,
    }));
    write('set/queries.jsonl', lines(queries));
    const hybrid = { ...options(), mode: 'hybrid', embedder: 'builtin', rerank: 'none' } as const;
    const weights = (semantic: number) => ({
      retrieval: { hybrid: { weights: { semantic, keyword: 1 - semantic } } },
    });
    await writeBaseline({ ...hybrid, overrides: weights(0.1) });
    expect((await evaluateAgainst({ ...hybrid, overrides: weights(0.05) })).gate.passed).toBe(true);
    expect((await evaluateAgainst({ ...hybrid, overrides: weights(1) })).gate.passed).toBe(false);
  });

  test('tells the metrics that are asked for, and decides by one of them', async () => {
    writeSet();
    await writeBaseline({ ...options(), metrics: 'ndcg@10, recall@5, map' });
    const metrics = 'recall@5, map';
    const { gate } = await evaluateAgainst({ ...options(), metrics, gateMetric: 'map' });
    expect(gate.metric).toBe('map');
    expect(gate.metrics.map(({ metric }) => metric)).toEqual(['recall@5', 'map']);
    await expect(evaluateAgainst({ ...options(), metrics })).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringMatching(/decides by ndcg@10.*recall@5, map.*--gate-metric/),
    });
    await expect(evaluateAgainst({ ...options(), metrics: 'ndcg@10, mrr@10' })).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringMatching(/holds no mrr@10; it holds ndcg@10, recall@5, map/),
    });
  });

  test('refuses to choose metrics of questions, which have their own', async () => {
    write('docs/a.md', '# A\n\nText.\n');
    write('questions.jsonl', lines([{ id: '1', question: 'which text', path: 'a.md', quote: 'Text.' }]));
    const asked = { target: 'docs', cwd, questions: 'questions.jsonl', metrics: 'map' };
    await expect(evaluate(asked)).rejects.toMatchObject({ reason: 'USAGE' });
  });

  test('two configurations are compared query by query', async () => {
    writeSet();
    const report = await compareConfigurations({
      target: 'set',
      cwd,
      a: { name: 'current' },
      b: { name: 'one candidate', overrides: { retrieval: { fusion: { candidates: 1 } } } },
    });
    expect(report.a.config.candidatesPerLane).toBe(100);
    expect(report.b.config.candidatesPerLane).toBe(1);
    expect(report.metrics.find(({ metric }) => metric === 'ndcg@10')).toMatchObject({ losses: 0 });
  });
});
