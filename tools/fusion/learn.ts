import { compareText } from '../../src/core/filter.js';
import { sigmoid } from '../../src/core/logistic.js';
import { mean } from '../../src/evaluation/metrics.js';
import { convexCombination } from '../../src/retrieval/fusion/fuse.js';
import { adaptiveWeights } from '../../src/retrieval/fusion/lane-weights.js';
import type { LaneWeights } from '../../src/retrieval/retriever.js';
import { type CollectionLanes, ndcgOf, type QueryLanes } from './lane-results.js';

/** How weights follow from one learned number. */
export type Weighing = (query: QueryLanes, logOdds: number) => LaneWeights;

export const adaptive: Weighing = ({ outcomes }, logOdds) =>
  adaptiveWeights({ dense: outcomes.dense.hits, lexical: outcomes.lexical.hits }, logOdds);

export const fixed: Weighing = (_query, logOdds) => {
  const dense = sigmoid(logOdds);
  return { dense, lexical: 1 - dense };
};

export const denseAlone = (): LaneWeights => ({ dense: 1, lexical: 0 });
export const lexicalAlone = (): LaneWeights => ({ dense: 0, lexical: 1 });

/** Tried in steps of a tenth: nDCG is flat between. */
const CANDIDATES = Array.from({ length: 31 }, (_, i) => Number((-2 + i / 10).toFixed(1)));

/** Mean nDCG@10 of one collection: of its better lane, and at each of `CANDIDATES`. */
export interface LearningCurve {
  readonly single: number;
  readonly scores: readonly number[];
}

export function curveOf({ queries }: CollectionLanes, weighing: Weighing): LearningCurve {
  const pools = queries.map(poolOf);
  const at = (weightsOf: (query: QueryLanes) => LaneWeights): number =>
    mean(pools.map((pool) => poolNdcg(pool, weightsOf(pool.query))));
  return {
    single: Math.max(at(denseAlone), at(lexicalAlone)),
    scores: CANDIDATES.map((logOdds) => at((query) => weighing(query, logOdds))),
  };
}

/** nDCG@10 by which a collection may stand below its better lane: of a few hundred queries less is chance. */
const TOLERANCE = 0.005;
/** Mean nDCG@10 that is the same: curves are flat around their best. */
const FLAT = 0.001;

/**
 * Of the log-odds that put no collection below its better lane by more than a half point, those with the best mean nDCG@10
 * over collections, and of these the one that is best for its worst collection. Where none is so harmless, the one that
 * loses least.
 */
export function learnLogOdds(curves: readonly LearningCurve[]): number {
  const tried = CANDIDATES.map((logOdds, i) => ({
    logOdds,
    score: mean(curves.map(({ scores }) => scores[i] ?? 0)),
    worst: Math.min(...curves.map(({ scores, single }) => (scores[i] ?? 0) - single)),
  }));
  const harmless = tried.filter(({ worst }) => worst >= -TOLERANCE);
  const best = Math.max(...harmless.map(({ score }) => score));
  const alike = harmless.filter(({ score }) => score >= best - FLAT);
  const [chosen] = (alike.length > 0 ? alike : tried).toSorted((a, b) => b.worst - a.worst);
  return chosen?.logOdds ?? 0;
}

/** Candidates of a query with the normalised scores of both lanes, so that weights can be tried without sorting. */
interface Pool {
  readonly query: QueryLanes;
  readonly candidates: readonly { readonly id: string; readonly dense: number; readonly lexical: number }[];
}

function poolOf(query: QueryLanes): Pool {
  const merged = new Map<string, { id: string; dense: number; lexical: number }>();
  for (const signal of ['dense', 'lexical'] as const) {
    const { hits } = query.outcomes[signal];
    const parts = convexCombination({ signal, hits, weight: 1 });
    hits.forEach(({ chunk: { id } }, i) => {
      const entry = merged.get(id) ?? { id, dense: 0, lexical: 0 };
      entry[signal] = parts[i] ?? 0;
      merged.set(id, entry);
    });
  }
  merged.delete(query.own ?? '');
  return { query, candidates: [...merged.values()] };
}

/** Only the places of relevant candidates matter, so only they are counted out. */
function poolNdcg({ query, candidates }: Pool, { dense, lexical }: LaneWeights): number {
  const scoreOf = (entry: Pool['candidates'][number]): number =>
    dense * entry.dense + lexical * entry.lexical;
  const ranking: string[] = Array.from({ length: 10 }, () => '');
  for (const entry of candidates) {
    if (!query.relevant.has(entry.id)) continue;
    const score = scoreOf(entry);
    const isBefore = (other: typeof entry): boolean => {
      const difference = scoreOf(other) - score;
      return difference > 0 || (difference === 0 && compareText(other.id, entry.id) < 0);
    };
    const place = candidates.filter(isBefore).length;
    if (place < ranking.length) ranking[place] = entry.id;
  }
  return ndcgOf(ranking, query);
}
