import { eq, oneOf, type SearchResult } from 'ragstone';
import { documentIdOf, type RagService } from './rag-service.js';

/** Summaries that lead to details. */
const SUMMARIES = 2;

/**
 * "Retrieve summaries first, then details": the summaries that match best, then passages of the documents that they summarise, among those
 * that a search of everything finds. Where no summary matches, the latter stand alone.
 */
export async function searchSummariesFirst(
  service: RagService,
  query: string,
  topK: number,
): Promise<SearchResult[]> {
  const summaries = await service.search(query, {
    filter: eq('type', 'summary'),
    options: { topK: SUMMARIES },
  });
  const summarised = summaries.results.map(({ metadata }) => String(metadata.summarizes));
  const everywhere = await service.search(query, { options: { topK } });
  if (summarised.length === 0) return [...everywhere.results];
  const inDetail = await service.search(query, {
    filter: oneOf('document_id', summarised),
    options: { topK },
  });
  const found = new Map(
    [...everywhere.results, ...inDetail.results].map((result) => [documentIdOf(result), result]),
  );
  return [...found.values()].sort((a, b) => b.score - a.score).slice(0, topK);
}
