import { RAGError } from '../../core/errors.js';
import type { Filter } from '../../core/filter.js';
import { type TelemetryPayloads, traced } from '../../core/telemetry.js';
import type { VectorCollection } from '../../stores/vector-store.js';
import type { Hit } from '../candidate.js';
import type { PreparedQuery } from '../prepared-query.js';
import type { LaneReport } from '../retriever.js';

/** What every lane needs to search. */
export interface LaneInput {
  readonly collection: VectorCollection;
  readonly query: PreparedQuery;
  readonly filter: Filter;
  /** Most candidates to fetch. */
  readonly limit: number;
  readonly includeVectors: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What a lane found, best first, and in words why it found nothing, where it did not even search. */
export interface LaneHits {
  readonly hits: readonly Hit[];
  readonly reason?: string;
  /** See `LaneReport.unfinished`. @default false */
  readonly isUnfinished?: boolean;
}

export interface LaneOutcome {
  readonly report: LaneReport;
  readonly hits: readonly Hit[];
  /** Why the lane failed. */
  readonly error?: unknown;
}

/** Runs a lane; a failure becomes its report, so that the other lanes go on. A cancelled search throws `ABORTED`. */
export async function runLane(
  lane: LaneReport['lane'],
  search: () => Promise<LaneHits>,
  signal: AbortSignal | undefined,
): Promise<LaneOutcome> {
  const payload: TelemetryPayloads['lane'] = { lane };
  const reportOf = (
    status: LaneReport['status'],
    candidates: number,
    { reason, isUnfinished = false }: Omit<LaneHits, 'hits'>,
  ): LaneReport => ({
    lane,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(isUnfinished ? { unfinished: true } : {}),
    candidates,
    tookMs: payload.tookMs ?? 0,
  });
  try {
    const { hits, ...rest } = await traced('lane', payload, async () => {
      const found = await search();
      payload.candidates = found.hits.length;
      return found;
    });
    return { report: reportOf(hits.length === 0 ? 'empty' : 'ran', hits.length, rest), hits };
  } catch (error) {
    if (signal?.aborted === true)
      throw new RAGError('ABORTED', 'The search was cancelled.', { cause: signal.reason });
    const reason = RAGError.isInstance(error) ? error.message : 'It failed for an unexpected reason.';
    return { report: reportOf('failed', 0, { reason }), hits: [], error };
  }
}

/** A lane that does not run, and why. */
export const laneOff = (lane: LaneReport['lane'], reason: string): LaneOutcome => ({
  report: { lane, status: 'off', reason, candidates: 0, tookMs: 0 },
  hits: [],
});
