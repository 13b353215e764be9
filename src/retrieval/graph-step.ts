import { and, oneOf } from '../core/filter.js';
import type { Notice } from '../core/notice.js';
import type { RankedDocument } from '../graph/rank.js';
import type { GraphStep } from '../graph/walk.js';
import type { FoundCandidate, FoundChunk, Hit } from './candidate.js';
import type { FusionLane } from './fusion/lane-scores.js';
import { findByText } from './lanes/find-chunks.js';
import { type LaneInput, laneOff, runLane } from './lanes/lane.js';
import type { ReadChunks } from './read-chunks.js';
import type { LaneReport, RetrievalRequest } from './retriever.js';
import type { RetrieverOptions } from './retriever-options.js';

/** One step and this share were best on the projects and pages that settings are chosen on (`bench/quality/graph.ts`). */
const DEFAULT_HOPS = 1;
/** Documents of the first hits that a walk begins at: further ones are often wrong, and their neighbours with them. */
const BEGINNINGS = 10;
/** Fused candidates among which they are looked for. */
const LOOKED_AT = 40;
/** Documents that a walk adds, at most. */
const MOST_DOCUMENTS = 60;
/** Share of the graph in the fused score. */
const GRAPH_SHARE = 0.35;
/** Passages that are looked through for the best one of each document. */
const PASSAGES_EACH = 4;

export interface GraphStepInput {
  readonly request: RetrievalRequest;
  readonly lane: LaneInput;
  /** What the lanes found, fused. */
  readonly found: readonly FoundCandidate[];
  readonly read: ReadChunks;
}

export interface GraphStepResult {
  readonly lanes: readonly FusionLane[];
  readonly reports: readonly LaneReport[];
  /** By document id, for those that the graph led to. */
  readonly paths: ReadonlyMap<string, readonly GraphStep[]>;
  readonly notices: readonly Notice[];
}

const NOTHING: GraphStepResult = { lanes: [], reports: [], paths: new Map(), notices: [] };

/** In mode `graph`: the documents around the first hits as a lane of their own, each by its best passage. */
export async function graphStep(
  { walk }: Pick<RetrieverOptions, 'walk'>,
  input: GraphStepInput,
): Promise<GraphStepResult> {
  const { request, found, read } = input;
  if (request.mode !== 'graph') return NOTHING;
  if (walk === undefined)
    return { ...NOTHING, reports: [laneOff('graph', 'There is no graph of what is searched.').report] };
  const notices: Notice[] = [];
  const paths = new Map<string, readonly GraphStep[]>();
  const { report, hits } = await runLane(
    'graph',
    async () => {
      const beginnings = beginningsOf(await read(found.slice(0, LOOKED_AT)));
      if (beginnings.size === 0) return { hits: [], reason: 'Nothing was found to begin at.' };
      const { hops = DEFAULT_HOPS, signal } = request;
      const reached = await walk(beginnings, { hops, signal });
      notices.push(...reached.notices);
      const documents = reached.documents.filter(({ score }) => score > 0);
      if (documents.length === 0) return { hits: [], reason: 'Nothing is connected with what was found.' };
      for (const { documentId, path } of documents) if (path.length > 0) paths.set(documentId, path);
      return { hits: await bestPassages(documents.slice(0, MOST_DOCUMENTS), input) };
    },
    request.signal,
  );
  if (hits.length === 0) return { ...NOTHING, reports: [report], notices };
  return {
    lanes: [{ signal: 'graph', weight: GRAPH_SHARE, hits }],
    reports: [{ ...report, weight: GRAPH_SHARE }],
    paths,
    notices,
  };
}

/** The documents of the first hits, each with a weight that falls with its rank. */
function beginningsOf(hits: readonly { readonly chunk: { readonly documentId: string } }[]) {
  const documents = [...new Set(hits.map(({ chunk }) => chunk.documentId))].slice(0, BEGINNINGS);
  return new Map(documents.map((id, rank) => [id, 1 / (rank + 1)]));
}

/** The passage of each document that was found best; else the one that shares most words with the query, else any. */
async function bestPassages(
  documents: readonly RankedDocument[],
  { request, lane, found, read }: GraphStepInput,
): Promise<Hit[]> {
  const best = new Map<string, FoundChunk>();
  const take = (chunks: readonly { readonly id: string; readonly documentId: string }[]): void => {
    for (const { id, documentId } of chunks) if (!best.has(documentId)) best.set(documentId, { id });
  };
  take((await read(found)).map(({ chunk }) => chunk));
  const missing = (): string[] =>
    documents.flatMap(({ documentId }) => (best.has(documentId) ? [] : [documentId]));
  const within = () => and(oneOf('$documentId', missing()), request.filter);
  const { terms, counts } = lane.query.lexical;
  if (missing().length > 0 && terms.length > 0) {
    const topK = missing().length * PASSAGES_EACH;
    const hits = await findByText(lane, { terms, weights: counts, topK, filter: within() });
    take((await read(hits)).map(({ chunk }) => chunk));
  }
  if (missing().length > 0) {
    const { signal } = request;
    const limit = missing().length * PASSAGES_EACH;
    const { chunks } = await lane.collection.list({
      filter: within(),
      limit,
      ...(signal === undefined ? {} : { signal }),
    });
    take(chunks);
  }
  return documents.flatMap(({ documentId, score }) => {
    const chunk = best.get(documentId);
    return chunk === undefined ? [] : [{ chunk, score }];
  });
}
