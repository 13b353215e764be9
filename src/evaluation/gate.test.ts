import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Baseline, formatBaseline, readBaseline } from './baseline.js';
import { judgeAgainst } from './gate.js';
import type { QueryScores } from './query-scores.js';
import { seededRandom } from './random.js';

const scoresOf = (values: readonly number[], label = 'ndcg@10'): QueryScores => ({
  queries: values.map((_, i) => ({ id: `q${i}`, text: `question ${i}` })),
  values: { [label]: values },
});
const baselineOf = (values: readonly number[]): Baseline => ({
  dataset: 'set',
  split: 'test',
  metric: 'ndcg@10',
  scores: scoresOf(values),
});
const ones = (length: number): number[] => new Array<number>(length).fill(1);

describe('a gate', () => {
  test('passes what did not change', () => {
    const verdict = judgeAgainst(baselineOf(ones(20)), scoresOf(ones(20)));
    expect(verdict).toMatchObject({ passed: true, pValueOfLoss: 0.5, worse: [], better: [], reasons: [] });
  });

  test('fails five lost queries against none won (p = 2^-5), passes four (2^-4)', () => {
    const lose = (lost: number) => scoresOf(ones(20).map((value, i) => (i < lost ? 0 : value)));
    const five = judgeAgainst(baselineOf(ones(20)), lose(5));
    expect(five.pValueOfLoss).toBeCloseTo(2 ** -5, 10);
    expect(five.passed).toBe(false);
    expect(five.worse.map(({ id }) => id)).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
    expect(five.reasons[0]).toContain('ndcg@10 fell by 0.2500');
    const four = judgeAgainst(baselineOf(ones(20)), lose(4));
    expect(four.pValueOfLoss).toBeCloseTo(2 ** -4, 10);
    expect(four.passed).toBe(true);
  });

  test('passes as many wins as losses, and a pure gain, and says what improved', () => {
    const random = seededRandom(5);
    const before = Array.from({ length: 40 }, () => random());
    const noisy = before.map((value, i) => value + (i % 2 === 0 ? 0.1 : -0.1));
    expect(judgeAgainst(baselineOf(before), scoresOf(noisy))).toMatchObject({ passed: true });
    const better = judgeAgainst(baselineOf(before), scoresOf(before.map((value) => value + 0.1)));
    expect(better.passed).toBe(true);
    expect(better.better).toHaveLength(40);
    expect(better.pValueOfLoss).toBeGreaterThan(0.99);
  });

  test('rarely fails noise: about alpha of seeded shufflings of the same values', () => {
    let failures = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const random = seededRandom(seed);
      const before = Array.from({ length: 12 }, () => random());
      const now = before.map(() => random());
      if (!judgeAgainst(baselineOf(before), scoresOf(now)).passed) failures++;
    }
    expect(failures).toBeLessThanOrEqual(5);
  });

  test('a bound on the drop fails what no test could', () => {
    const now = scoresOf([1, 1, 0]);
    const passed = judgeAgainst(baselineOf(ones(3)), now);
    expect(passed).toMatchObject({ passed: true });
    expect(passed.reasons[0]).toContain('use at least 5, or --max-drop');
    expect(judgeAgainst(baselineOf(ones(3)), now, { maxDrop: 0.1 }).passed).toBe(false);
  });

  test('names missing and new queries and leaves them out of the test', () => {
    const now: QueryScores = {
      queries: [...scoresOf(ones(10)).queries.slice(1), { id: 'fresh', text: '' }],
      values: { 'ndcg@10': [...ones(9), 0] },
    };
    const verdict = judgeAgainst(baselineOf(ones(10)), now);
    expect(verdict).toMatchObject({ passed: true, missing: ['q0'], added: ['fresh'] });
    expect(verdict.reasons).toEqual(['1 of 10 queries of the baseline were not asked.']);
  });

  test('a metric that was not measured is an error', () => {
    expect(() => judgeAgainst(baselineOf([1]), scoresOf([1]), { metric: 'map' })).toThrow(/"map"/);
  });
});

describe('a baseline file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ragstone-baseline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const parts = {
    dataset: 'set',
    split: 'test',
    settings: { mode: 'hybrid' },
    scores: scoresOf([1, 1 / 3]),
  };

  test('comes back as it was written, one query a line', async () => {
    const file = join(folder, 'baseline.json');
    writeFileSync(file, formatBaseline(parts));
    const baseline = await readBaseline(file);
    expect(baseline).toEqual({
      dataset: 'set',
      split: 'test',
      metric: 'ndcg@10',
      scores: scoresOf([1, 0.333333]),
    });
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('"id"'))).toHaveLength(2);
  });

  test.each([
    ['no JSON', '{', 'it is not JSON'],
    ['another format', '{"format": "other"}', 'not a baseline of this version'],
    ['a query without a value', formatBaseline(parts).replace('"ndcg@10":0.333333', ''), 'has no value'],
  ])('%s is refused with what to do', async (_, text, problem) => {
    const file = join(folder, 'baseline.json');
    writeFileSync(file, text);
    await expect(readBaseline(file)).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
      message: expect.stringContaining(problem),
    });
  });

  test('a missing one says how to write it', async () => {
    await expect(readBaseline(join(folder, 'none.json'))).rejects.toThrow(/--write-baseline/);
  });
});
