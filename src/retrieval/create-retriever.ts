import { profileOf, type WordRarity } from '../core/analysis/query-profile.js';
import { type FoundSynonym, synonymsIn } from '../core/analysis/synonyms.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import { runtime } from '../core/runtime.js';
import { traced } from '../core/telemetry.js';
import type { StoreCapabilities } from '../stores/vector-store.js';
import { type FoundCandidate, type Hit, rankedCandidateOf } from './candidate.js';
import { type FusionLane, fusedPartOf, fuseLanes, laneWeightsOf } from './fusion/fuse.js';
import { graphStep, orderByGraph } from './graph/graph-step.js';
import { joinIdentifierHits } from './lanes/identifier-lane.js';
import type { LaneInput } from './lanes/lane.js';
import type { MatchContext } from './match/match-features.js';
import { operatorsInTime, READ } from './operators-step.js';
import { type PreparedQuery, prepareQuery, processQuery } from './prepared-query.js';
import { chunkReader, PassagesByWords, type ReadCandidates, type ReadChunks } from './read-chunks.js';
import { isMmrOn, refine } from './refining/refine.js';
import { rerankStep } from './rerank/rerank.js';
import type {
  LaneReport,
  QueryUnderstanding,
  RetrievalMode,
  RetrievalRequest,
  RetrievalResult,
  Retriever,
  StageTrace,
} from './retriever.js';
import type { RetrieverOptions } from './retriever-options.js';
import { type LaneOutcomes, runLanes } from './run-lanes.js';
import { leftUntil } from './time-left.js';
import type { ExpansionOutcome } from './understanding/expand-query.js';
import { expandQuery } from './understanding/expand-query.js';
import type { ProcessedQuery } from './understanding/query-expander.js';

/** A retriever over one scoped collection: lanes, fusion, reranking, near-duplicates, calibration, threshold, recency, MMR. */
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
  throwIfAborted(request.signal);
  assertRequest(request, options.capabilities);
  const { operators, processed, lane, synonyms } = await traced(
    'stage',
    { stage: 'understand' },
    async () => {
      const prepared = prepareQuery(request.text);
      const asked = laneInputOf(options, request, prepared);
      const operators = await operatorsInTime(asked, {
        maxTopK: options.capabilities.maxTopK,
        deadlineMs: Math.min(options.settings.laneDeadlineMs, leftUntil(request.until)),
      });
      const synonyms = synonymsIn(prepared.text, options.synonyms ?? []);
      const query = withSynonyms(operators.query, synonyms);
      return { operators, processed: processQuery(prepared), lane: { ...asked, query }, synonyms };
    },
  );
  const { query } = lane;
  const { capabilities, embedQuery, reads = () => true, settings } = options;
  const isRead = reads(query.text);
  const deadlineMs = Math.min(settings.laneDeadlineMs, leftUntil(request.until));
  const own = await runLanes({
    ...lane,
    capabilities,
    embedQuery,
    isRead,
    mode: request.mode,
    deadlineMs,
  });
  const outcomes = {
    ...own,
    identifierHits: joinIdentifierHits(own.identifierHits, operators.holders),
  };
  const { fuse, found, expansion, understanding } = await fuseAndExpand(options, {
    query: processed,
    outcomes,
    lane,
    mode: isRead ? request.mode : 'lexical',
    isPartlyUnread: isRead && !query.lexical.terms.every(reads),
  });
  const newReader = (): ReadChunks =>
    chunkReader(options.collection, {
      includeVectors: isMmrOn(request.mmrLambda),
      deadlineMs,
      signal: request.signal,
      onLost,
    });
  const read = newReader();
  const byWords = new PassagesByWords(reads);
  const readCandidates: ReadCandidates = async (found) => operators.take(byWords.take(await read(found)));
  const graph = await graphStep(options, { request, lane, found, read, readApart: newReader() });
  const fused = graph.lanes.length === 0 ? found : await fuse([...expansion.lanes, ...graph.lanes]);
  const {
    candidates,
    outcome: rerank,
    scoring,
    notices: rerankNotices,
  } = await rerankStep(options, {
    request,
    query,
    fused,
    read: readCandidates,
    fusedScores: graph.lanes.length === 0 ? undefined : fusedScoresOf(found),
  });
  const reranked = await orderByGraph(candidates, { connectionOf: graph.connectionOf, read });
  await traceStages(options.onStage, { outcomes, fused, reranked, read });
  const refined = await traced('stage', { stage: 'refine' }, async () =>
    refine(reranked, {
      request,
      modelKey: options.modelKey,
      scoring,
      terms: query.lexical.terms,
      match: await matchContextOf(options, { query, outcomes, synonyms }),
      dense: outcomes.dense.hits,
      lexical: outcomes.lexical.hits,
      read: readCandidates,
      now: (options.now ?? runtime().now)(),
    }),
  );
  options.onStage?.('refine', refined.candidates);
  const reports = [
    ...weighedReports(outcomes, options),
    outcomes.identifier.report,
    expansion.outcome.report,
    ...graph.reports,
    rerank.report,
  ];
  // A search may leave out all that it found.
  const canRerank =
    rerank.report.status === 'empty' ? (await readCandidates(fused)).length > 0 : fused.length > 0;
  return {
    candidates: refined.candidates.map((candidate) =>
      rankedCandidateOf(candidate, graph.paths.get(candidate.chunk.documentId)),
    ),
    understanding: {
      ...understanding,
      expansions: [
        ...synonyms.map(({ text, rule }) => ({
          kind: 'synonyms' as const,
          text,
          reason: `A rule of rag.retrieval.synonyms: ${rule}.`,
        })),
        ...understanding.expansions,
      ],
    },
    lanes: reports,
    degradationLevel: degradationOf(reports, isRerankWanted(options, request) && canRerank),
    notices: [
      ...query.notices,
      ...operators.notices(),
      ...(isRead || request.mode === 'lexical' ? [] : [QUERY_UNREAD]),
      ...byWords.notices([...fused.slice(0, request.topK), ...refined.candidates]),
      ...reports.flatMap(laneNotice),
      ...rerankNotices,
      ...expansion.notices,
      ...graph.notices,
    ],
    removed: [...operators.removed(), ...refined.removed],
  };
}

/** What a synonym counts beside the word that was asked for, shared by its words. */
const SYNONYM_WEIGHT = 0.8;

/** The query with synonyms among the words that the lexical lane looks for, and behind the text for rerankers. */
function withSynonyms(query: PreparedQuery, synonyms: readonly FoundSynonym[]): PreparedQuery {
  if (synonyms.length === 0) return query;
  const weights = new Map(query.lexical.terms.map((term, at) => [term, query.lexical.counts[at] ?? 1]));
  for (const { terms } of synonyms)
    for (const term of terms)
      if (!weights.has(term)) weights.set(term, SYNONYM_WEIGHT / Math.sqrt(terms.length));
  const lexical = { ...query.lexical, terms: [...weights.keys()], counts: [...weights.values()] };
  return { ...query, lexical, withSynonyms: [query.text, ...synonyms.map(({ text }) => text)].join(' ') };
}

const fusedScoresOf = (found: readonly FoundCandidate[]): ReadonlyMap<string, number> =>
  new Map(found.map(({ chunk, contributions }) => [chunk.id, fusedPartOf(contributions)]));

const QUERY_UNREAD: Notice = {
  kind: 'script-unread',
  text: 'The embedding model does not read the script of this query, so it was searched for by its words alone: ask in the language of the documents, or use a model that reads both (docs/better-model.md).',
};

/** The background that a cosine is read against is that of so distant a neighbour. */
const BACKGROUND_RANK = 100;
/** Fewer passages than this may all be near, so that the last one says nothing. */
const FEW = 10;
/** That of the built-in model in a large collection: a small one has no neighbour that is so distant. */
const USUAL_BACKGROUND = 0.15;

async function matchContextOf(
  { loadRarity = async () => ALIKE }: RetrieverOptions,
  {
    query,
    outcomes,
    synonyms,
  }: {
    readonly query: PreparedQuery;
    readonly outcomes: LaneOutcomes;
    readonly synonyms: readonly FoundSynonym[];
  },
): Promise<MatchContext> {
  const rarity = await loadRarity();
  return {
    query: profileOf(query.text, rarity),
    inOtherWords: synonyms.map((synonym) => profileOf(synonym.query, rarity)),
    background: backgroundOf(outcomes.dense.hits),
  };
}

function backgroundOf(nearest: readonly Hit[]): number | undefined {
  const last = nearest[BACKGROUND_RANK - 1] ?? nearest.at(-1);
  if (last === undefined || nearest.length >= BACKGROUND_RANK) return last?.score;
  return nearest.length < FEW ? USUAL_BACKGROUND : Math.max(last.score, USUAL_BACKGROUND);
}

const ALIKE: WordRarity = () => 1;

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

function laneInputOf(
  { collection, capabilities, settings }: RetrieverOptions,
  { filter, topK, mmrLambda, candidatesPerLane = settings.candidatesPerLane, signal }: RetrievalRequest,
  query: PreparedQuery,
): LaneInput {
  // Some of them are left out for what they hold.
  const least = query.operators === undefined ? topK : Math.max(topK, READ);
  const limit = Math.min(Math.max(candidatesPerLane, least), capabilities.maxTopK);
  return { collection, query, filter, limit, includeVectors: isMmrOn(mmrLambda), signal };
}

interface FoundByLanes {
  readonly query: ProcessedQuery;
  readonly outcomes: LaneOutcomes;
  readonly lane: LaneInput;
  readonly mode: RetrievalMode;
  readonly isPartlyUnread: boolean;
}

interface FusedAndExpanded {
  /** Fuses the lanes once more, with others. */
  readonly fuse: (others: readonly FusionLane[]) => Promise<readonly FoundCandidate[]>;
  readonly found: readonly FoundCandidate[];
  readonly expansion: ExpansionOutcome;
  readonly understanding: QueryUnderstanding;
}

/** Fusion of the lanes, and a second one with what expansions of the query found, where there are any. */
async function fuseAndExpand(
  options: RetrieverOptions,
  { query, outcomes, lane, mode, isPartlyUnread }: FoundByLanes,
): Promise<FusedAndExpanded> {
  const settings = { ...options.settings.fusion, modelKey: options.modelKey, isPartlyUnread };
  const fuse = (expansions: readonly FusionLane[]) =>
    traced('stage', { stage: 'fuse' }, () => fuseLanes(outcomes, { ...settings, expansions }));
  const fused = await fuse([]);
  const expansion = await expandQuery(options, { query, fused, lane, mode });
  return {
    fuse,
    found: expansion.lanes.length === 0 ? fused : await fuse(expansion.lanes),
    expansion,
    understanding: {
      intent: query.intent,
      keywords: query.keywords,
      expansions: expansion.expansions.map(({ kind, text, reason }) => ({ kind, text, reason })),
    },
  };
}

/** The reports of the lanes that are fused, with their weights where there was something to weigh. */
function weighedReports(
  outcomes: LaneOutcomes,
  { settings, modelKey }: RetrieverOptions,
): readonly LaneReport[] {
  const { dense, lexical } = outcomes;
  if (dense.hits.length === 0 || lexical.hits.length === 0) return [dense.report, lexical.report];
  const weights = laneWeightsOf(outcomes, { ...settings.fusion, modelKey });
  return [
    { ...dense.report, weight: weights.dense },
    { ...lexical.report, weight: weights.lexical },
  ];
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

const laneNotice = ({ lane, status, reason }: LaneReport): Notice[] =>
  status === 'failed'
    ? [{ kind: 'search-degraded', text: `The ${lane} lane failed and the others answered: ${reason ?? ''}` }]
    : [];

/** Throws `QUERY_INVALID` for a number outside its range, naming it. */
function assertRequest(request: RetrievalRequest, { maxTopK }: StoreCapabilities): void {
  const { topK, minSimilarity, mmrLambda, nearDuplicateThreshold, recencyHalfLifeDays, scoreFall } = request;
  if (!Number.isInteger(topK) || topK < 1 || topK > maxTopK)
    throw invalid(`topK must be an integer from 1 to ${maxTopK}, not ${topK}.`);
  if (!(minSimilarity >= 0 && minSimilarity <= 1))
    throw invalid(`minSimilarity must lie in [0, 1], not ${minSimilarity}.`);
  if (scoreFall !== undefined && !(scoreFall >= 0 && scoreFall < 1))
    throw invalid(`scoreFall must lie in [0, 1), not ${scoreFall}.`);
  assertShare('mmrLambda', mmrLambda);
  assertShare('nearDuplicateThreshold', nearDuplicateThreshold);
  if (recencyHalfLifeDays !== undefined && !(recencyHalfLifeDays >= 0))
    throw invalid(`recencyHalfLifeDays must be 0 or more, not ${recencyHalfLifeDays}.`);
}

function assertShare(name: string, value: number | undefined): void {
  if (value !== undefined && !(value > 0 && value <= 1))
    throw invalid(`${name} must lie in (0, 1], not ${value}.`);
}

const invalid = (message: string): RAGError => new RAGError('QUERY_INVALID', message);
