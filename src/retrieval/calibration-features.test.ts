import { describe, expect, it } from 'vitest';
import { calibrationModelFor } from './calibration.js';
import { CALIBRATION_FEATURES, featureContextOf, featuresOf, termCoverage } from './calibration-features.js';
import { modelNameOf } from './model-name.js';
import { candidate, chunk } from './test-candidates.js';

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
  const pool = [1, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1].map((score, i) => candidate(`c${i}`, score));
  const context = featureContextOf(pool, { terms: ['content'], lowestCosine: 0.2 });

  it('tells how far a candidate stands out', () => {
    const [first, second] = pool;
    if (first === undefined || second === undefined) throw new Error('the pool has candidates');
    expect(featuresOf(first, context).margin).toBeCloseTo(0.4, 12);
    expect(featuresOf(second, context).margin).toBeCloseTo(-0.4, 12);
    expect(featuresOf(first, context).crowd).toBeCloseTo(0.4, 12);
    expect(featuresOf(first, context).cosine).toBe(0.2);
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
    const unknown = calibrationModelFor('transformers:other', 'hybrid');
    expect(unknown).not.toBe(calibrationModelFor('builtin', 'hybrid'));
    expect(unknown.weights.cosine ?? 0).toBe(0);
  });

  it.each(['hybrid', 'dense', 'lexical'] as const)('%s: what matches better scores higher', (evidence) => {
    for (const model of ['builtin', 'transformers:all-MiniLM-L6-v2', 'unknown']) {
      const { bias, weights } = calibrationModelFor(model, evidence);
      expect([bias, ...Object.values(weights)].every(Number.isFinite)).toBe(true);
      expect(Object.keys(weights).every((name) => CALIBRATION_FEATURES.some((known) => known === name))).toBe(
        true,
      );
      for (const name of ['coverage', 'fused', 'margin'] as const) expect(weights[name]).toBeGreaterThan(0);
    }
  });
});
