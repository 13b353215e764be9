import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { rounded } from '../core/telemetry.js';
import type { SearchPlanReport } from '../retrieval/planning/plan-report.js';
import type { NamedPlan, SearchPlan } from '../retrieval/planning/search-plan.js';
import type { RetrievalRequest } from '../retrieval/retriever.js';
import type { FindResources } from './searched-index.js';

/** What a search that has a deadline does. */
export interface PlannedRequest {
  /** Over what was asked for. */
  readonly request: Pick<
    RetrievalRequest,
    'mode' | 'rerank' | 'candidatesPerLane' | 'rerankCandidates' | 'until'
  >;
  readonly report: SearchPlanReport;
  /** To be called at the end of the search: later ones learn from it. */
  readonly learn: () => void;
}

interface Wanted {
  readonly deadlineMs: number | undefined;
  /** As `runtime().elapsed()` counts. */
  readonly startedAt: number;
  /** Taken whatever would end in time: to measure it. */
  readonly plan: NamedPlan | undefined;
}

/**
 * What a search does to end in time; undefined where it has no deadline.
 *
 * @throws RAGError `QUERY_INVALID` for a deadline that is no number above 0; `CONFIG_INVALID` for a broken profile
 */
export async function planSearch(
  asked: RetrievalRequest,
  { deadlineMs, startedAt, plan: given }: Wanted,
  { config, planner }: Pick<FindResources, 'config' | 'planner'>,
): Promise<PlannedRequest | undefined> {
  if (deadlineMs === undefined || planner === undefined) return undefined;
  if (!(deadlineMs > 0))
    throw new RAGError(
      'QUERY_INVALID',
      `deadlineMs must be a number of milliseconds above 0, not ${deadlineMs}.`,
    );
  const until = startedAt + deadlineMs;
  const begunAt = runtime().elapsed();
  const planned =
    given === undefined
      ? await planner.plan(wholePlan(asked, config), until - begunAt)
      : { plan: { ...given, quality: 0, p95Ms: 0 }, expectedMs: 0, isMeasured: false };
  const { mode, candidates, reranked, name, leftOut } = planned.plan;
  return {
    request: {
      mode,
      until,
      candidatesPerLane: candidates,
      rerank: reranked > 0,
      ...(reranked > 0 ? { rerankCandidates: reranked } : {}),
    },
    report: {
      ...{ name, deadlineMs, leftOut, isMeasured: planned.isMeasured },
      expectedMs: rounded(planned.expectedMs),
      // Known at the end.
      isInTime: false,
    },
    learn: () => {
      if (given === undefined) planner.learn(planned, runtime().elapsed() - begunAt);
    },
  };
}

/** What a search does that has all the time. */
export const wholePlan = (
  { mode, rerank }: Pick<RetrievalRequest, 'mode' | 'rerank'>,
  { rag: { retrieval } }: ResolvedConfig,
): SearchPlan => ({
  mode,
  candidates: retrieval.fusion.candidates,
  reranked: (rerank ?? retrieval.rerank.enabled) ? retrieval.rerank.candidates : 0,
});
