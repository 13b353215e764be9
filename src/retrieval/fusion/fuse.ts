import {
  compareCandidates,
  type FoundCandidate,
  type FoundChunk,
  type Hit,
  withContribution,
} from '../candidate.js';
import type { IdentifierHit } from '../lanes/identifier-lane.js';
import type { Contribution, FusionSettings, LaneWeights } from '../retriever.js';
import type { LaneOutcomes } from '../run-lanes.js';
import { adaptiveWeights, denseLogOddsFor, laneWeightsFor } from './lane-weights.js';

export interface FuseOptions extends FusionSettings {
  readonly modelKey: string;
  /** What was found for expansions of the query, with shares of the fused score; the lanes of the query share the rest. */
  readonly expansions?: readonly FusionLane[];
  /** The embedding model reads no word of some script of the query: what holds such words is found by words alone. @default false */
  readonly isPartlyUnread?: boolean;
}

/** One ordered list out of what the lanes found: fused scores, then the place of exact identifier hits. */
export function fuseLanes(outcomes: LaneOutcomes, options: FuseOptions): FoundCandidate[] {
  const { method, rankConstant, expansions = [], isPartlyUnread = false } = options;
  const weights = laneWeightsOf(outcomes, options);
  const own: FusionLane[] = [
    { signal: 'dense', weight: weights.dense, hits: outcomes.dense.hits },
    {
      signal: 'lexical',
      weight: weights.lexical,
      hits: outcomes.lexical.hits,
      countsFromZero: isPartlyUnread,
    },
  ];
  const lanes = expansions.length === 0 ? own : [...withShare(own, 1 - totalOf(expansions)), ...expansions];
  const scoring = method === 'reciprocal-rank' ? reciprocalRank(rankConstant) : convexCombination;
  return promoteIdentifierHits(fuse(lanes, scoring), outcomes.identifierHits);
}

/**
 * Gives exact identifier hits their place. A decisive hit adds 1 to a fused score of at most 1 and comes before everything
 * else. Any other hit is lifted to the best candidate that lacks the identifier and shares no more words with the query:
 * that one stands higher by its meaning alone, and a paraphrase may not outrank the thing itself. Chunks that only the
 * identifier lane found join the candidates.
 */
export function promoteIdentifierHits(
  candidates: readonly FoundCandidate[],
  hits: readonly IdentifierHit[],
): FoundCandidate[] {
  if (hits.length === 0) return [...candidates];
  const pool = new Map(candidates.map((candidate) => [candidate.chunk.id, candidate]));
  const holders = new Set(hits.map(({ chunk }) => chunk.id));
  const others = candidates.filter(({ chunk }) => !holders.has(chunk.id));
  for (const { chunk, score, decisiveHits } of hits) {
    const known = pool.get(chunk.id) ?? joined(chunk, score);
    const value = decisiveHits > 0 ? decisiveHits : liftOver(others, known);
    pool.set(chunk.id, {
      ...withContribution(known, 'identifier', value),
      identifierHits: decisiveHits,
      holdsIdentifier: true,
    });
  }
  return [...pool.values()].sort(compareCandidates);
}

const joined = (chunk: FoundCandidate['chunk'], keywordScore: number): FoundCandidate => ({
  chunk,
  ...(keywordScore === 0 ? {} : { keywordScore }),
  identifierHits: 0,
  holdsIdentifier: false,
  contributions: [],
  score: 0,
});

/** What the holder lacks to stand level with the best of those that match no more words; `compareCandidates` prefers it. */
function liftOver(others: readonly FoundCandidate[], holder: FoundCandidate): number {
  const words = holder.keywordScore ?? 0;
  let best = holder.score;
  for (const { keywordScore = 0, score } of others) if (keywordScore <= words && score > best) best = score;
  return best - holder.score;
}

const totalOf = (lanes: readonly FusionLane[]): number => lanes.reduce((sum, { weight }) => sum + weight, 0);

/** Weights scaled so that the lanes that found something have this share together. */
function withShare(lanes: readonly FusionLane[], share: number): FusionLane[] {
  const total = totalOf(lanes.filter(({ hits }) => hits.length > 0));
  return lanes.map((lane) => ({
    ...lane,
    weight: total === 0 ? lane.weight : (lane.weight / total) * share,
  }));
}

/** The shares of the lanes in the fused scores of this query; a configured one always holds. */
export function laneWeightsOf(
  { dense, lexical }: Pick<LaneOutcomes, 'dense' | 'lexical'>,
  { method, weights, modelKey }: FuseOptions,
): LaneWeights {
  if (weights !== undefined) return weights;
  if (method !== 'adaptive') return laneWeightsFor(modelKey);
  return adaptiveWeights({ dense: dense.hits, lexical: lexical.hits }, denseLogOddsFor(modelKey));
}

/**
 * Signals whose contributions make up the fused score. `expansion`: what was found for words or vectors added to the query. `graph`: what is
 * connected with what was found.
 */
const LANE_SIGNALS = ['dense', 'lexical', 'expansion', 'graph'] as const;

type LaneSignal = (typeof LANE_SIGNALS)[number];

/** The share of a score that fusion gave, in [0, 1]. */
export function fusedPartOf(contributions: readonly Contribution[]): number {
  const isOfLane = (signal: string): boolean => LANE_SIGNALS.some((lane) => lane === signal);
  return contributions.reduce((sum, { signal, value }) => sum + (isOfLane(signal) ? value : 0), 0);
}

/** What one lane found, best first, and its share in the fusion. */
export interface FusionLane {
  readonly signal: LaneSignal;
  /** At least 0. */
  readonly weight: number;
  readonly hits: readonly Hit[];
  /**
   * Its scores count from 0, not from its weakest hit: what it found stands above what it did not find.
   * @default true of `graph` alone, where what is not connected scores 0
   */
  readonly countsFromZero?: boolean;
}

/** The lane's contribution to each of its hits, in their order; at most the lane's weight, at least 0. */
export type LaneScoring = (lane: FusionLane) => Float64Array;

/**
 * Min-max normalised scores times the weight: the best hit gets the whole weight, the worst nothing, as a chunk that the
 * lane did not find gets nothing. Where all scores are equal each gets the whole weight. (Bruch, Gai and Ingber, "An
 * Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023, find such convex combinations better than rank fusion.)
 */
export const convexCombination: LaneScoring = ({
  signal,
  hits,
  weight,
  countsFromZero = signal === 'graph',
}) => {
  const parts = new Float64Array(hits.length);
  let minimum = countsFromZero ? 0 : Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  for (const { score } of hits) {
    if (score < minimum) minimum = score;
    if (score > maximum) maximum = score;
  }
  const span = maximum - minimum;
  hits.forEach(({ score }, i) => {
    parts[i] = span === 0 ? weight : (weight * (score - minimum)) / span;
  });
  return parts;
};

/**
 * Reciprocal rank fusion: weight / (k + rank), scaled so that the first hit gets the whole weight. (Cormack, Clarke and
 * Büttcher, SIGIR 2009; they use k = 60.)
 */
export function reciprocalRank(k: number): LaneScoring {
  return ({ hits, weight }) => {
    const parts = new Float64Array(hits.length);
    for (let i = 0; i < parts.length; i++) parts[i] = (weight * (k + 1)) / (k + i + 1);
    return parts;
  };
}

interface Merged {
  readonly chunk: FoundChunk;
  semanticScore?: number;
  keywordScore?: number;
  readonly contributions: Contribution[];
  score: number;
}

/**
 * Candidates of all lanes, each chunk once, best first. Weights are scaled to sum 1 over the lanes that found something, so
 * a fused score lies in [0, 1] and a lane that failed does not press the others down. Ties break by id.
 */
export function fuse(lanes: readonly FusionLane[], scoring: LaneScoring): FoundCandidate[] {
  const total = lanes.reduce((sum, lane) => sum + (lane.hits.length > 0 ? lane.weight : 0), 0);
  const merged = new Map<string, Merged>();
  for (const lane of lanes) {
    // Where only lanes without weight found something, they share equally: an answer is better than none.
    const weight = total > 0 ? lane.weight / total : 1 / lanes.length;
    mergeLane(merged, lane, scoring({ ...lane, weight }));
  }
  return Array.from(
    merged.values(),
    (entry): FoundCandidate => ({ ...entry, identifierHits: 0, holdsIdentifier: false }),
  ).sort(compareCandidates);
}

function mergeLane(merged: Map<string, Merged>, lane: FusionLane, parts: Float64Array): void {
  lane.hits.forEach(({ chunk, score }, i) => {
    const entry = merged.get(chunk.id) ?? { chunk, contributions: [], score: 0 };
    merged.set(chunk.id, entry);
    if (lane.signal === 'dense') entry.semanticScore = score;
    else if (lane.signal === 'lexical') entry.keywordScore = score;
    const value = parts[i] ?? 0;
    if (value === 0) return;
    entry.contributions.push({ signal: lane.signal, value });
    entry.score += value;
  });
}
