import { describe, expect, test } from 'vitest';
import { aheadOf, differencesOf, type Hit, partsOf } from './score.js';

const hit = (score: number, contributions: Record<string, number>, rest: Partial<Hit> = {}): Hit => ({
  id: String(score),
  content: '',
  score,
  match: 'strong',
  probability: 0.5,
  origin: { source: 'docs' },
  metadata: {},
  documentId: 'd',
  source: 'a.md',
  lines: { start: 1, end: 1 },
  headingPath: [],
  explanation: {
    contributions: Object.entries(contributions).map(([signal, value]) => ({ signal, value })),
  },
  ...rest,
});

test('parts of a score are in the order in which they are read', () => {
  const names = partsOf(hit(0.8, { calibration: -0.1, lexical: 0.5, later: 0.1, dense: 0.3 })).map(
    ({ signal }) => signal,
  );
  expect(names.indexOf('dense')).toBeLessThan(names.indexOf('lexical'));
  expect(names.indexOf('lexical')).toBeLessThan(names.indexOf('calibration'));
});

describe('why a passage stands before the next', () => {
  test('names what it has more of', () => {
    const words = aheadOf(hit(0.9, { dense: 0.4, lexical: 0.5 }), hit(0.7, { dense: 0.4, lexical: 0.3 }));
    expect(words).toBe('Ahead of the next one by 0.200, by matching words +0.200.');
  });

  test('says where variety moved one', () => {
    const lower = hit(0.7, {}, { movedBy: 'variety' });
    expect(aheadOf(lower, hit(0.8, {}))).toContain('moved here');
    expect(aheadOf(hit(0.8, {}), lower)).toContain('moved there');
  });

  test('says nothing of the last one, and that two are even', () => {
    expect(aheadOf(hit(0.9, {}), undefined)).toBeUndefined();
    expect(aheadOf(hit(0.9, { dense: 0.9 }), hit(0.9, { dense: 0.9 }))).toBe('Even with the next one.');
  });

  test('counts what only the next one has', () => {
    const differences = differencesOf(hit(0.5, { dense: 0.5 }), hit(0.4, { dense: 0.1, identifier: 0.3 }));
    expect(Object.fromEntries(differences.map(({ signal, value }) => [signal, value]))).toEqual({
      dense: 0.4,
      identifier: -0.3,
    });
  });
});
