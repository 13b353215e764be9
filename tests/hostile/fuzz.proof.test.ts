import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAGError } from '../../src/core/errors.js';
import { type Filter, matchesFilter } from '../../src/core/filter.js';
import { assertFilterShape } from '../../src/operations/requests/check-filter.js';
import { FUZZ_TARGETS, textsOf } from './fuzz-targets.js';
import { assertForAll, forSlowRuns } from './slow-runs.js';

const CASES = 150;

const filters = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 5 },
    fc.record(
      {
        op: fc.constantFrom('eq', 'in', 'range', 'exists', 'contains', 'prefix', 'x', '__proto__'),
        field: fc.oneof(fc.string(), fc.constantFrom('$tenant', 'a.b', '__proto__')),
        value: fc.jsonValue(),
        values: fc.jsonValue(),
        gte: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    ),
    fc.record({ op: fc.constantFrom('and', 'or'), filters: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ op: fc.constant('not'), filter: tie('filter') }),
    fc.jsonValue(),
  ),
})).filter;

describe('whatever a text holds, it is read or refused by name', () => {
  it.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))(
    '%s',
    async (_, target) => {
      const property = fc.asyncProperty(textsOf(target), async (text) => void (await target.use(text)));
      await assertForAll(target.name, property, CASES);
    },
    forSlowRuns.timeout,
  );

  it(
    'filters',
    async () => {
      const property = fc.asyncProperty(filters, async (given) => {
        try {
          assertFilterShape(given);
        } catch (error) {
          if (RAGError.isInstance(error)) return;
          throw error;
        }
        expect(typeof matchesFilter(given as Filter, () => 'a')).toBe('boolean');
      });
      await assertForAll('filters', property, CASES);
    },
    forSlowRuns.timeout,
  );
});
