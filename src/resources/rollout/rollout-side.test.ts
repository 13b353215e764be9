import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RolloutItem, rolloutPosition, rolloutSide } from './rollout-side.js';

const anyItem: fc.Arbitrary<RolloutItem> = fc.record({
  tenant: fc.string({ unit: 'binary' }),
  id: fc.string({ unit: 'binary' }),
});
const percent = fc.double({ min: 0, max: 100, noNaN: true });

const isRolledOut = (rolloutPercentage: number, item: RolloutItem): boolean =>
  rolloutSide({ rag_enrichment: true, rolloutPercentage, shadow: false }, item).side === 'rag';

describe('the side of an item', () => {
  test('raising the percentage only adds items', () => {
    fc.assert(
      fc.property(anyItem, percent, percent, (item, one, other) => {
        const [lower, higher] = [Math.min(one, other), Math.max(one, other)];
        expect(isRolledOut(lower, item) && !isRolledOut(higher, item)).toBe(false);
      }),
    );
  });

  test('0 % is nobody and 100 % everybody, and a flag that is off is nobody at any percentage', () => {
    fc.assert(
      fc.property(anyItem, percent, (item, rolloutPercentage) => {
        expect([isRolledOut(0, item), isRolledOut(100, item)]).toEqual([false, true]);
        expect(rolloutSide({ rag_enrichment: false, rolloutPercentage, shadow: true }, item)).toEqual({
          side: 'legacy',
          reason: 'flag',
        });
      }),
    );
  });

  test('shadow compares exactly the items that would be rolled out, and answers none from the index', () => {
    fc.assert(
      fc.property(anyItem, percent, (item, rolloutPercentage) => {
        const decision = rolloutSide({ rag_enrichment: true, rolloutPercentage, shadow: true }, item);
        expect(decision).toEqual({
          side: 'legacy',
          reason: isRolledOut(rolloutPercentage, item) ? 'shadow' : 'percentage',
        });
      }),
    );
  });

  test('other items, asked before, change nothing', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1, maxLength: 20 }), percent, (items, rolloutPercentage) => {
        const asked = new Map(items.map((item) => [item, isRolledOut(rolloutPercentage, item)]));
        for (const item of items.toReversed())
          expect(isRolledOut(rolloutPercentage, { ...item })).toBe(asked.get(item));
      }),
    );
  });

  test('is the same in every version: these positions may never change', () => {
    const positions = [
      { tenant: 'default', id: 'PBI-1' },
      { tenant: 'default', id: 'PBI-2' },
      { tenant: 'acme', id: 'PBI-1' },
      { tenant: 'acme', id: '' },
    ].map((item) => rolloutPosition(item).toFixed(6));
    expect(positions).toEqual(['57.900671', '7.887764', '44.030317', '3.069871']);
  });

  test('is the same for another process that knows the rule alone', () => {
    const items = Array.from({ length: 50 }, (_, n) => ({ tenant: `t${n % 3}`, id: `X-${n}` }));
    const program = `
      const { createHash } = require('node:crypto');
      const items = ${JSON.stringify(items)};
      const of = ({ tenant, id }) => createHash('sha256').update(JSON.stringify(['rag_enrichment', tenant, id])).digest();
      console.log(JSON.stringify(items.map((item) => (of(item).readUIntBE(0, 6) / 2 ** 48) * 100)));`;
    const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect(items.map(rolloutPosition)).toEqual(JSON.parse(stdout));
  });

  // 20,000 items: of a fair coin of p percent the share is within 4 standard deviations of p.
  test.each([1, 10, 50, 90])('of many items %i percent are rolled out, of every tenant', (percentage) => {
    const count = 20_000;
    const allowed = 4 * Math.sqrt((percentage * (100 - percentage)) / count);
    for (const tenant of ['default', 'acme']) {
      const items = Array.from({ length: count }, (_, n) => ({ tenant, id: `PBI-${n}` }));
      const rolledOut = items.filter((item) => isRolledOut(percentage, item)).length;
      expect(Math.abs((rolledOut / count) * 100 - percentage)).toBeLessThan(allowed);
    }
  });

  test('tenants with the same ids roll out different items first', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `PBI-${n}`);
    const both = ids.filter(
      (id) => isRolledOut(50, { tenant: 'a', id }) && isRolledOut(50, { tenant: 'b', id }),
    );
    expect(both.length).toBeGreaterThan(2_300);
    expect(both.length).toBeLessThan(2_700);
  });
});
