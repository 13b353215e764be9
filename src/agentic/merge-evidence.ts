import type { ScoredChunk } from '../core/chunk.js';

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009) with the constant of its authors. */
const RANK_CONSTANT = 60;
/** What a passage counts for when one of its document is taken already: two documents are wanted before two passages of one. */
const SECOND_OF_DOCUMENT = 0.5;

/**
 * One list of what all steps found: passages by the sum of their reciprocal ranks, those of a document that is there already counting less.
 * A passage keeps the best score that a search gave it.
 */
export function mergeEvidence(lists: readonly (readonly ScoredChunk[])[], topK: number): ScoredChunk[] {
  const found = new Map<string, { scored: ScoredChunk; sum: number }>();
  for (const ranked of lists) {
    for (const [rank, scored] of ranked.entries()) {
      const before = found.get(scored.chunk.id);
      const best = before !== undefined && before.scored.score >= scored.score ? before.scored : scored;
      const sum = (before?.sum ?? 0) + 1 / (RANK_CONSTANT + rank + 1);
      found.set(scored.chunk.id, { scored: best, sum });
    }
  }
  return takenInTurn([...found.values()], topK);
}

function takenInTurn(
  candidates: { readonly scored: ScoredChunk; readonly sum: number }[],
  topK: number,
): ScoredChunk[] {
  const left = [...candidates].sort((a, b) => b.sum - a.sum);
  const taken: ScoredChunk[] = [];
  const perDocument = new Map<string, number>();
  const worth = ({ scored, sum }: (typeof left)[number]): number =>
    sum * SECOND_OF_DOCUMENT ** (perDocument.get(scored.chunk.documentId) ?? 0);
  while (taken.length < topK && left.length > 0) {
    let best = 0;
    for (let at = 1; at < left.length; at += 1) {
      const [candidate, leader] = [left[at], left[best]];
      if (candidate !== undefined && leader !== undefined && worth(candidate) > worth(leader)) best = at;
    }
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    taken.push(next.scored);
    const { documentId } = next.scored.chunk;
    perDocument.set(documentId, (perDocument.get(documentId) ?? 0) + 1);
  }
  return taken;
}
