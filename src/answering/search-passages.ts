import type { Retrieve, Retrieved, RetrieveOptions } from './answer-request.js';

/** Seed 002: where nothing was found, look at ten and keep three. */
const WIDENED_TOP_K = 10;
const WIDENED_KEPT = 3;

/** Passages for a query, best first; where none reached the threshold of relevance, the nearest ones of a wider search. */
export async function searchPassages(
  query: string,
  retrieve: Retrieve,
  options: Omit<RetrieveOptions, 'isWidened'>,
): Promise<Retrieved> {
  const first = await retrieve(query, { ...options, isWidened: false });
  if (first.ranked.length > 0) return first;
  const wide = await retrieve(query, { ...options, topK: WIDENED_TOP_K, isWidened: true });
  const ranked = wide.ranked.slice(0, WIDENED_KEPT);
  const notice =
    ranked.length > 0
      ? 'Nothing reached the threshold of relevance; the search was widened.'
      : 'Nothing was found, not even with a wider search.';
  return { ...wide, ranked, notices: [...new Set([...first.notices, ...wide.notices, notice])] };
}
