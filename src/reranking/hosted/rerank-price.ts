/** US dollars, as vendors count: by tokens (Voyage, Jina) or by searches (Cohere). */
export interface RerankPrice {
  readonly perMillionTokens?: number | undefined;
  readonly perThousandSearches?: number | undefined;
}

/** Lengths in tokens. */
interface Reranked {
  readonly query: number;
  readonly passages: readonly number[];
}

const MILLION = 1_000_000;
const THOUSAND = 1_000;
/** A search is a query with so many documents; one that is longer than so many tokens, the query included, counts as several. */
const SEARCH_DOCUMENTS = 100;
const DOCUMENT_TOKENS = 500;

/** What a call costs. By tokens the query counts once with each passage, as it is read with each. */
export function rerankCost(
  { perMillionTokens = 0, perThousandSearches = 0 }: RerankPrice,
  { query, passages }: Reranked,
): number {
  const tokens = passages.reduce((sum, passage) => sum + query + passage, 0);
  const documents = passages.reduce(
    (sum, passage) => sum + Math.ceil((query + passage) / DOCUMENT_TOKENS),
    0,
  );
  const searches = Math.ceil(documents / SEARCH_DOCUMENTS);
  return (tokens * perMillionTokens) / MILLION + (searches * perThousandSearches) / THOUSAND;
}
