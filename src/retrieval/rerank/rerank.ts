import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import type { Notice } from '../../core/notice.js';
import { withPermit } from '../../core/semaphore.js';
import { traced } from '../../core/telemetry.js';
import { withDeadline } from '../../core/with-deadline.js';
import { callPart } from '../../platform/degradation/breakers.js';
import type {
  RerankCandidate,
  RerankedCandidate,
  Reranker,
  RerankRemark,
  RerankScoring,
} from '../../reranking/reranker.js';
import {
  type Candidate,
  compareCandidates,
  type FoundCandidate,
  type FoundChunk,
  withContribution,
} from '../candidate.js';
import { fusedPartOf } from '../fusion/fuse.js';
import { type LaneOutcome, laneOff, runLane } from '../lanes/lane.js';
import type { PreparedQuery } from '../prepared-query.js';
import type { ReadCandidates } from '../read-chunks.js';
import type { RetrievalRequest } from '../retriever.js';
import type { RetrieverOptions } from '../retriever-options.js';
import { LEAST_MS, leftUntil } from '../time-left.js';

export interface RerankOptions {
  /** Opens the reranker, or gives the one that is open; searches that wait for the same opening do not count it. */
  readonly load: () => Promise<Reranker>;
  readonly query: string;
  readonly read: ReadCandidates;
  /** See `toRerankCandidate`. */
  readonly fusedScores?: ReadonlyMap<string, number> | undefined;
  /** How many of the first candidates are handed over, at most as many as the reranker takes. */
  readonly maxCandidates: number;
  /** How many of these may be handed over, of the first ones. @default all */
  readonly affordable?: RetrievalRequest['affordable'];
  /** Share of the reranker's scores in the order, in (0, 1]. @default 1 */
  readonly weight?: number | undefined;
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told what a person should know of the reranker's answer. */
  readonly onNotice?: (notice: Notice) => void;
  /** Told what the report says of the answer. */
  readonly onRemark?: (remark: RerankRemark) => void;
}

/**
 * Orders the first candidates by the reranker's scores; the others follow in their order. Exact identifier hits stay first.
 * Throws `RERANKER_UNAVAILABLE` where it is late or answers with something else than one finite score a position.
 */
export async function rerankCandidates(
  candidates: readonly FoundCandidate[],
  options: RerankOptions,
): Promise<FoundCandidate[]> {
  const reranker = await options.load();
  const most = Math.min(options.maxCandidates, reranker.maxCandidates);
  const read = await options.read(candidates.slice(0, most));
  const passages = read.map((candidate) => toRerankCandidate(candidate, options.fusedScores));
  const count = options.affordable?.(reranker, options.query, passages) ?? passages.length;
  if (count === 0 && passages.length > 0) return [...candidates];
  const head = read.slice(0, count);
  const rest = [...read.slice(count), ...candidates.slice(most)];
  const rerank = () => score(reranker, passages.slice(0, count), options);
  const { concurrency } = reranker;
  const scores = await (typeof concurrency === 'number'
    ? withPermit({ owner: reranker, concurrency }, rerank, options.signal)
    : rerank());
  const remark = reranker.remarkOf?.(scores);
  const byPosition = scoresByPosition(scores, head.length, { ...reranker, mayLack: remark !== undefined });
  if (reranker.standsIn !== undefined)
    options.onNotice?.({ kind: 'reranking-model', text: reranker.standsIn });
  const text = reranker.noticeOf?.(scores);
  if (text !== undefined) options.onNotice?.({ kind: 'of-a-part', text });
  if (remark !== undefined) options.onRemark?.(remark);
  const judged = head.flatMap((candidate, i) => {
    const given = byPosition[i];
    return given === undefined ? [] : [{ candidate, ...given }];
  });
  const orders = blended(judged, options.weight);
  const reranked = judged.map(({ candidate, score, reading }, i) => ({
    ...withRerankScore(candidate, score, orders[i] ?? 0),
    ...withReading(reading),
  }));
  const unread = head.filter((_, i) => byPosition[i] === undefined);
  return [...reranked.sort(compareCandidates), ...sunkBelow(reranked, [...unread, ...rest])];
}

/**
 * What a reranker is told of a candidate.
 * @param fusedScores what words and vectors gave, by chunk id, where something else is in the fused scores. Rerankers judge texts.
 */
export function toRerankCandidate(
  { chunk, semanticScore, keywordScore, contributions }: Candidate,
  fusedScores?: ReadonlyMap<string, number>,
): RerankCandidate {
  const title = titleOf(chunk);
  return {
    content: chunk.content,
    ...(title === undefined ? {} : { title }),
    headingPath: headingPathOf(chunk),
    identifiers: chunk.identifiers,
    ...(semanticScore === undefined ? {} : { semanticScore }),
    ...(keywordScore === undefined ? {} : { keywordScore }),
    fusedScore: fusedScores === undefined ? fusedPartOf(contributions) : (fusedScores.get(chunk.id) ?? 0),
  };
}

/** Asks the reranker, until the deadline where there is one. */
function score(
  reranker: Reranker,
  candidates: readonly RerankCandidate[],
  { query, deadlineMs, signal }: RerankOptions,
): Promise<RerankedCandidate[]> {
  const rerank = (abort: AbortSignal | undefined) =>
    traced('rerank', { model: reranker.name, candidates: candidates.length }, () =>
      reranker.doRerank(query, candidates, abort),
    );
  if (reranker.concurrency === 'inline') return rerank(signal);
  const lateError = () => lateReranker(deadlineMs);
  return callPart('reranker', () => withDeadline({ timeoutMs: deadlineMs, signal, lateError }, rerank));
}

function withRerankScore<Chunk extends FoundChunk>(
  candidate: Candidate<Chunk>,
  rerankScore: number,
  order: number,
): Candidate<Chunk> {
  const score = candidate.identifierHits + order;
  return { ...withContribution(candidate, 'rerank', score - candidate.score), rerankScore };
}

const withReading = (reading: number | undefined): Pick<Candidate, 'reading'> =>
  reading === undefined || !Number.isFinite(reading) ? {} : { reading };

/**
 * The reranker's scores, or a convex combination of them with the fused ones, brought to the same range (Bruch, Gai and Ingber, TOIS 2023, on
 * why one range). So a score stays one of the reranker's range, and what was not reranked stays below.
 */
function blended(
  judged: readonly { readonly candidate: FoundCandidate; readonly score: number }[],
  weight = 1,
): readonly number[] {
  const given = judged.map(({ score }) => score);
  if (weight === 1 || judged.length === 0) return given;
  const fused = judged.map(({ candidate }) => fusedPartOf(candidate.contributions));
  const [lowest, highest] = [Math.min(...given), Math.max(...given)];
  const [least, most] = [Math.min(...fused), Math.max(...fused)];
  const span = most === least ? 1 : most - least;
  return given.map((score, at) => {
    const asReranked = lowest + (((fused[at] ?? 0) - least) / span) * (highest - lowest);
    return weight * score + (1 - weight) * asReranked;
  });
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
  { name, mayLack }: { readonly name: string; readonly mayLack: boolean },
): readonly (RerankedCandidate | undefined)[] {
  const byPosition = new Array<RerankedCandidate | undefined>(length).fill(undefined);
  for (const one of scores)
    if (Number.isInteger(one.index) && one.index >= 0 && one.index < length && Number.isFinite(one.score))
      byPosition[one.index] = { ...one, score: Math.min(1, Math.max(0, one.score)) };
  const given = byPosition.filter((one) => one !== undefined).length;
  if (given !== scores.length || (given < length && !mayLack))
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

interface RerankStepInput {
  readonly request: RetrievalRequest;
  readonly query: PreparedQuery;
  readonly fused: readonly FoundCandidate[];
  readonly read: ReadCandidates;
  /** See `toRerankCandidate`. */
  readonly fusedScores?: ReadonlyMap<string, number> | undefined;
}

interface RerankStepResult {
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
