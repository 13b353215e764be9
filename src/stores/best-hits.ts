import type { ScoredChunk } from '../core/chunk.js';
import { compareText } from '../core/filter.js';

/** The best first, ties by id. */
const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);

/** The order and length of every result. */
export const bestOf = (hits: readonly ScoredChunk[], topK: number): ScoredChunk[] =>
  [...hits].sort(byScoreThenId).slice(0, topK);

/** A cosine that a server computed in single precision, within its range. */
export const asCosine = (score: number): number => Math.max(-1, Math.min(1, score));

/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;

/** How much one search gives. */
interface HitWindow {
  readonly topK: number;
  /** Most hits of one request. @default no limit */
  readonly maxHits?: number;
  /** @default 16 */
  readonly margin?: number;
}

/**
 * The best topK of a search and all that score as the last of them, best first: servers cut among equals at will, so more are asked for until the
 * tie at the end is seen whole, or `maxHits` are.
 */
export async function withWholeTie<Hit extends { readonly score: number }>(
  { topK, maxHits = Number.POSITIVE_INFINITY, margin = TIE_MARGIN }: HitWindow,
  search: (limit: number) => Promise<readonly Hit[]>,
): Promise<Hit[]> {
  for (let wanted = topK + margin; ; wanted *= 2) {
    const limit = Math.min(wanted, maxHits);
    const hits = [...(await search(limit))].sort((a, b) => b.score - a.score);
    const last = hits[topK - 1]?.score;
    const isTieCut = hits.length >= limit && last === hits.at(-1)?.score;
    if (!isTieCut || limit === maxHits)
      return hits.filter(({ score }) => last === undefined || score >= last);
  }
}
