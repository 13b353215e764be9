import { compareCandidates, type FoundCandidate, type FoundChunk } from '../candidate.js';
import type { Contribution } from '../retriever.js';
import type { FusionLane, LaneScoring } from './lane-scores.js';

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
