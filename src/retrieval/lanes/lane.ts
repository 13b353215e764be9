import { RAGError } from '../../core/errors.js';
import type { Filter } from '../../core/filter.js';
import { type TelemetryPayloads, traced } from '../../core/telemetry.js';
import type { ScoredId, TextQuery, VectorCollection, VectorQuery } from '../../stores/vector-store.js';
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

type Asked<Query> = Omit<Query, 'includeVectors' | 'signal'>;

/** What is near a vector: ids where the store can rank without reading records, else whole chunks. */
export async function findByVector(input: LaneInput, query: Asked<VectorQuery>): Promise<readonly Hit[]> {
  const { collection } = input;
  if (collection.rankVector !== undefined)
    return found(await collection.rankVector({ ...query, ...abort(input) }));
  return collection.searchVector({ ...query, includeVectors: input.includeVectors, ...abort(input) });
}

/** What shares terms with a query, likewise; nothing where the store cannot search for words. */
export async function findByText(input: LaneInput, query: Asked<TextQuery>): Promise<readonly Hit[]> {
  const { collection } = input;
  if (collection.rankText !== undefined)
    return found(await collection.rankText({ ...query, ...abort(input) }));
  const whole = { ...query, includeVectors: input.includeVectors, ...abort(input) };
  return (await collection.searchText?.(whole)) ?? [];
}

/** What a filter admits, by the words of the query where the store searches for words, else in the order of ids with score 0. */
export async function findWithin(
  input: LaneInput,
  filter: LaneInput['filter'],
  topK: number,
): Promise<readonly Hit[]> {
  const { collection, query } = input;
  const { terms, counts } = query.lexical;
  if (collection.searchText !== undefined && terms.length > 0)
    return findByText(input, { terms, weights: counts, topK, filter });
  const { chunks } = await collection.list({ filter, limit: topK, ...abort(input) });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}

const abort = ({ signal }: LaneInput) => (signal === undefined ? {} : { signal });

const found = (ids: readonly ScoredId[]): Hit[] => ids.map(({ id, score }) => ({ chunk: { id }, score }));
