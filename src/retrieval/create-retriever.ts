import { DegradationLevel } from '../core/degradation.js';
import { throwIfAborted } from '../core/errors.js';
import type { Reranker } from '../reranking/reranker.js';
import type { StoreCapabilities, VectorCollection } from '../stores/vector-store.js';
import type { FoundCandidate } from './candidate.js';
import { fuseLanes } from './fuse-lanes.js';
import type { EmbedQuery } from './lanes/dense-lane.js';
import { type LaneOutcome, laneOff, runLane } from './lanes/lane.js';
import { type PreparedQuery, prepareQuery } from './prepared-query.js';
import { rankedCandidateOf } from './ranked-candidate.js';
import { chunkReader, type ReadChunks } from './read-chunks.js';
import { isMmrOn, refine } from './refine.js';
import { rerankCandidates } from './rerank.js';
import type {
  LaneReport,
  RetrievalRequest,
  RetrievalResult,
  RetrievalSettings,
  Retriever,
  StageTrace,
} from './retriever.js';
import { type LaneOutcomes, runLanes } from './run-lanes.js';
import { assertRequest } from './validate-request.js';

export interface RetrieverOptions {
  /** Already narrowed to the scope of the asker (`scopeCollection`). */
  readonly collection: VectorCollection;
  readonly capabilities: StoreCapabilities;
  readonly embedQuery: EmbedQuery;
  /** `ModelIdentity.model` of the embedder: decides default lane weights and calibration. */
  readonly modelKey: string;
  /** Opens the reranker on first use; absent where none is set up. A failure leaves the order as it is. */
  readonly loadReranker?: () => Promise<Reranker>;
  readonly settings: RetrievalSettings;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Told what each step left, for explanations of a miss. */
  readonly onStage?: StageTrace;
}

/** A retriever over one scoped collection: lanes, fusion, reranking, near-duplicates, calibration, recency, threshold, MMR. */
export function createRetriever(options: RetrieverOptions): Retriever {
  return { retrieve: (request) => retrieveSettled(options, request) };
}

/** Searches of a collection that changes between finding and reading, at most. */
const MAX_ATTEMPTS = 3;

/** A search in the moment in which all that it found is replaced would come back empty: it is made again. */
async function retrieveSettled(
  options: RetrieverOptions,
  request: RetrievalRequest,
): Promise<RetrievalResult> {
  for (let attempt = 1; ; attempt++) {
    let isOutdated = false;
    const result = await retrieve(options, request, () => {
      isOutdated = true;
    });
    if (!isOutdated || attempt === MAX_ATTEMPTS) return result;
  }
}

async function retrieve(
  options: RetrieverOptions,
  request: RetrievalRequest,
  onLost: () => void,
): Promise<RetrievalResult> {
  const start = performance.now();
  throwIfAborted(request.signal);
  assertRequest(request, options.capabilities);
  const query = prepareQuery(request.text);
  const outcomes = await searchLanes(options, request, query);
  const fused = fuseLanes(outcomes, { ...options.settings.fusion, modelKey: options.modelKey });
  const read = chunkReader(options.collection, {
    includeVectors: isMmrOn(request.mmrLambda),
    signal: request.signal,
    onLost,
  });
  const { candidates: reranked, outcome: rerank } = await rerankStep(options, {
    request,
    query,
    fused,
    read,
  });
  await traceStages(options.onStage, { outcomes, fused, reranked, read });
  const refined = await refine(reranked, {
    request,
    modelKey: options.modelKey,
    terms: query.lexical.terms,
    dense: outcomes.dense.hits,
    lexical: outcomes.lexical.hits,
    read,
    now: (options.now ?? Date.now)(),
  });
  const reports = [outcomes.dense, outcomes.lexical, outcomes.identifier, rerank].map(({ report }) => report);
  return {
    candidates: refined.candidates.map(rankedCandidateOf),
    lanes: reports,
    degradationLevel: degradationOf(reports, isRerankWanted(options, request)),
    notices: [...query.notices, ...reports.flatMap(laneNotice), ...refined.notices],
    removed: refined.removed,
    tookMs: performance.now() - start,
  };
}

interface TracedLists {
  readonly outcomes: LaneOutcomes;
  readonly fused: readonly FoundCandidate[];
  readonly reranked: readonly FoundCandidate[];
  readonly read: ReadChunks;
}

async function traceStages(
  onStage: StageTrace | undefined,
  { outcomes, fused, reranked, read }: TracedLists,
): Promise<void> {
  if (onStage === undefined) return;
  for (const lane of ['dense', 'lexical', 'identifier'] as const)
    onStage(lane, await read(outcomes[lane].hits));
  onStage('fusion', await read(fused));
  onStage('rerank', await read(reranked));
}

function searchLanes(
  { collection, capabilities, embedQuery, settings }: RetrieverOptions,
  { mode, filter, topK, mmrLambda, signal }: RetrievalRequest,
  query: PreparedQuery,
): Promise<LaneOutcomes> {
  const limit = Math.min(Math.max(settings.candidatesPerLane, topK), capabilities.maxTopK);
  const includeVectors = isMmrOn(mmrLambda);
  return runLanes({
    collection,
    capabilities,
    embedQuery,
    query,
    mode,
    filter,
    limit,
    includeVectors,
    signal,
  });
}

interface RerankInput {
  readonly request: RetrievalRequest;
  readonly query: PreparedQuery;
  readonly fused: readonly FoundCandidate[];
  readonly read: ReadChunks;
}

async function rerankStep(
  options: RetrieverOptions,
  { request: { rerank, signal }, query, fused, read }: RerankInput,
): Promise<{ candidates: readonly FoundCandidate[]; outcome: LaneOutcome }> {
  const { loadReranker, settings } = options;
  const off = (reason: string) => ({ candidates: fused, outcome: laneOff('rerank', reason) });
  if (!(rerank ?? settings.rerank.enabled)) return off('Reranking is not asked for.');
  if (loadReranker === undefined) return off('No reranker is set up.');
  if (fused.length === 0) return off('There is nothing to rerank.');
  let candidates = fused;
  const { maxCandidates, deadlineMs } = settings.rerank;
  const run = async () => {
    let notice: string | undefined;
    candidates = await rerankCandidates(fused, {
      load: loadReranker,
      query: query.text,
      read,
      maxCandidates,
      deadlineMs,
      signal,
      onNotice: (text) => {
        notice = text;
      },
    });
    const reranked = candidates.filter(({ rerankScore }) => rerankScore !== undefined);
    const hits = reranked.map(({ chunk, score }) => ({ chunk, score }));
    return { hits, ...(notice === undefined ? {} : { reason: notice }) };
  };
  const outcome = await runLane('rerank', run, signal);
  return { candidates, outcome };
}

const isRerankWanted = ({ settings }: RetrieverOptions, { rerank }: RetrievalRequest): boolean =>
  rerank ?? settings.rerank.enabled;

/** The seed has no level for a lost lexical lane; an answer without it counts as one without reranking. */
function degradationOf(reports: readonly LaneReport[], isRerankWanted: boolean): DegradationLevel {
  const statusOf = (lane: LaneReport['lane']) => reports.find((report) => report.lane === lane)?.status;
  if (statusOf('dense') === 'failed') return DegradationLevel.KEYWORD_ONLY;
  const isRerankMissing = isRerankWanted && statusOf('rerank') !== 'ran';
  const hasFailed = reports.some((report) => report.status === 'failed');
  return isRerankMissing || hasFailed ? DegradationLevel.NO_RERANKING : DegradationLevel.FULL_RAG;
}

function laneNotice({ lane, status, reason }: LaneReport): string[] {
  if (status === 'failed') return [`The ${lane} lane failed and the others answered: ${reason ?? ''}`];
  return lane === 'rerank' && status === 'ran' && reason !== undefined ? [reason] : [];
}
