import type { StoredChunk } from '../../core/chunk.js';
import { headingPathOf } from '../../core/chunk-metadata.js';
import { and, type Filter, oneOf } from '../../core/filter.js';
import { itemIdsOf } from '../../core/item-id.js';
import { logOddsOf, sigmoid } from '../../core/logistic.js';
import type { Notice } from '../../core/notice.js';
import type { GraphPassage } from '../../relations/graph/linked-from.js';
import { sectionOf } from '../../relations/graph/names.js';
import type { RankedDocument } from '../../relations/graph/rank.js';
import type { GraphStep } from '../../relations/graph/walk.js';
import {
  compareCandidates,
  type FoundCandidate,
  type FoundChunk,
  type Hit,
  withContribution,
} from '../candidate.js';
import type { FusionLane } from '../fusion/fuse.js';
import { findByText, type LaneInput, laneOff, runLane } from '../lanes/lane.js';
import type { ReadChunks } from '../read-chunks.js';
import { DEFAULT_HOPS, type LaneReport, type RetrievalRequest } from '../retriever.js';
import type { RetrieverOptions } from '../retriever-options.js';

/** All numbers here were chosen on half of the projects and pages of `bench/quality/graph.ts`, the others are reported. */
/** Documents of the first hits that a walk begins at: further ones are often wrong, and their neighbours with them. */
const BEGINNINGS = 10;
/** Fused candidates among which they are looked for. */
const LOOKED_AT = 40;
/** Documents that a walk looks at. */
const WALKED = 150;
/** Documents that a walk adds, at most: with 60 the handbook lost, nothing gained, and a passage of each is looked for. */
const MOST_DOCUMENTS = 20;
/** Share of the graph in the fused score. */
const GRAPH_SHARE = 0.35;
/** Log-odds of a document that the best passage links to, and to no other. */
const LINKED = 6;
/** Log-odds of a document in the folder of all that was found first. */
const SAME_FOLDER = 1;
/** Passages that are looked through for the best one of each document. */
const PASSAGES_EACH = 4;
/** Passages that are looked through for a section, for each document. */
const SECTION_PASSAGES = 20;

export interface GraphStepInput {
  readonly request: RetrievalRequest;
  readonly lane: LaneInput;
  /** What the lanes found, fused. */
  readonly found: readonly FoundCandidate[];
  readonly read: ReadChunks;
  /** Reads what is looked at once, without what was read before. */
  readonly readApart: ReadChunks;
}

export interface GraphStepResult {
  readonly lanes: readonly FusionLane[];
  readonly reports: readonly LaneReport[];
  /** By document id, for those that the graph led to. */
  readonly paths: ReadonlyMap<string, readonly GraphStep[]>;
  /** What links and its folder say for a passage beside its text, in log-odds; absent where the graph is not asked, or has no say in the order. */
  readonly connectionOf?: ConnectionOf;
  readonly notices: readonly Notice[];
}

type ConnectionOf = (chunk: StoredChunk) => number;

const NOTHING: GraphStepResult = { lanes: [], reports: [], paths: new Map(), notices: [] };

/**
 * In mode `graph`: the documents around the first hits as a lane of their own, each by its best passage; and what is known of a passage by
 * what the first ones link to and where they stand, for the order after reranking.
 */
export async function graphStep(
  { graph }: Pick<RetrieverOptions, 'graph'>,
  input: GraphStepInput,
): Promise<GraphStepResult> {
  const { request, found, read } = input;
  if (request.mode !== 'graph') return NOTHING;
  if (graph === undefined)
    return { ...NOTHING, reports: [laneOff('graph', 'There is no graph of what is searched.').report] };
  const hasSay = request.connectedFirst !== false;
  // All at once, for what is read later is read with what was read before.
  await read(found);
  const first = await read(found.slice(0, LOOKED_AT));
  const beginnings = beginningsOf(first);
  const notices: Notice[] = [];
  const paths = new Map<string, readonly GraphStep[]>();
  let linked: ReadonlyMap<string, number> = new Map();
  const { report, hits } = await runLane(
    'graph',
    async () => {
      if (beginnings.size === 0) return { hits: [], reason: 'Nothing was found to begin at.' };
      const { hops = DEFAULT_HOPS, signal } = request;
      const passages = hasSay ? passagesOf(first, beginnings) : [];
      const reached = await graph(signal).around(beginnings, { hops, maxDocuments: WALKED, passages });
      notices.push(...reached.notices);
      linked = reached.linked;
      const documents = reached.documents.filter(({ score }) => score > 0);
      if (documents.length === 0) return { hits: [], reason: 'Nothing is connected with what was found.' };
      for (const { documentId, path } of documents) if (path.length > 0) paths.set(documentId, path);
      return { hits: await bestPassages(documents.slice(0, MOST_DOCUMENTS), input) };
    },
    request.signal,
  );
  const inFolder = folderShares(firstChunks(first, beginnings));
  const connectionOf: ConnectionOf = (chunk) =>
    LINKED * (linked.get(chunk.documentId) ?? 0) + SAME_FOLDER * inFolder(chunk);
  const say = hasSay ? { connectionOf } : {};
  if (hits.length === 0) return { ...NOTHING, reports: [report], ...say, notices };
  return {
    lanes: [{ signal: 'graph', weight: GRAPH_SHARE, hits }],
    reports: [{ ...report, weight: GRAPH_SHARE }],
    paths,
    ...say,
    notices,
  };
}

type FirstHit = { readonly chunk: StoredChunk };

/** The documents of the first hits, each with a weight that falls with its rank. */
function beginningsOf(hits: readonly FirstHit[]): Map<string, number> {
  const documents = [...new Set(hits.map(({ chunk }) => chunk.documentId))].slice(0, BEGINNINGS);
  return new Map(documents.map((id, rank) => [id, 1 / (rank + 1)]));
}

/** Passages of the beginnings, with weights that fall with their rank. */
const passagesOf = (hits: readonly FirstHit[], beginnings: ReadonlyMap<string, number>): GraphPassage[] =>
  hits.flatMap(({ chunk: { documentId, source, metadata, content } }, rank) =>
    beginnings.has(documentId) && typeof metadata.source === 'string'
      ? [{ documentId, source, path: metadata.source, text: content, weight: 1 / (rank + 1) }]
      : [],
  );

/** Of each beginning its best chunk, with the weight of the beginning. */
function firstChunks(
  hits: readonly FirstHit[],
  beginnings: ReadonlyMap<string, number>,
): Map<StoredChunk, number> {
  const best = new Map(hits.toReversed().map(({ chunk }) => [chunk.documentId, chunk]));
  return new Map(
    [...beginnings].flatMap(([id, weight]) => {
      const chunk = best.get(id);
      return chunk === undefined ? [] : [[chunk, weight] as const];
    }),
  );
}

/**
 * The passage of each document: that of the section which a link leads to; else the one that was found best, else the one that shares most words
 * with the query, else any.
 */
async function bestPassages(
  documents: readonly RankedDocument[],
  { request, lane, found, read, readApart }: GraphStepInput,
): Promise<Hit[]> {
  const best = await linkedSections(documents, { request, lane });
  const take = (chunks: readonly { readonly id: string; readonly documentId: string }[]): void => {
    for (const { id, documentId } of chunks) if (!best.has(documentId)) best.set(documentId, { id });
  };
  take((await read(found)).map(({ chunk }) => chunk));
  const missing = (): string[] =>
    documents.flatMap(({ documentId }) => (best.has(documentId) ? [] : [documentId]));
  const { terms, counts } = lane.query.lexical;
  if (missing().length > 0 && terms.length > 0) {
    const topK = missing().length * PASSAGES_EACH;
    const hits = await findByText(lane, { terms, weights: counts, topK, filter: within(missing(), request) });
    // Only whose they are is asked: those that are taken are read with all others.
    take((await readApart(hits)).map(({ chunk }) => chunk));
  }
  if (missing().length > 0) take(await listWithin(missing(), PASSAGES_EACH, { request, lane }));
  return documents.flatMap(({ documentId, score }) => {
    const chunk = best.get(documentId);
    return chunk === undefined ? [] : [{ chunk, score }];
  });
}

const within = (documentIds: readonly string[], { filter }: RetrievalRequest): Filter =>
  and(oneOf('$documentId', documentIds), filter);

/** Chunks of documents, in the order of ids, so many for each of them on average. */
async function listWithin(
  documentIds: readonly string[],
  chunksEach: number,
  { request, lane }: Pick<GraphStepInput, 'request' | 'lane'>,
): Promise<readonly StoredChunk[]> {
  const { signal } = request;
  const { chunks } = await lane.collection.list({
    filter: within(documentIds, request),
    limit: documentIds.length * chunksEach,
    ...(signal === undefined ? {} : { signal }),
  });
  return chunks;
}

/** Of documents that a link leads to a section of, the first passage of that section. */
async function linkedSections(
  documents: readonly RankedDocument[],
  { request, lane }: Pick<GraphStepInput, 'request' | 'lane'>,
): Promise<Map<string, FoundChunk>> {
  const sections = new Map(
    documents.flatMap(({ documentId, path }) => {
      const section = path.at(-1)?.section;
      return section === undefined ? [] : [[documentId, section] as const];
    }),
  );
  if (sections.size === 0) return new Map();
  const chunks = await listWithin([...sections.keys()], SECTION_PASSAGES, { request, lane });
  const inSection = chunks
    .filter((chunk) =>
      headingPathOf(chunk).some((heading) => sectionOf(heading) === sections.get(chunk.documentId)),
    )
    .sort((a, b) => placeOf(a) - placeOf(b));
  return new Map(inSection.toReversed().map(({ id, documentId }) => [documentId, { id }]));
}

const placeOf = ({ metadata: { chunkIndex } }: StoredChunk): number =>
  typeof chunkIndex === 'number' ? chunkIndex : 0;

/** Log-odds for an item that is behind the newest by a factor of e less: items refer to what is new, much more than to what is old. */
const NEWER = 0.5;

/**
 * What a reranker ordered by text alone, ordered by text and connections: their log-odds are added. What was not reranked stays where it is, for
 * there the graph's lane has its share in the order.
 */
export async function orderByGraph(
  candidates: readonly FoundCandidate[],
  { connectionOf, read }: { readonly connectionOf: ConnectionOf | undefined; readonly read: ReadChunks },
): Promise<readonly FoundCandidate[]> {
  if (connectionOf === undefined) return candidates;
  const isReranked = ({ rerankScore }: FoundCandidate): boolean => rerankScore !== undefined;
  const reranked = await read(candidates.filter(isReranked));
  const newness = newnessAmong(reranked.map(({ chunk }) => chunk));
  const connected = reranked.map((candidate): FoundCandidate => {
    const connection = connectionOf(candidate.chunk) + NEWER * newness(candidate.chunk);
    if (connection === 0) return candidate;
    const order = candidate.score - candidate.identifierHits;
    const score = sigmoid(logOddsOf(order) + connection);
    return { ...withContribution(candidate, 'graph', score - order), isConnected: connection > 0 };
  });
  return [...connected.sort(compareCandidates), ...candidates.filter((candidate) => !isReranked(candidate))];
}

type WithPlace = Pick<StoredChunk, 'documentId' | 'source' | 'metadata'>;

/** How much of the weight of some documents stands in the folder of another one, in [0, 1]; the document itself is none of them. */
function folderShares(others: ReadonlyMap<WithPlace, number>): (document: WithPlace) => number {
  const total = [...others.values()].reduce((sum, weight) => sum + weight, 0);
  return (document) => {
    const folder = folderOf(document);
    if (folder === undefined) return 0;
    return [...others].reduce(
      (sum, [other, weight]) =>
        other.documentId !== document.documentId && folderOf(other) === folder ? sum + weight / total : sum,
      0,
    );
  };
}

/** Of a file; the root of a source says nothing, and the path of an item of a tracker is its name. */
function folderOf({ source, metadata }: WithPlace): string | undefined {
  const path = typeof metadata.source === 'string' ? metadata.source : '';
  const end = path.lastIndexOf('/');
  return end <= 0 || itemIdsOf(metadata).length > 0 ? undefined : `${source}\n${path.slice(0, end)}`;
}

/**
 * How new items are among those that were found, by their numbers: the logarithm of how far behind the newest of its tracker an item is, turned
 * round, and 0 on average. An item that has no number has 0.
 */
function newnessAmong(found: readonly WithPlace[]): (document: WithPlace) => number {
  const newest = new Map<string, number>();
  for (const item of found.flatMap(numberOf))
    newest.set(item.tracker, Math.max(newest.get(item.tracker) ?? 0, item.number));
  const behind = ({ tracker, number }: ItemNumber): number =>
    Math.log1p(Math.max(0, (newest.get(tracker) ?? number) - number));
  const distances = found.flatMap(numberOf).map(behind);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / Math.max(1, distances.length);
  return (document) => numberOf(document).reduce((_, item) => mean - behind(item), 0);
}

interface ItemNumber {
  readonly tracker: string;
  readonly number: number;
}

/** One, or none. */
function numberOf({ source, metadata }: WithPlace): ItemNumber[] {
  const [id = ''] = itemIdsOf(metadata);
  const [, tracker, number] = /^(.{0,40}?)(\d{1,9})$/.exec(id) ?? [];
  return tracker === undefined || number === undefined
    ? []
    : [{ tracker: `${source}\n${tracker}`, number: Number(number) }];
}
