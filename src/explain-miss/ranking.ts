import type { ScoredChunk, StoredChunk } from '../core/chunk.js';
import { eq } from '../core/filter.js';
import type { Scope } from '../core/scope.js';
import type { SearchQuery } from '../engine/engine.js';
import type { LaneReport, RemovedCandidate, TracedStage } from '../retrieval/retriever.js';
import { findPassages } from '../searching/find-passages.js';
import type { SearchResources } from '../searching/searched-index.js';
import { listAll } from '../stores/list-pages.js';

/** A search as it is asked: the query, who asks, and in which index. */
export interface AskedSearch {
  readonly query: SearchQuery;
  readonly scope: Scope;
  readonly resources: SearchResources;
}

/** Where the chunks of one document stand after each step of a search; ranks from 1, absent where there is none. */
export interface FollowedSearch {
  readonly lanes: readonly LaneReport[];
  readonly rankIn: (stage: TracedStage) => number | undefined;
  /** Length of a stage's list. */
  readonly lengthOf: (stage: TracedStage) => number;
  /** The document's place among the results. */
  readonly rank: number | undefined;
  /** Results that the search may show. */
  readonly shown: number;
  /** The document's chunks that a step took out. */
  readonly removed: readonly RemovedCandidate[];
  /** The document's chunk that stands first in the last list that holds any. */
  readonly furthest: StoredChunk | undefined;
}

const STAGES: readonly TracedStage[] = ['dense', 'lexical', 'identifier', 'fusion', 'rerank', 'refine'];

/** Runs the search and follows one document through it. */
export async function followSearch(
  { query, scope, resources }: AskedSearch,
  documentId: string,
): Promise<FollowedSearch> {
  const lists = new Map<TracedStage, readonly ScoredChunk[]>();
  const found = await findPassages(query, scope, {
    resources,
    onStage: (stage, list) => lists.set(stage, list),
  });
  const listOf = (stage: TracedStage) => lists.get(stage) ?? [];
  const own = (chunk: StoredChunk): boolean => chunk.documentId === documentId;
  const ownIds = new Set(
    STAGES.flatMap((stage) => listOf(stage).flatMap(({ chunk }) => (own(chunk) ? [chunk.id] : []))),
  );
  return {
    lanes: found.lanes,
    rankIn: (stage) => rankOf(listOf(stage), own),
    lengthOf: (stage) => listOf(stage).length,
    rank: rankOf(found.passages, own),
    shown: found.limit,
    removed: found.removed.filter(({ id }) => ownIds.has(id)),
    furthest: STAGES.toReversed()
      .map((stage) => listOf(stage).find(({ chunk }) => own(chunk))?.chunk)
      .find((chunk) => chunk !== undefined),
  };
}

function rankOf(
  list: readonly { readonly chunk: StoredChunk }[],
  isWanted: (chunk: StoredChunk) => boolean,
): number | undefined {
  const index = list.findIndex(({ chunk }) => isWanted(chunk));
  return index < 0 ? undefined : index + 1;
}

/** The chunks of a document in its order, whoever asks. */
export async function chunksOfDocument(
  resources: SearchResources,
  documentId: string,
): Promise<StoredChunk[]> {
  const { collection } = await resources.collection();
  const chunks = await listAll(collection, { filter: eq('$documentId', documentId) });
  const indexOf = ({ metadata: { chunkIndex } }: StoredChunk): number =>
    typeof chunkIndex === 'number' ? chunkIndex : 0;
  return chunks.sort((a, b) => indexOf(a) - indexOf(b));
}
