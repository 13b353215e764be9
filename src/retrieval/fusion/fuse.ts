import { compareCandidates, type FoundCandidate, type FoundChunk, type Hit } from '../candidate.js';
import type { Contribution } from '../retriever.js';

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
