import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/evaluation/random.js';
import { alterationsOf } from './alter-sentence.js';
import { areaUnderRiskCoverage, areaUnderRoc, riskCoverage, spearman } from './rank-statistics.js';

describe('rank statistics', () => {
  it('agree with hand-worked cases, ties included', () => {
    expect(areaUnderRoc([0.9, 0.8], [0.1, 0.8])).toBeCloseTo(0.875, 12);
    expect(areaUnderRoc([1], [1])).toBe(0.5);
    expect(spearman([1, 2, 3], [10, 20, 30])).toBeCloseTo(1, 12);
    expect(spearman([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(22.5), 12);
    expect(spearman([1, 1], [1, 2])).toBe(0);
    expect(() => areaUnderRoc([], [1])).toThrow();
  });

  it('draw risk against coverage, equal confidences together', () => {
    const points = riskCoverage([
      { confidence: 0.9, isRight: true },
      { confidence: 0.5, isRight: false },
      { confidence: 0.5, isRight: true },
    ]);
    expect(points.map(({ coverage, risk }) => [coverage, risk])).toEqual([
      [1 / 3, 0],
      [1, 1 / 3],
    ]);
    expect(areaUnderRiskCoverage(points)).toBeCloseTo((2 / 3) * (1 / 3), 12);
  });
});

describe('alterations', () => {
  it('change one number, one name or one negation', () => {
    const found = alterationsOf('In May the team of Ada Lovelace was paid 4,200 dollars.', {
      names: ['Grace Hopper'],
      random: seededRandom(3),
    });
    const of = (kind: string) => found.find((each) => each.kind === kind)?.text ?? '';
    expect(of('number')).not.toContain('4,200');
    expect(of('number')).toMatch(/paid \d,\d{3} dollars/);
    expect(of('name')).toContain('Grace Hopper');
    expect(of('negation')).toContain('was not paid');
  });
});
