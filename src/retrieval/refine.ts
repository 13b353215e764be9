import type { ScoredChunk } from '../core/chunk.js';
import { calibrate, calibrationModelFor, type Evidence, settleScores } from './calibration.js';
import { featureContextOf } from './calibration-features.js';
import { type Candidate, compareCandidates } from './candidate.js';
import { maximalMarginalRelevance } from './maximal-marginal-relevance.js';
import { removeNearDuplicates } from './near-duplicates.js';
import { applyRecency } from './recency.js';
import type { RemovedCandidate, RetrievalRequest } from './retriever.js';
import { applyThreshold } from './threshold.js';

export interface RefineInput {
  readonly request: RetrievalRequest;
  readonly modelKey: string;
  /** Analysed terms of the query. */
  readonly terms: readonly string[];
  /** What the dense and the lexical lane found, best first. */
  readonly dense: readonly ScoredChunk[];
  readonly lexical: readonly ScoredChunk[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Refined {
  readonly candidates: readonly Candidate[];
  readonly removed: readonly RemovedCandidate[];
  readonly notices: readonly string[];
}

/**
 * From an ordered pool to the list that is shown: near-duplicates, calibration, recency, threshold, diversity, `topK`.
 * Steps that are off cost nothing.
 */
export function refine(pool: readonly Candidate[], input: RefineInput): Refined {
  const { topK, nearDuplicateThreshold, recencyHalfLifeDays = 0, mmrLambda, minSimilarity } = input.request;
  // Later steps that reorder need the whole pool; otherwise only what can be shown is looked at.
  const limit = recencyHalfLifeDays > 0 || isMmrOn(mmrLambda) ? pool.length : topK;
  const distinct =
    nearDuplicateThreshold === undefined
      ? { kept: pool.slice(0, limit), removed: [] }
      : removeNearDuplicates(pool, { threshold: nearDuplicateThreshold, limit });
  const scored = aged(calibrated(distinct.kept, pool, input), {
    halfLifeDays: recencyHalfLifeDays,
    now: input.now,
  });
  const { kept, removed, notices } = applyThreshold(scored, minSimilarity);
  const candidates = isMmrOn(mmrLambda)
    ? settleScores(maximalMarginalRelevance(kept, { lambda: mmrLambda, limit: topK }))
    : kept.slice(0, topK);
  return { candidates, removed: [...distinct.removed, ...removed], notices };
}

export const isMmrOn = (lambda: number | undefined): lambda is number => lambda !== undefined && lambda < 1;

function calibrated(
  candidates: readonly Candidate[],
  pool: readonly Candidate[],
  { modelKey, terms, dense, lexical }: RefineInput,
): Candidate[] {
  const model = calibrationModelFor(modelKey, evidenceOf(dense, lexical));
  const context = featureContextOf(pool, { terms, lowestCosine: dense.at(-1)?.score ?? 0 });
  return calibrate(candidates, model, context);
}

function evidenceOf(dense: readonly ScoredChunk[], lexical: readonly ScoredChunk[]): Evidence {
  if (dense.length === 0) return 'lexical';
  return lexical.length === 0 ? 'dense' : 'hybrid';
}

function aged(
  candidates: readonly Candidate[],
  { halfLifeDays, now }: { readonly halfLifeDays: number; readonly now: number },
): readonly Candidate[] {
  if (halfLifeDays === 0) return candidates;
  return settleScores(applyRecency(candidates, { halfLifeDays, now }).sort(compareCandidates));
}
