import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../core/filter.js';
import { documentKey, indexNameOf } from './azure-names.js';
import { orderedText } from './ordered-text.js';

const TEXT = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());

describe('names that the service takes', () => {
  it('indexes have small letters, digits and single dashes, and no two collections share one', () => {
    expect(indexNameOf('ragstone', 'chunks-1')).toBe('ragstone-chunks-1');
    const namespaces = fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/);
    const collections = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    fc.assert(
      fc.property(namespaces, collections, namespaces, collections, (n1, c1, n2, c2) => {
        const [first, second] = [indexNameOf(n1, c1), indexNameOf(n2, c2)];
        expect(first).toMatch(/^(?!.*--)[a-z0-9][a-z0-9-]{0,126}[a-z0-9]$/);
        expect(first === second).toBe(n1 === n2 && c1 === c2);
      }),
      { numRuns: 2_000 },
    );
    const near = ['a', 'A', 'a-', '-a', 'a--b', 'a-b', 'a_b', 'a__b', 'x-a-b', '_'];
    const names = ['a', 'a_', 'a_b', 'x'].flatMap((namespace) =>
      near.map((name) => indexNameOf(namespace, name)),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('keys are letters, digits, `_`, `-` and `=`, and no two ids share one', () => {
    fc.assert(
      fc.property(TEXT, TEXT, (a, b) => {
        expect(documentKey(a)).toMatch(/^[A-Za-z0-9=-][A-Za-z0-9_=-]*$/);
        expect(documentKey(a) === documentKey(b)).toBe(a === b);
      }),
    );
    // The client would make numbers of these.
    for (const id of ['NaN', 'INF', '-INF']) expect(documentKey(id)).not.toBe(id);
  });
});

it('ordered text is in the order of code points by any collation', () => {
  const collator = new Intl.Collator('en');
  fc.assert(
    fc.property(TEXT, TEXT, (a, b) => {
      const [x, y] = [orderedText(a), orderedText(b)];
      expect(x).toMatch(/^[0-9a-v]*$/);
      expect(Math.sign(compareText(x, y))).toBe(Math.sign(compareText(a, b)));
      expect(Math.sign(collator.compare(x, y))).toBe(Math.sign(compareText(a, b)));
    }),
    { numRuns: 2_000 },
  );
  expect(Buffer.byteLength(orderedText('x'.repeat(20_000)))).toBeLessThanOrEqual(32_766);
});
