import assert from 'node:assert/strict';
import type { RerankCandidate, Reranker } from '../../reranking/reranker.js';
import { type PartContractOptions, registerTests } from './contract.js';

export interface RerankerContractOptions extends PartContractOptions<Reranker> {
  /** Two lists of candidates may be scored in another order of arithmetic. @default 1e-4 */
  readonly tolerance?: number | undefined;
}

const candidate = (content: string, fusedScore: number): RerankCandidate => ({
  content,
  headingPath: [],
  identifiers: [],
  fusedScore,
});

const QUERY = 'when is the beacon lit';
const CANDIDATES: readonly RerankCandidate[] = [
  candidate('The beacon is lit at dusk by the keeper.', 0.9),
  candidate('A tender brings oil to the island each month.', 0.5),
  { ...candidate('Lamp and lens', 0.4), title: 'Apparatus', headingPath: ['Tower', 'Top'], keywordScore: 3 },
  { ...candidate('日本語 and a half \udc00 pair', 0.3), semanticScore: 0.1 },
  candidate('', 0),
];

/**
 * Registers the contract that every `Reranker` must keep:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testReranker({ name: 'mine', runner: { describe, it }, create: async () => openMyReranker() });
 * ```
 *
 * Failures are `AssertionError`s of `node:assert`.
 */
export function testReranker(options: RerankerContractOptions): void {
  const { tolerance = 1e-4 } = options;
  registerTests('Reranker', options, {
    'it has a name and takes candidates': async ({ name, maxCandidates }) => {
      assert.ok(name !== '', 'a reranker has a name');
      assert.ok(Number.isInteger(maxCandidates) && maxCandidates > 0, `maxCandidates is ${maxCandidates}`);
    },

    'every candidate has one score, a probability': async (reranker) => {
      const answer = await reranker.doRerank(QUERY, CANDIDATES);
      const indexes = answer.map(({ index }) => index).sort((a, b) => a - b);
      assert.deepEqual(
        indexes,
        CANDIDATES.map((_, index) => index),
      );
      for (const { score } of answer)
        assert.ok(score >= 0 && score <= 1, `a score lies between 0 and 1, not ${score}`);
    },

    'the same question has the same answer': async (reranker) => {
      const scoresOf = async (): Promise<number[]> => {
        const answer = await reranker.doRerank(QUERY, CANDIDATES);
        return answer.toSorted((a, b) => a.index - b.index).map(({ score }) => score);
      };
      const [first, second] = [await scoresOf(), await scoresOf()];
      for (const [index, score] of first.entries())
        assert.ok(Math.abs(score - (second[index] ?? 0)) <= tolerance, `candidate ${index} has two scores`);
    },

    'no candidates have no scores': async (reranker) => {
      assert.deepEqual(await reranker.doRerank(QUERY, []), []);
    },

    'it takes as many candidates as it says': async (reranker) => {
      const count = Math.min(reranker.maxCandidates, 50);
      const many = Array.from({ length: count }, (_, index) =>
        candidate(`Passage ${index}.`, 1 / (index + 1)),
      );
      assert.equal((await reranker.doRerank(QUERY, many)).length, count);
    },

    'what it is given stays as it was': async (reranker) => {
      const given = structuredClone(CANDIDATES);
      await reranker.doRerank(QUERY, given);
      assert.deepEqual(given, CANDIDATES);
    },

    'a cancelled call is not answered': async (reranker) => {
      await assert.rejects(async () => reranker.doRerank(QUERY, CANDIDATES, AbortSignal.abort()));
    },
  });
}
