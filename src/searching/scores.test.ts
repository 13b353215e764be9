import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine, SearchQuery } from '../operations/engine.js';

const ITEMS = [
  'Implement user authentication: log in with OAuth, keep a session with refresh tokens, log out everywhere.',
  'Show a login form with two-factor authentication for administrators.',
  'Database migration: move the orders table to PostgreSQL 16 without downtime.',
  'Export monthly reports as CSV for the finance team.',
  'Retry the payment webhook when the bank does not answer.',
  'Delete inactive accounts after two years, and tell their owners before.',
  'The search page is slow when a customer has more than ten thousand orders.',
  'Rotate the audit log every night and keep it for ninety days.',
  'Translate the checkout to German and Dutch.',
  'Users reset their password by mail; the link is valid for an hour.',
  'Users reset their password by mail; the link is valid for an hour only.',
  'Draw the warehouse map with the robots on it.',
];

const folder = mkdtempSync(join(tmpdir(), 'scores-'));
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder });
  await engine.index({ documents: ITEMS.map((text, i) => ({ id: `item-${i}`, text })) });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const search = async (text: string, options: SearchQuery['options'] = {}) =>
  (await engine.search({ text, options })).results;
const scoresOf = (results: Awaited<ReturnType<typeof search>>) =>
  new Map(results.map(({ id, score }) => [id, score]));

describe('the score of a result', () => {
  it('finds similar items above .7', async () => {
    const results = await search('implement user authentication', { topK: 3 });
    expect(results).toHaveLength(3);
    expect(results[0]?.score).toBeGreaterThan(0.7);
    expect(results[0]?.content).toContain('auth');
    expect(results[0]?.match).toBe('strong');
  });

  it('is low for what has nothing to do with the query', async () => {
    expect(await search('sourdough bread recipe', { minSimilarity: 0.5 })).toEqual([]);
    expect(await search('sourdough bread recipe', { minScore: 0.5 })).toEqual([]);
  });

  it.each([0.5, 0.7])('a whole item finds the one that it is linked to at %d', async (minSimilarity) => {
    const item =
      'Administrators shall confirm their login with a second factor.\n\nThe login form has no two-factor authentication yet.';
    const [first] = await search(item, { minSimilarity });
    expect(first?.content).toBe(ITEMS[1]);
  });

  it.each(['hybrid', 'dense', 'lexical'] as const)('does not depend on topK (%s)', async (mode) => {
    const all = scoresOf(await search('reset the password of a user', { mode, topK: 12 }));
    for (const topK of [1, 2, 5]) {
      const few = await search('reset the password of a user', { mode, topK });
      for (const { id, score } of few) expect(score).toBe(all.get(id));
    }
  });

  it('does not depend on which other results are left out', async () => {
    const query = 'reset the password of a user';
    const all = scoresOf(await search(query, { topK: 12, nearDuplicates: 'keep' }));
    const kept = await search(query, { topK: 12, nearDuplicates: 'remove' });
    expect(kept.length).toBeLessThan(all.size);
    const cut = await search(query, { topK: 12, minSimilarity: 0.3, nearDuplicates: 'keep' });
    for (const { id, score } of cut) expect(score).toBe(all.get(id));
    expect(kept[0]?.score).toBe(all.get(kept[0]?.id ?? ''));
  });

  it('falls along the list, and the contributions sum to it', async () => {
    const results = await search('rotate the log of orders', { topK: 12, explainScore: true });
    results.forEach(({ score, probability, explanation }, i) => {
      expect(score).toBeLessThan(results[i - 1]?.score ?? 1);
      expect(probability).toBeLessThanOrEqual(1);
      const sum = (explanation?.contributions ?? []).reduce((total, { value }) => total + value, 0);
      expect(sum).toBeCloseTo(score, 9);
    });
  });

  it('says which results variety moved, and no others', async () => {
    const plain = await search('reset the password of a user', { topK: 6, nearDuplicates: 'keep' });
    expect(plain.every(({ movedBy }) => movedBy === undefined)).toBe(true);
    const options = { topK: 6, nearDuplicates: 'keep', mmrLambda: 0.3 } as const;
    const varied = await search('reset the password of a user', options);
    const byScore = varied.toSorted((a, b) => b.score - a.score);
    expect(varied.some(({ movedBy }) => movedBy === 'variety')).toBe(true);
    varied.forEach(({ id, movedBy }, i) => {
      expect(movedBy === 'variety').toBe(byScore[i]?.id !== id);
    });
  });
});

describe('a threshold that leaves passages out', () => {
  const noticesOf = async (text: string, options: NonNullable<SearchQuery['options']>) => {
    const { results, notices, noticeKinds } = await engine.search({ text, options });
    return {
      results,
      told: notices.filter((_, at) => noticeKinds[at] === 'below-threshold'),
    };
  };

  it.each(['reset the password of a user', 'sourdough bread recipe', 'oauth'])(
    '%s: says how many, and what shows the best of them',
    async (text) => {
      const all = await search(text, { topK: 5 });
      const floor = 0.99;
      const { results, told } = await noticesOf(text, { topK: 5, minScore: floor });
      const hidden = all.filter(({ score }) => score < floor);
      expect(results).toHaveLength(all.length - hidden.length);
      const best = Math.floor((hidden[0]?.score ?? 0) * 100) / 100;
      expect(told).toEqual([
        expect.stringMatching(
          new RegExp(
            `^${hidden.length} passages? (is|are) left out, .*0\\.99; .* scores ${best}: lower the threshold to ${best} `,
          ),
        ),
      ]);
      expect(told[0]).toContain('minScore');
      const lowered = await search(text, { topK: 5, minScore: best });
      expect(lowered.map(({ id }) => id)).toContain(hidden[0]?.id);
    },
  );

  it('names the setting that the threshold was set by', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'threshold-'));
    const config = { provider: 'memory', retrieval: { minSimilarity: 0.99 } } as const;
    const strict = await createEngine({ config, dataDir });
    try {
      await strict.index({ documents: ITEMS.map((text, i) => ({ id: `item-${i}`, text })) });
      const { notices } = await strict.search('oauth');
      expect(notices.join()).toMatch(/\(rag\.retrieval\.minSimilarity\)\.$/);
      const { told } = await noticesOf('oauth', { minSimilarity: 0.99 });
      expect(told.join()).toContain('(minSimilarity, --min-similarity, in requests to the service minScore)');
      const answer = await strict.ask({ question: 'how is the audit log rotated?' });
      expect(answer.sources.length).toBeGreaterThan(0);
      expect(answer.noticeKinds).toContain('search-widened');
      expect(answer.noticeKinds).not.toContain('below-threshold');
    } finally {
      await strict.close();
      rmSync(dataDir, { recursive: true });
    }
  });

  it('counts no more than would have been shown', async () => {
    const options = { topK: 3, mmrLambda: 0.5, recencyHalfLifeDays: 30 };
    const { told } = await noticesOf('reset the password of a user', { ...options, minScore: 0.999 });
    expect(told[0]).toMatch(/^3 passages are/);
  });

  it('says nothing where it took no place of the response', async () => {
    const [first] = await search('reset the password of a user', { topK: 1 });
    for (const minScore of [0, (first?.score ?? 0) - 0.01]) {
      const { told } = await noticesOf('reset the password of a user', { topK: 1, minScore });
      expect(told).toEqual([]);
    }
  });

  it('is told of a list that ends where probabilities fall', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fall-'));
    const retrieval = { adaptiveTopK: { enabled: true, ratio: 0.9 } };
    const falling = await createEngine({ config: { provider: 'memory', retrieval }, dataDir });
    try {
      await falling.index({ documents: ITEMS.map((text, i) => ({ id: `item-${i}`, text })) });
      const { results, notices, noticeKinds } = await falling.search({ text: 'rotate the audit log' });
      expect(results.length).toBeLessThan(5);
      expect(noticeKinds).toContain('below-threshold');
      expect(notices.join()).toContain(
        `${5 - results.length} passages are left out, less likely than 0.9 of`,
      );
    } finally {
      await falling.close();
      rmSync(dataDir, { recursive: true });
    }
  });
});
