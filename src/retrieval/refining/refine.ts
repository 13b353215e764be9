import { dotProduct } from '../../core/dot-product.js';
import type { RerankScoring } from '../../reranking/reranker.js';
import { calibrate, calibrationFor, type Evidence } from '../calibration/calibration.js';
import { featureContextOf } from '../calibration/calibration-features.js';
import { type Candidate, type FoundCandidate, type Hit, withContribution } from '../candidate.js';
import type { MatchContext } from '../match/match-features.js';
import { POOLED, pooledInOrder, scoreMatches } from '../match/match-score.js';
import type { ReadCandidates } from '../read-chunks.js';
import type { CollapseMode, RemovedCandidate, RetrievalRequest } from '../retriever.js';
import { collapse, isCollapsible } from './collapse.js';
import { type DistinctCandidates, removeNearDuplicates } from './near-duplicates.js';

export interface RefineInput {
  readonly request: RetrievalRequest;
  readonly modelKey: string;
  /** Of the reranker that ordered the pool, where one did. */
  readonly scoring: RerankScoring | undefined;
  /** Analysed terms of the query. */
  readonly terms: readonly string[];
  readonly match: MatchContext;
  /** What the dense and the lexical lane found, best first. */
  readonly dense: readonly Hit[];
  readonly lexical: readonly Hit[];
  readonly read: ReadCandidates;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Refined {
  readonly candidates: readonly Candidate[];
  readonly removed: readonly RemovedCandidate[];
}

/**
 * From an ordered pool to the list that is shown: near-duplicates, scores, threshold, recency, diversity, `topK`.
 * Steps that are off cost nothing, and of the pool only what is looked at is read.
 */
export async function refine(pool: readonly FoundCandidate[], input: RefineInput): Promise<Refined> {
  const {
    topK,
    nearDuplicateThreshold,
    collapse = 'none',
    recencyHalfLifeDays = 0,
    mmrLambda,
    minSimilarity,
  } = input.request;
  // Later steps that reorder need the whole pool; otherwise only what can be shown is looked at.
  const limit = recencyHalfLifeDays > 0 || isMmrOn(mmrLambda) ? pool.length : topK;
  const looked = Math.max(RIVALS, limit + SPARE);
  const rivals = [...(await input.read(pool.slice(0, looked))), ...pool.slice(looked)];
  const distinct = await firstDistinct(pool, {
    limit: Math.max(POOLED, limit),
    threshold: nearDuplicateThreshold,
    mode: collapse,
    read: input.read,
  });
  const matched = scoreMatches(calibrated(distinct.kept, rivals, input), {
    context: input.match,
    scoring: input.scoring,
  }).slice(0, limit);
  // The threshold is of how well a passage matches: what alone answers stays, however old it is.
  const { kept, removed } = applyThreshold(matched, minSimilarity);
  const scored = aged(kept, {
    halfLifeDays: recencyHalfLifeDays,
    now: input.now,
  });
  const { before, after } = cutWhereScoresFall(scored, input.request.scoreFall);
  const candidates = isMmrOn(mmrLambda)
    ? withMoves(maximalMarginalRelevance(before, { lambda: mmrLambda, limit: topK }))
    : before.slice(0, topK);
  return { candidates, removed: [...distinct.removed, ...removed, ...after] };
}

/** Marks what variety gave another place than the score would. */
function withMoves(candidates: readonly Candidate[]): Candidate[] {
  const byScore = candidates.toSorted((a, b) => b.score - a.score);
  return candidates.map((candidate, i) =>
    candidate.score === byScore[i]?.score ? candidate : { ...candidate, isMoved: true },
  );
}

/** Candidates whose documents are looked at, however few are shown: what is said of one must not depend on how many are asked for. */
const RIVALS = 12;

interface DistinctOptions {
  readonly limit: number;
  readonly threshold: number | undefined;
  readonly mode: CollapseMode;
  readonly read: ReadCandidates;
}

/** Candidates read beyond `limit` at first, so that a duplicate or two do not cost a second reading. */
const SPARE = 4;
/** Candidates among which other passages of a document are counted, however few results are asked for. */
const COUNTED = 100;

/**
 * The first `limit` candidates that still exist, stand for no document that a better one stands for and, with a threshold, are no
 * near-duplicates of a better one.
 */
async function firstDistinct(
  pool: readonly FoundCandidate[],
  { limit, threshold, mode, read }: DistinctOptions,
): Promise<{ kept: readonly Candidate[]; removed: readonly RemovedCandidate[] }> {
  for (let size = threshold === undefined ? limit : limit + SPARE; ; size *= 2) {
    const whole = await read(pool.slice(0, size));
    const counted = whole.some(({ chunk }) => isCollapsible(chunk, mode)) ? COUNTED : 0;
    const single = collapse(counted > size ? await read(pool.slice(0, counted)) : whole, mode);
    const distinctOf = (candidates: readonly Candidate[]): DistinctCandidates =>
      threshold === undefined
        ? { kept: candidates.slice(0, limit), removed: [], areCopied: false }
        : removeNearDuplicates(candidates, { threshold, limit });
    const first = distinctOf(single.kept);
    const isCounted = !first.areCopied || Math.max(counted, size) >= COUNTED || size >= pool.length;
    const distinct = isCounted ? first : distinctOf(collapse(await read(pool.slice(0, COUNTED)), mode).kept);
    if (distinct.kept.length >= limit || size >= pool.length)
      return { kept: distinct.kept, removed: [...single.removed, ...distinct.removed] };
  }
}

export const isMmrOn = (lambda: number | undefined): lambda is number => lambda !== undefined && lambda < 1;

function calibrated(
  candidates: readonly Candidate[],
  pool: readonly FoundCandidate[],
  { modelKey, scoring, terms, dense, lexical }: RefineInput,
): Candidate[] {
  const calibration = calibrationFor(modelKey, evidenceOf(dense, lexical));
  const context = featureContextOf(pool, { terms, lowestCosine: dense.at(-1)?.score ?? 0 });
  return calibrate(candidates, { calibration, context, scoring });
}

function evidenceOf(dense: readonly Hit[], lexical: readonly Hit[]): Evidence {
  if (dense.length === 0) return 'lexical';
  return lexical.length === 0 ? 'dense' : 'hybrid';
}

function aged(
  candidates: readonly Candidate[],
  { halfLifeDays, now }: { readonly halfLifeDays: number; readonly now: number },
): readonly Candidate[] {
  if (halfLifeDays === 0) return candidates;
  const aged = applyRecency(candidates, { halfLifeDays, now });
  // Of equal scores the order stands.
  return pooledInOrder(aged.sort((a, b) => b.identifierHits - a.identifierHits || b.score - a.score));
}

/** Keeps candidates whose score is at least `minSimilarity`, in their order. */
export function applyThreshold(
  candidates: readonly Candidate[],
  minSimilarity: number,
): { kept: Candidate[]; removed: RemovedCandidate[] } {
  const kept = candidates.filter((candidate) => candidate.score >= minSimilarity);
  const removed = candidates
    .filter((candidate) => candidate.score < minSimilarity)
    .map(
      ({ chunk, score }): RemovedCandidate => ({
        id: chunk.id,
        step: 'threshold',
        detail: `score ${score.toFixed(3)}`,
        score,
      }),
    );
  return { kept, removed };
}

/**
 * Adaptive top-k: ends a list where probabilities fall below a share of the best one. What is
 * left out is that many times less likely an answer than the first; the first itself always stays.
 */
export function cutWhereScoresFall(
  candidates: readonly Candidate[],
  share = 0,
): { readonly before: readonly Candidate[]; readonly after: readonly RemovedCandidate[] } {
  const best = candidates[0]?.probability ?? 0;
  const isKept = ({ probability = 0 }: Candidate): boolean => probability >= share * best;
  return {
    before: candidates.filter(isKept),
    after: candidates
      .filter((candidate) => !isKept(candidate))
      .map(({ chunk, score, probability = 0 }) => ({
        id: chunk.id,
        step: 'score-fall',
        detail: `probability ${probability.toFixed(3)}, less than ${share} of the best, ${best.toFixed(3)}`,
        score,
      })),
  };
}

interface MmrOptions {
  /** 1: relevance alone; towards 0: novelty alone. */
  readonly lambda: number;
  /** How many to select. */
  readonly limit: number;
}

/**
 * Selects candidates one by one: each time the one with the largest lambda * score - (1 - lambda) * (cosine to the nearest
 * selected one), ties by the given order. (Carbonell and Goldstein, SIGIR 1998.) Exact identifier hits keep their place
 * before all others. A candidate without a vector is like no other.
 */
export function maximalMarginalRelevance(
  candidates: readonly Candidate[],
  { lambda, limit }: MmrOptions,
): Candidate[] {
  const selected: Candidate[] = [];
  const left = [...candidates];
  const nearest = new Float64Array(left.length);
  while (selected.length < limit && left.length > 0) {
    const position = bestPosition(left, nearest, lambda);
    const [best] = left.splice(position, 1);
    if (best === undefined) break;
    nearest.copyWithin(position, position + 1);
    selected.push(best);
    left.forEach((candidate, i) => {
      nearest[i] = Math.max(nearest[i] ?? 0, cosine(candidate, best));
    });
  }
  return selected;
}

function bestPosition(left: readonly Candidate[], nearest: Float64Array, lambda: number): number {
  let best = 0;
  let bestValue = Number.NEGATIVE_INFINITY;
  let bestHits = 0;
  left.forEach(({ score, identifierHits }, i) => {
    const value = lambda * score - (1 - lambda) * (nearest[i] ?? 0);
    if (identifierHits < bestHits || (identifierHits === bestHits && value <= bestValue)) return;
    best = i;
    bestValue = value;
    bestHits = identifierHits;
  });
  return best;
}

/** Vectors have unit length, so the dot product is the cosine. */
function cosine({ chunk: { vector: a } }: Candidate, { chunk: { vector: b } }: Candidate): number {
  return a === undefined || b === undefined ? 0 : dotProduct(a, b);
}

/** Largest share of a score that age can take away: recency reorders what is relevant, it does not replace relevance. */
const RECENCY_SHARE = 0.5;

const MILLISECONDS_PER_DAY = 86_400_000;

interface RecencyOptions {
  /** Above 0. */
  readonly halfLifeDays: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Scores with the share that age takes away: score * (1 - RECENCY_SHARE * (1 - 2^(-age / halfLife))), by `updatedAt`, else
 * `createdAt`. A chunk without either counts as one half-life old, neither new nor outdated. The order is the caller's to
 * restore.
 */
export function applyRecency(candidates: readonly Candidate[], options: RecencyOptions): Candidate[] {
  return candidates.map((candidate) => {
    const decay = decayOf(candidate, options);
    return withContribution(candidate, 'recency', -candidate.score * RECENCY_SHARE * (1 - decay));
  });
}

function decayOf({ chunk }: Candidate, { halfLifeDays, now }: RecencyOptions): number {
  const time = timeOf(chunk.metadata.updatedAt) ?? timeOf(chunk.metadata.createdAt);
  if (time === undefined) return 0.5;
  // A date in the future is a clock's mistake, not a merit.
  const ageDays = Math.max(0, now - time) / MILLISECONDS_PER_DAY;
  return 2 ** (-ageDays / halfLifeDays);
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
