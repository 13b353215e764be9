import { mean } from '../../src/evaluation/metrics.js';
import { adaptiveWeights } from '../../src/retrieval/fusion/adaptive-weights.js';
import { convexCombination } from '../../src/retrieval/fusion/lane-scores.js';
import type { LaneWeights } from '../../src/retrieval/retriever.js';
import { type CollectionLanes, fusedScores, type QueryLanes } from './lane-results.js';

/** How weights follow from one learned number. */
export type Weighing = (query: QueryLanes, logOdds: number) => LaneWeights;

export const adaptive: Weighing = ({ outcomes }, logOdds) =>
  adaptiveWeights({ dense: outcomes.dense.hits, lexical: outcomes.lexical.hits }, logOdds);

export const fixed: Weighing = (_query, logOdds) => {
  const dense = 1 / (1 + Math.exp(-logOdds));
  return { dense, lexical: 1 - dense };
};

export const denseAlone = (): LaneWeights => ({ dense: 1, lexical: 0 });
export const lexicalAlone = (): LaneWeights => ({ dense: 0, lexical: 1 });

/** Tried in steps of a tenth: nDCG is flat between. */
const CANDIDATES = Array.from({ length: 31 }, (_, i) => Number((-2 + i / 10).toFixed(1)));

/**
 * The log-odds with the best mean nDCG@10 over collections among those that put no collection below its better lane; where
 * none does, the one that loses least.
 */
export function learnLogOdds(collections: readonly CollectionLanes[], weighing: Weighing): number {
  const single = collections.map((collection) =>
    Math.max(
      ...[denseAlone, lexicalAlone].map((weights) =>
        mean(fusedScores(collection, weights, convexCombination)),
      ),
    ),
  );
  const tried = CANDIDATES.map((logOdds) => {
    const scores = collections.map((collection) =>
      mean(fusedScores(collection, (query) => weighing(query, logOdds), convexCombination)),
    );
    const worst = Math.min(...scores.map((score, i) => score - (single[i] ?? 0)));
    return { logOdds, score: mean(scores), worst };
  });
  const harmless = tried.filter(({ worst }) => worst >= 0);
  const best =
    harmless.length > 0
      ? harmless.toSorted((a, b) => b.score - a.score)[0]
      : tried.toSorted((a, b) => b.worst - a.worst)[0];
  return best?.logOdds ?? 0;
}
