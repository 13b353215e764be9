import type { Notice } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import type { StageTimes } from '../core/telemetry.js';
import type { SearchQuery } from '../operations/engine.js';
import type { FoundDegradation } from '../platform/degradation/degradation-report.js';
import type { PartName } from '../platform/degradation/level.js';
import type { SearchPlanReport } from '../retrieval/planning/plan-report.js';
import type {
  LaneReport,
  QueryCorrection,
  QueryUnderstanding,
  RankedCandidate,
  RemovedCandidate,
} from '../retrieval/retriever.js';

/** What a search found and how. */
export interface FoundPassages extends FoundDegradation {
  /** What is shown, best first. */
  readonly passages: readonly RankedCandidate[];
  /** Most passages that this search shows. */
  readonly limit: number;
  /** What was searched for in place of the query; absent where its words were left as they are. */
  readonly correction?: QueryCorrection;
  /** Present where an earlier question found it that means nearly the same; cosine of both. */
  readonly semanticCache?: { readonly similarity: number };
  /** Absent where retrieval is switched off, and with `semanticCache`. */
  readonly understanding?: QueryUnderstanding;
  /** Absent where no deadline was given. */
  readonly plan?: SearchPlanReport;
  readonly lanes: readonly LaneReport[];
  readonly removed: readonly RemovedCandidate[];
  readonly notices: readonly Notice[];
  /** Milliseconds of each stage. */
  readonly stages: StageTimes;
  /** Milliseconds in all. */
  readonly tookMs: number;
}

/** An index as other processes search it. */
export interface RemoteIndex {
  /**
   * As `findPassages`. A deadline counts from `startedAt`, by `runtime().elapsed()`.
   *
   * @throws RAGError `SERVICE_UNAVAILABLE` where searches wait too long, or no process can be started; `ABORTED`; what a search throws
   */
  find(query: SearchQuery, scope: Scope, startedAt: number): Promise<FoundPassages>;
  /** A part answers again: searches try it next, however short a time they left it alone. */
  tryNext(part: PartName): void;
  close(): void;
}
