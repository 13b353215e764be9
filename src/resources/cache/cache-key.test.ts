import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CacheQuestion, cacheKeyOf, plainTextOf } from './cache-key.js';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean());
const name = fc.constantFrom('a', 'b', 'a,b', '"a"', '[a]');

/** Few values of each part, so that questions are often alike in all but one. */
const question: fc.Arbitrary<CacheQuestion> = fc.record({
  revision: fc.constantFrom('life.1.1', 'life.1.2', 'life.2.1', 'other.1.1'),
  settings: fc.constantFrom('s', 't'),
  scope: fc.record(
    {
      tenant: name,
      project: fc.option(name, { nil: undefined }),
      groups: fc.uniqueArray(name, { maxLength: 3 }),
      clearance: fc.integer({ min: -1, max: 2 }),
    },
    { requiredKeys: ['tenant', 'groups', 'clearance'] },
  ),
  query: fc.record(
    {
      text: fc.oneof(name, fc.string()),
      filters: fc.record(
        {
          tags: fc.array(name, { maxLength: 2 }),
          source: fc.array(name, { maxLength: 2 }),
          metadata: fc.dictionary(name, scalar, { maxKeys: 2 }),
          dateRange: fc.record(
            {
              start: fc.constantFrom(new Date(0), new Date(1)),
              end: fc.constantFrom(new Date(0), new Date(1)),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
      options: fc.record(
        {
          topK: fc.integer({ min: 1, max: 3 }),
          mode: fc.constantFrom('hybrid' as const, 'dense' as const),
          minSimilarity: fc.constantFrom(0, 0.5),
          rerank: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['text'] },
  ),
});

/** The same, written down by other means than those under test. */
const meaningOf = ({ revision, settings, scope, query }: CacheQuestion): unknown => ({
  revision,
  settings,
  scope: { ...scope, groups: new Set(scope.groups), project: scope.project ?? null },
  query: { ...query, options: { ...query.options } },
});

const isSame = (a: CacheQuestion, b: CacheQuestion): boolean => {
  try {
    expect(meaningOf(a)).toEqual(meaningOf(b));
    return true;
  } catch {
    return false;
  }
};

describe('the key of a search', () => {
  it('is another one wherever revision, settings, scope, filters or options differ, and no other one else', () => {
    fc.assert(
      fc.property(question, question, (a, b) => {
        expect(cacheKeyOf(a) === cacheKeyOf(b)).toBe(isSame(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells a text that looks like another value from that value', () => {
    const of = (metadata: Readonly<Record<string, string | number | boolean | readonly string[]>>): string =>
      plainTextOf({
        revision: 'r',
        settings: 's',
        scope: { tenant: 't', groups: [], clearance: 0 },
        query: { text: 'q', filters: { metadata } },
      });
    const values = [
      { x: 1 },
      { x: '1' },
      { x: true },
      { x: 'true' },
      { x: ['a', 'b'] },
      { x: ['a,b'] },
      { x: '["a","b"]' },
    ];
    expect(new Set(values.map(of)).size).toBe(values.length);
  });

  it('leaves out how a result is shown, and who may stop the search', () => {
    const base = { revision: 'r', settings: 's', scope: { tenant: 't', groups: ['a', 'b'], clearance: 0 } };
    const key = cacheKeyOf({ ...base, query: { text: 'q', topK: 3 } });
    const shown = { topK: 3, explainScore: true, includeMetadata: false };
    const query = { text: 'q', options: shown, signal: new AbortController().signal };
    expect(cacheKeyOf({ ...base, query })).toBe(key);
    expect(cacheKeyOf({ ...base, scope: { ...base.scope, groups: ['b', 'a', 'b'] }, query })).toBe(key);
  });
});
