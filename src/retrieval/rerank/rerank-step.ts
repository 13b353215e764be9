import type { Notice } from '../../core/notice.js';
import type { RerankRemark, RerankScoring } from '../../reranking/reranker.js';
import type { FoundCandidate } from '../candidate.js';
import { type LaneOutcome, laneOff, runLane } from '../lanes/lane.js';
import type { PreparedQuery } from '../prepared-query.js';
import type { ReadCandidates } from '../read-chunks.js';
import type { RetrievalRequest } from '../retriever.js';
import type { RetrieverOptions } from '../retriever-options.js';
import { LEAST_MS, leftUntil } from '../time-left.js';
import { rerankCandidates } from './rerank.js';

export interface RerankStepInput {
  readonly request: RetrievalRequest;
  readonly query: PreparedQuery;
  readonly fused: readonly FoundCandidate[];
  readonly read: ReadCandidates;
  /** See `toRerankCandidate`. */
  readonly fusedScores?: ReadonlyMap<string, number> | undefined;
}

export interface RerankStepResult {
  readonly candidates: readonly FoundCandidate[];
  readonly outcome: LaneOutcome;
  /** What the scores of the reranker say, where it ran. */
  readonly scoring?: RerankScoring | undefined;
  /** What a person should know of the reranker and its answer. */
  readonly notices: readonly Notice[];
}

/** Reorders what was fused, where that is asked for and possible; else the list stays and the report says why. */
export async function rerankStep(
  options: RetrieverOptions,
  { request, query, fused, read, fusedScores }: RerankStepInput,
): Promise<RerankStepResult> {
  const { rerank, rerankCandidates: wanted, affordable, until, signal } = request;
  const { loadReranker, settings } = options;
  const off = (reason: string) => ({ candidates: fused, outcome: laneOff('rerank', reason), notices: [] });
  if (!(rerank ?? settings.rerank.enabled)) return off('Reranking is not asked for.');
  if (loadReranker === undefined) return off('No reranker is set up.');
  if (fused.length === 0) return off('There is nothing to rerank.');
  const left = leftUntil(until);
  if (left === LEAST_MS) return off('The time of the search is over.');
  let candidates = fused;
  let scoring: RerankScoring | undefined;
  const maxCandidates = wanted ?? settings.rerank.maxCandidates;
  const deadlineMs = Math.min(settings.rerank.deadlineMs, left);
  const notices: Notice[] = [];
  const remarks: RerankRemark[] = [];
  let isTooExpensive = false;
  const run = async () => {
    candidates = await rerankCandidates(fused, {
      load: async () => {
        const reranker = await loadReranker();
        scoring = reranker.scoring;
        return reranker;
      },
      query: query.withSynonyms ?? query.text,
      read,
      fusedScores,
      maxCandidates,
      affordable: (...asked) => {
        const count = affordable?.(...asked) ?? asked[2].length;
        isTooExpensive = count < asked[2].length && count === 0;
        return count;
      },
      weight: settings.rerank.weight,
      deadlineMs,
      signal,
      onNotice: (notice) => notices.push(notice),
      onRemark: (remark) => remarks.push(remark),
    });
    const reranked = candidates.filter(({ rerankScore }) => rerankScore !== undefined);
    const hits = reranked.map(({ chunk, score }) => ({ chunk, score }));
    const reasons = [...notices, ...remarks].map(({ text }) => text);
    return {
      hits,
      ...(reasons.length === 0 ? {} : { reason: reasons.join(' ') }),
      isUnfinished: remarks.some((remark) => remark.isUnfinished),
    };
  };
  const outcome = await runLane('rerank', run, signal);
  if (isTooExpensive) return off('It would cost more than the search may.');
  return { candidates, outcome, scoring, notices };
}
