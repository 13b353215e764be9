import fc from 'fast-check';
import { expect, it } from 'vitest';
import { levelOf, PARTS } from './level.js';

const state = fc.constantFrom('well', 'out', 'trying' as const);
const states = fc.record({ ledger: state, store: state, embedder: state, reranker: state });

it('is that of the part which is missed most, and 0 where none is missed', () => {
  const alone = { ledger: 4, store: 3, embedder: 2, reranker: 1 };
  fc.assert(
    fc.property(states, (parts) => {
      const missed = PARTS.filter((part) => parts[part] !== 'well');
      expect(levelOf(parts)).toBe(Math.max(0, ...missed.map((part) => alone[part])));
    }),
  );
});
