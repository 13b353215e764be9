import type { ScoredChunk, StoredChunk } from '../core/chunk.js';
import type { OmittedChunk } from './context-pack.js';
import { covers, type Passage, piecesOf, revisionOf, textOf } from './passage.js';

export interface Selection {
  /** Best first. */
  readonly passages: readonly Passage[];
  readonly omitted: readonly OmittedChunk[];
}

/**
 * Ranked chunks to passages, best first: two revisions of one document never stand together (the newer one stays; where
 * dates do not tell, the one ranked higher), and a chunk whose text lies inside another one is left out.
 */
export function selectPassages(ranked: readonly ScoredChunk[]): Selection {
  const revisions = keptRevisions(ranked);
  const passages: Passage[] = [];
  const omitted: OmittedChunk[] = [];
  for (const { chunk, score } of ranked) {
    const kept = revisions.get(documentKey(chunk));
    if (kept !== revisionOf(chunk)) {
      omitted.push(omit(chunk, 'other-revision', 'another revision of the document is shown'));
      continue;
    }
    const holder = passages.find(({ chunks }) => chunks.some((other) => covers(other, chunk)));
    if (holder === undefined) passages.push(passageOf(chunk, score));
    else omitted.push(omit(chunk, 'duplicate', `part of chunk ${holder.chunks[0]?.id ?? ''}`));
  }
  return { passages, omitted };
}

export const omit = (chunk: StoredChunk, reason: OmittedChunk['reason'], detail: string): OmittedChunk => ({
  chunkId: chunk.id,
  source: textOf(chunk.metadata.source) ?? chunk.documentId,
  reason,
  detail,
});

export const passageOf = (chunk: StoredChunk, score: number): Passage => ({
  kind: 'passage',
  chunks: [chunk],
  pieces: piecesOf([chunk]),
  score,
  isCompressed: false,
  isExpanded: false,
});

/** Not its `source`: a program that pushes documents states one for many (`linkedin`). */
const documentKey = ({ tenant, documentId }: StoredChunk): string => JSON.stringify([tenant, documentId]);

function keptRevisions(ranked: readonly ScoredChunk[]): Map<string, string> {
  const kept = new Map<string, { revision: string; date: string }>();
  for (const { chunk } of ranked) {
    const key = documentKey(chunk);
    const date = textOf(chunk.metadata.updatedAt) ?? textOf(chunk.metadata.createdAt) ?? '';
    const before = kept.get(key);
    if (before === undefined || date > before.date) kept.set(key, { revision: revisionOf(chunk), date });
  }
  return new Map(Array.from(kept, ([key, { revision }]) => [key, revision]));
}
