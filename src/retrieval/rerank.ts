import { RAGError } from '../core/errors.js';
import { withDeadline } from '../core/with-deadline.js';
import type { RerankedCandidate, Reranker } from '../reranking/reranker.js';
import {
  type Candidate,
  compareCandidates,
  type FoundCandidate,
  type FoundChunk,
  withContribution,
} from './candidate.js';
import type { ReadChunks } from './read-chunks.js';
import { toRerankCandidate } from './rerank-candidates.js';

export interface RerankOptions {
  /** Opens the reranker, or gives the one that is open; its time counts. */
  readonly load: () => Promise<Reranker>;
  readonly query: string;
  readonly read: ReadChunks;
  /** How many of the first candidates are handed over, at most as many as the reranker takes. */
  readonly maxCandidates: number;
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told what a person should know of the reranker's answer. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * Orders the first candidates by the reranker's scores; the others follow in their order. Exact identifier hits stay first.
 * Throws `RERANKER_UNAVAILABLE` where it is late or answers with something else than one finite score a position.
 */
export async function rerankCandidates(
  candidates: readonly FoundCandidate[],
  options: RerankOptions,
): Promise<FoundCandidate[]> {
  const { deadlineMs, signal: cancel } = options;
  const deadline = { timeoutMs: deadlineMs, signal: cancel, lateError: () => lateReranker(deadlineMs) };
  const { reranker, head, rest, scores } = await withDeadline(deadline, async (signal) => {
    const loaded = await options.load();
    const count = Math.min(options.maxCandidates, loaded.maxCandidates);
    const first = await options.read(candidates.slice(0, count));
    const answer = await loaded.doRerank(options.query, first.map(toRerankCandidate), signal);
    return { reranker: loaded, head: first, rest: candidates.slice(count), scores: answer };
  });
  const byPosition = scoresByPosition(scores, head.length, reranker.name);
  const notice = reranker.noticeOf?.(scores);
  if (notice !== undefined) options.onNotice?.(notice);
  const reranked = head.map((candidate, i) => withRerankScore(candidate, byPosition[i] ?? 0));
  return [...reranked.sort(compareCandidates), ...sunkBelow(reranked, rest)];
}

function withRerankScore<Chunk extends FoundChunk>(
  candidate: Candidate<Chunk>,
  rerankScore: number,
): Candidate<Chunk> {
  const score = candidate.identifierHits + rerankScore;
  return { ...withContribution(candidate, 'rerank', score - candidate.score), rerankScore };
}

/** What was not reranked keeps its order and may not score above what was. */
function sunkBelow(reranked: readonly FoundCandidate[], rest: readonly FoundCandidate[]): FoundCandidate[] {
  const floor = reranked.reduce((lowest, { score }) => Math.min(lowest, score), Number.POSITIVE_INFINITY);
  const first = rest[0]?.score ?? 0;
  const scale = first > floor && first > 0 ? Math.max(0, floor) / first : 1;
  return rest.map((candidate) => withContribution(candidate, 'rerank', candidate.score * (scale - 1)));
}

function scoresByPosition(
  scores: readonly RerankedCandidate[],
  length: number,
  name: string,
): readonly (number | undefined)[] {
  const byPosition = new Array<number | undefined>(length).fill(undefined);
  for (const { index, score } of scores)
    if (Number.isInteger(index) && index >= 0 && index < length && Number.isFinite(score))
      byPosition[index] = Math.min(1, Math.max(0, score));
  if (scores.length !== length || byPosition.includes(undefined))
    throw new RAGError(
      'RERANKER_UNAVAILABLE',
      `Reranker "${name}" did not answer with one finite score for each passage; its answer was not used.`,
    );
  return byPosition;
}

const lateReranker = (deadlineMs: number): RAGError =>
  new RAGError(
    'RERANKER_UNAVAILABLE',
    `The reranker did not answer within ${deadlineMs} ms (rag.retrieval.rerank.deadlineMs) and was skipped.`,
  );
