import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../core/nearest-name.js';
import { wordsOneMistakeAway } from './edits.js';
import { LONGEST_CORRECTED } from './query-words.js';

describe('words one mistake away', () => {
  it.each([
    ['continuos', 'continuous'],
    ['integraton', 'integration'],
    ['pipleine', 'pipeline'],
    ['pipelline', 'pipeline'],
    ['pipekine', 'pipeline'],
    ['ipeline', 'pipeline'],
    ['конфигурацыя', 'конфигурация'],
  ])('%s may have been %s', (typed, meant) => {
    expect(wordsOneMistakeAway(typed).has(meant)).toBe(true);
  });

  it('are all at distance one, and grow with the length of the word alone', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,30}$/), (word) => {
        const near = wordsOneMistakeAway(word);
        expect(near.size).toBeLessThanOrEqual(54 * (word.length + 1));
        for (const meant of near.keys()) expect(editDistance(word, meant)).toBe(1);
      }),
      { numRuns: 20 },
    );
  });

  it('are few enough for one search of a server, for the longest word that is put right', () => {
    expect(wordsOneMistakeAway('abcdefghijklmnopqrstuvwxyz'.slice(0, LONGEST_CORRECTED)).size).toBeLessThan(
      1000,
    );
  });

  it('ranks kinds of mistakes: a swap before a near key before any other letter, the first letter last', () => {
    const cost = (typed: string, meant: string): number =>
      wordsOneMistakeAway(typed).get(meant) ?? Number.NaN;
    expect(cost('pipleine', 'pipeline')).toBeLessThan(cost('pipekine', 'pipeline'));
    expect(cost('pipekine', 'pipeline')).toBeLessThan(cost('pipebine', 'pipeline'));
    expect(cost('pipekine', 'pipeline')).toBeLessThan(cost('ipeline', 'pipeline'));
    expect(cost('comited', 'comitted')).toBeLessThan(cost('comited', 'comiteds'));
  });

  it('has none for what is written in no alphabet', () => {
    expect(wordsOneMistakeAway('検索').size).toBe(0);
    expect(wordsOneMistakeAway('abc1').size).toBe(0);
  });
});
