import type { StoredChunk } from '../core/chunk.js';
import { FIRST_LINE, headingPathOf, linesOf } from '../core/chunk-metadata.js';
import { matchBandOf } from '../core/match-band.js';
import { toldNotices } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { originsOf } from '../indexing/document-paths.js';
import type { ScoreExplanation, SearchQuery, SearchResponse, SearchResult } from '../operations/engine.js';
import { toldDegradation } from '../platform/degradation/degradation-report.js';
import type { CandidateExplanation, RankedCandidate } from '../retrieval/retriever.js';
import { findPassages, findWhole } from './find-passages.js';
import type { SearchResources } from './searched-index.js';

/** Question to ranked passages, as a response. */
export async function runSearch(
  query: SearchQuery,
  scope: Scope,
  resources: SearchResources,
  find = findPassages,
): Promise<SearchResponse> {
  const found = await find(query, scope, { resources });
  const originOf = originsOf(resources.config);
  const named =
    query.options?.explainScore === true ? await namesOnPaths(found.passages, resources) : new Map();
  const toResult = (candidate: RankedCandidate): SearchResult => ({
    ...toSearchResult(candidate, named, query.options),
    origin: originOf(candidate.chunk.source, textOf(candidate.chunk.metadata.source)),
  });
  return {
    query: query.text,
    ...withoutUndefined({ correction: found.correction, semanticCache: found.semanticCache }),
    results: found.passages.map(toResult),
    ...withoutUndefined({ understanding: found.understanding, plan: found.plan }),
    lanes: found.lanes,
    ...toldDegradation(found),
    ...toldNotices(found.notices),
    stages: found.stages,
    tookMs: found.tookMs,
  };
}

/** The same, once the reranker has looked at all candidates. */
export const runWholeSearch = (
  query: SearchQuery,
  scope: Scope,
  resources: SearchResources,
): Promise<SearchResponse> => runSearch(query, scope, resources, findWhole);

const DATES = ['createdAt', 'updatedAt'] as const;

/** What documents on the ways of the graph are called, by id. The asker may read all of them. */
async function namesOnPaths(
  passages: readonly RankedCandidate[],
  resources: SearchResources,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(
    passages.flatMap(({ explanation: { path = [] } }) => path.flatMap(({ from, to }) => [from, to])),
  );
  if (ids.size === 0) return new Map();
  const live = await resources.ledger.live();
  if (live === undefined) return new Map();
  const documents = await Promise.all([...ids].map((id) => live.reader.document(id)));
  return new Map(
    documents.flatMap((document) =>
      document === undefined ? [] : [[document.documentId, document.externalId] as const],
    ),
  );
}

function explained(
  { path, ...explanation }: CandidateExplanation,
  named: ReadonlyMap<string, string>,
): ScoreExplanation {
  if (path === undefined) return explanation;
  const nameOf = (id: string): string => named.get(id) ?? id;
  return {
    ...explanation,
    path: path.map((step) => ({ ...step, fromName: nameOf(step.from), toName: nameOf(step.to) })),
  };
}

function toSearchResult(
  { chunk, score, probability, movedBy, explanation, more }: RankedCandidate,
  named: ReadonlyMap<string, string>,
  { includeMetadata = true, explainScore = false }: NonNullable<SearchQuery['options']> = {},
): Omit<SearchResult, 'origin'> {
  return {
    id: chunk.id,
    content: chunk.content,
    score,
    match: matchBandOf(score),
    probability,
    ...withoutUndefined({ movedBy, more }),
    metadata: resultMetadata(chunk, includeMetadata),
    ...(explainScore ? { explanation: explained(explanation, named) } : {}),
  };
}

function resultMetadata(chunk: StoredChunk, includeAll: boolean): SearchResult['metadata'] {
  const { metadata } = chunk;
  const required = {
    source: textOf(metadata.source),
    sourceType: textOf(metadata.sourceType),
    lines: linesOf(chunk) ?? FIRST_LINE,
    headingPath: headingPathOf(chunk),
  };
  if (!includeAll) return required;
  const dates = DATES.flatMap((key) => {
    const value = metadata[key];
    return typeof value === 'string' ? [[key, new Date(value)] as const] : [];
  });
  return { ...metadata, ...required, ...Object.fromEntries(dates), documentId: chunk.documentId };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
