import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rankDocuments } from './rank.js';
import type { GraphStep, Walk } from './walk.js';

const link = (from: string, to: string): GraphStep => ({ from, kind: 'link', to, direction: 'out' });

const walkOf = (steps: readonly GraphStep[], ...more: readonly string[]): Walk => ({
  documents: [...new Set([...more, ...steps.flatMap(({ from, to }) => [from, to])])],
  steps,
  named: new Map(),
  isCut: false,
});

it('ranks a star as the equations say', () => {
  // c = .85 (a + b), a = b = .15 [a] + .425 c: walks begin at a alone.
  const ranked = rankDocuments(walkOf([link('a', 'c'), link('c', 'b')]), new Map([['a', 1]]));
  const score = new Map(ranked.map(({ documentId, score }) => [documentId, score]));
  const c = (0.85 * 0.15) / (1 - 0.85 * 0.85);
  expect(score.get('c')).toBeCloseTo(c, 2);
  expect(score.get('b')).toBeCloseTo(0.425 * c, 2);
  expect(score.get('a')).toBeCloseTo(0.425 * c, 2);
});

it('says by which way, the shortest, and nothing came to what has no edge', () => {
  const steps = [link('a', 'b'), link('b', 'c'), link('d', 'a'), link('d', 'c')];
  const ranked = rankDocuments(
    walkOf(steps, 'alone'),
    new Map([
      ['a', 1],
      ['alone', 1],
    ]),
  );
  const path = (id: string) => ranked.find(({ documentId }) => documentId === id)?.path;
  expect(path('c')).toHaveLength(2);
  expect(path('d')).toEqual([{ from: 'a', kind: 'link', to: 'd', direction: 'in' }]);
  expect(path('a')).toEqual([]);
  expect(ranked.find(({ documentId }) => documentId === 'alone')?.score).toBe(0);
});

it('what many share says less of each', () => {
  const shared = (to: string, via: string): GraphStep => ({
    from: 'a',
    kind: 'person',
    to,
    direction: 'shared',
    via,
  });
  const steps = [...['b', 'c', 'd', 'e'].map((to) => shared(to, 'many')), shared('z', 'two')];
  const [first] = rankDocuments(walkOf(steps), new Map([['a', 1]])).filter(
    ({ documentId }) => documentId !== 'a',
  );
  expect(first?.documentId).toBe('z');
});

it('scores are shares, in the same order whatever the order of the edges', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const steps = fc.uniqueArray(
    fc.tuple(id, id).filter(([from, to]) => from !== to),
    { selector: ([from, to]) => [from, to].sort().join(), minLength: 1 },
  );
  fc.assert(
    fc.property(steps, (pairs) => {
      const edges = pairs.map(([from, to]) => link(from, to));
      const beginnings = new Map([[pairs[0]?.[0] ?? 'a', 1]]);
      const ranked = rankDocuments(walkOf(edges, ...beginnings.keys()), beginnings);
      const total = ranked.reduce((sum, { score }) => sum + score, 0);
      expect(total).toBeLessThanOrEqual(1);
      for (const { score, path } of ranked) {
        expect(score).toBeGreaterThanOrEqual(0);
        if (path.length > 0) expect(score).toBeGreaterThan(0);
      }
      const again = rankDocuments(walkOf(edges.toReversed(), ...beginnings.keys()), beginnings);
      const scores = new Map(again.map(({ documentId, score }) => [documentId, score]));
      for (const { documentId, score } of ranked) expect(scores.get(documentId)).toBeCloseTo(score, 9);
    }),
  );
});
