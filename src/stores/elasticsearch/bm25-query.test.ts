import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { countTerms, termScorer } from '../bm25.js';
import { bm25Query } from './bm25-query.js';
import { frequencyClasses, LENGTH, LENGTH_UNIT, MAX_FREQUENCY, wordFields } from './word-fields.js';

const TERM_FILTER = z.object({ term: z.object({ frequencies: z.string() }) });
const QUERY = z.object({
  bool: z.object({
    should: z.array(
      z.object({
        function_score: z.object({
          query: z.object({
            bool: z.object({
              filter: z.tuple([z.object({ terms: z.object({ frequencies: z.array(z.string()) }) })]),
              must: z.tuple([
                z.object({
                  distance_feature: z.object({ pivot: z.string().regex(/^\d+ms$/), boost: z.number() }),
                }),
              ]),
            }),
          }),
          functions: z.array(z.object({ filter: TERM_FILTER, weight: z.number() })),
        }),
      }),
    ),
  }),
});

/** The score that a server gives to a chunk, as its manual has it. */
function scoreOf(query: unknown, searchText: string): number {
  const fields = wordFields(searchText);
  const held = new Set(String(fields.frequencies).split(' '));
  let score = 0;
  for (const { function_score } of QUERY.parse(query).bool.should) {
    const { filter, must } = function_score.query.bool;
    if (!filter[0].terms.frequencies.some((key) => held.has(key))) continue;
    const { pivot, boost } = must[0].distance_feature;
    const [distance, half] = [Number(fields[LENGTH]), Number.parseInt(pivot, 10)];
    const weights = function_score.functions.filter(({ filter: { term } }) => held.has(term.frequencies));
    score += ((boost * half) / (half + distance)) * weights.reduce((sum, { weight }) => sum + weight, 0);
  }
  return score;
}

function statisticsOf(texts: readonly string[]) {
  const counted = texts.map(countTerms);
  const chunksWith = new Map<string, number>();
  for (const { counts } of counted)
    for (const term of counts.keys()) chunksWith.set(term, (chunksWith.get(term) ?? 0) + 1);
  return {
    chunks: texts.length,
    length: counted.reduce((sum, { length }) => sum + length, 0),
    maxFrequency: Math.max(...texts.map((text) => Number(wordFields(text)[MAX_FREQUENCY]))),
    chunksWith,
  };
}

describe('the query that makes BM25', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'tab\there', '2:a'), { minLength: 1, maxLength: 60 })
    .map((words) => words.join(' '));
  const weights = fc.dictionary(
    fc.constantFrom('a', 'b', '2:a', 'tab\there', 'nowhere'),
    fc.double({ min: 0.1, max: 9, noNaN: true }),
    { minKeys: 1 },
  );

  it('gives the score of the formula, for any texts and weights', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), weights, (texts, weightOf) => {
        const statistics = statisticsOf(texts);
        const query = bm25Query(new Map(Object.entries(weightOf)), statistics, { match_all: {} });
        for (const one of texts) {
          const { counts, length } = countTerms(one);
          let expected = 0;
          for (const [term, weight] of Object.entries(weightOf))
            expected +=
              weight *
              termScorer(statistics, statistics.chunksWith.get(term) ?? 0)(counts.get(term) ?? 0, length);
          // From 33 on a frequency is counted to one part in 32.
          expect(Math.abs(scoreOf(query, one) - expected)).toBeLessThanOrEqual(0.005 * expected);
        }
      }),
    );
  });

  it('has few clauses whatever a text repeats, and every frequency is in one of them', () => {
    expect(frequencyClasses(5)).toEqual([1, 2, 3, 4, 5]);
    expect(frequencyClasses(0)).toEqual([]);
    expect(frequencyClasses(2 ** 20).length).toBeLessThan(300);
    for (const frequency of [1, 31, 32, 33, 63, 100, 1_000, 4_097, 65_537]) {
      const kept = Number.parseInt(String(wordFields('x '.repeat(frequency)).frequencies), 10);
      expect(frequencyClasses(frequency)).toContain(kept);
      expect(frequencyClasses(2 ** 20)).toContain(kept);
      expect(Math.abs(kept - frequency) / frequency).toBeLessThanOrEqual(1 / 32);
    }
    expect(wordFields('a b').length).toBe(2 * LENGTH_UNIT);
  });
});
