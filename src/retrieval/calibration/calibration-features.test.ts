import { describe, expect, it } from 'vitest';
import { logOddsOf } from '../../core/logistic.js';
import { modelNameOf } from '../model-name.js';
import { candidate, chunk } from '../test-candidates.js';
import { calibrationFor } from './calibration.js';
import {
  featureContextOf,
  featuresOf,
  LANE_FEATURES,
  RERANK_FEATURES,
  termCoverage,
} from './calibration-features.js';

describe('termCoverage', () => {
  const passage = chunk('a', {
    content: 'Studies of caching',
    metadata: { title: 'PPR-9087', headingPath: ['Locks'] },
  });

  it.each([
    [['studi', 'cach'], 1],
    [['lock'], 1],
    [['ppr-9087'], 1],
    [['cach', 'dogs'], 0.5],
    [['aching'], 0],
    [[], 0],
  ])('%j: %d', (terms, share) => {
    expect(termCoverage(passage, terms)).toBeCloseTo(share, 12);
  });

  it('finds pairs of characters of scripts without spaces anywhere', () => {
    expect(termCoverage(chunk('a', { content: '向量检索引擎' }), ['检索'])).toBe(1);
  });
});

describe('featuresOf', () => {
  const inDocument = (id: string, score: number, documentId: string) => {
    const found = candidate(id, score);
    return { ...found, chunk: { ...found.chunk, documentId } };
  };
  const pool = [1, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1].map((score, i) => inDocument(`c${i}`, score, `d${i}`));
  const context = featureContextOf(pool, { terms: ['content'], lowestCosine: 0.2 });

  it('tells how far a candidate stands out', () => {
    const [first, second] = pool;
    if (first === undefined || second === undefined) throw new Error('the pool has candidates');
    expect(featuresOf(first, context).margin).toBeCloseTo(0.4, 12);
    expect(featuresOf(second, context).margin).toBeCloseTo(-0.4, 12);
    expect(featuresOf(first, context).crowd).toBeCloseTo(0.4, 12);
    expect(featuresOf(first, context).cosine).toBe(0.2);
  });

  it('tells how far a reranked one stands out in log-odds, and nothing of one that is not reranked', () => {
    const given = [0.2, 0.9, 0.5, 0.1, 0.05, 0.02];
    const reranked = pool.map((entry, i) => {
      const rerankScore = given[i];
      return rerankScore === undefined ? entry : { ...entry, rerankScore };
    });
    const over = featureContextOf(reranked, { terms: [], lowestCosine: 0 });
    const [first, second, , , , , last] = reranked.map((entry) => featuresOf(entry, over));
    expect(second?.rerank).toBeCloseTo(logOddsOf(0.9) / 4, 12);
    expect(second?.rerankMargin).toBeCloseTo((logOddsOf(0.9) - logOddsOf(0.5)) / 4, 12);
    expect(first?.rerankMargin).toBeCloseTo((logOddsOf(0.2) - logOddsOf(0.9)) / 4, 12);
    expect(last).toMatchObject({ rerank: 0, rerankMargin: 0, rerankCrowd: 0 });
    expect([logOddsOf(0), logOddsOf(1)].every(Number.isFinite)).toBe(true);
  });

  it('takes passages of one document for no rivals', () => {
    const siblings = [0.95, 0.9].map((score, i) => inDocument(`s${i}`, score, 'd0'));
    const [first, ...rest] = pool;
    const [sibling] = siblings;
    if (first === undefined || sibling === undefined) throw new Error('the pool has candidates');
    const among = featureContextOf([first, ...siblings, ...rest], { terms: [], lowestCosine: 0 });
    expect(among.leading).toEqual(context.leading);
    expect(featuresOf(first, among).margin).toBeCloseTo(0.4, 12);
    expect(featuresOf(sibling, among).margin).toBeCloseTo(0.35, 12);
  });

  it('takes a pool of one for a usual one', () => {
    const only = candidate('a', 1);
    const alone = featuresOf(only, featureContextOf([only], { terms: [], lowestCosine: 0 }));
    expect(alone.margin).toBeLessThan(1);
    expect(alone.crowd).toBeGreaterThan(0);
  });
});

describe('parameters', () => {
  it('know models wherever their files lie, and have some for any other', () => {
    expect(modelNameOf('transformers:/models/all-MiniLM-L6-v2')).toBe('all-minilm-l6-v2');
    expect(modelNameOf('transformers:Xenova/all-MiniLM-L6-v2')).toBe('all-minilm-l6-v2');
    expect(modelNameOf('builtin')).toBe('builtin');
    const unknown = calibrationFor('transformers:other', 'hybrid');
    for (const stage of ['fused', 'reranked'] as const) {
      expect(unknown[stage]).not.toBe(calibrationFor('builtin', 'hybrid')[stage]);
      expect(unknown[stage].weights.cosine ?? 0).toBe(0);
    }
  });

  it.each(['hybrid', 'dense', 'lexical'] as const)('%s: what matches better scores higher', (evidence) => {
    for (const model of ['builtin', 'transformers:all-MiniLM-L6-v2', 'unknown']) {
      const { fused, reranked } = calibrationFor(model, evidence);
      for (const { bias, weights } of [fused, reranked])
        expect([bias, ...Object.values(weights)].every(Number.isFinite)).toBe(true);
      const isKnown = (name: string, known: readonly string[]) => known.includes(name);
      expect(Object.keys(fused.weights).every((name) => isKnown(name, LANE_FEATURES))).toBe(true);
      expect(Object.keys(reranked.weights).some((name) => isKnown(name, RERANK_FEATURES))).toBe(true);
      for (const name of ['coverage', 'fused', 'margin'] as const)
        expect(fused.weights[name]).toBeGreaterThan(0);
      expect(reranked.weights.rerank).toBeGreaterThan(0);
    }
  });
});
