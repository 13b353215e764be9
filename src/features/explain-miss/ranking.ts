import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { FIRST_LINE, linesOf } from '../../core/chunk-metadata.js';
import type { LineRange } from '../../core/document.js';
import { eq } from '../../core/filter.js';
import type { Scope } from '../../core/scope.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { LaneReport, RemovedCandidate, TracedStage } from '../../retrieval/retriever.js';
import { findPassages } from '../../searching/find-passages.js';
import type { SearchResources } from '../../searching/searched-index.js';
import { listAll } from '../../stores/list-pages.js';

/** A search as it is asked: the query, who asks, and in which index. */
export interface AskedSearch {
  readonly query: SearchQuery;
  readonly scope: Scope;
  readonly resources: SearchResources;
}

/** What is followed: a document, or the passage of it that stands at these lines. */
export interface Wanted {
  readonly documentId: string;
  readonly lines?: LineRange | undefined;
}

/** Where the chunks of one document, or of one passage, stand after each step of a search; ranks from 1, absent where there is none. */
export interface FollowedSearch {
  readonly lanes: readonly LaneReport[];
  readonly rankIn: (stage: TracedStage) => number | undefined;
  /** Length of a stage's list. */
  readonly lengthOf: (stage: TracedStage) => number;
  /** Its place among the results. */
  readonly rank: number | undefined;
  /** Results that the search may show. */
  readonly shown: number;
  /** Its chunks that a step took out. */
  readonly removed: readonly RemovedCandidate[];
  /** Its chunk that stands first in the last list that holds any. */
  readonly furthest: StoredChunk | undefined;
}

const STAGES: readonly TracedStage[] = ['dense', 'lexical', 'identifier', 'fusion', 'rerank', 'refine'];

/** Runs the search and follows one document or passage through it. */
export async function followSearch(
  { query, scope, resources }: AskedSearch,
  wanted: Wanted,
): Promise<FollowedSearch> {
  const lists = new Map<TracedStage, readonly ScoredChunk[]>();
  const found = await findPassages(query, scope, {
    resources,
    onStage: (stage, list) => lists.set(stage, list),
  });
  const listOf = (stage: TracedStage) => lists.get(stage) ?? [];
  const own = (chunk: StoredChunk): boolean => isPartOf(wanted, chunk);
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

export function isPartOf({ documentId, lines }: Wanted, chunk: StoredChunk): boolean {
  if (chunk.documentId !== documentId) return false;
  const own = linesOf(chunk) ?? FIRST_LINE;
  return lines === undefined || (own.start <= lines.end && lines.start <= own.end);
}

function rankOf(
  list: readonly { readonly chunk: StoredChunk }[],
  isWanted: (chunk: StoredChunk) => boolean,
): number | undefined {
  const index = list.findIndex(({ chunk }) => isWanted(chunk));
  return index < 0 ? undefined : index + 1;
}

/** The chunks of a document in its order, whatever the scope. */
export async function chunksOfDocument(
  resources: SearchResources,
  documentId: string,
): Promise<StoredChunk[]> {
  const { collection } = await resources.stores.collection();
  const chunks = await listAll(collection, { filter: eq('$documentId', documentId) });
  const indexOf = ({ metadata: { chunkIndex } }: StoredChunk): number =>
    typeof chunkIndex === 'number' ? chunkIndex : 0;
  return chunks.sort((a, b) => indexOf(a) - indexOf(b));
}
