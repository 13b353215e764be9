import { graphRowsOf } from './graph-rows.js';
import type { Walk } from './walk.js';

/** A passage of a document, as it was found. */
export interface GraphPassage {
  readonly documentId: string;
  readonly source: string;
  /** Of the document in its source. */
  readonly path: string;
  readonly text: string;
  /** What it is worth, in (0, 1]; what it refers to shares it. */
  readonly weight: number;
}

/**
 * What passages themselves refer to of what a walk has seen, by document. A page links to many others; the passage that was found of it to
 * few, and to those for a reason.
 */
export function linkedFrom(
  passages: readonly GraphPassage[],
  { named }: Pick<Walk, 'named'>,
): Map<string, number> {
  const linked = new Map<string, number>();
  for (const { documentId, source, path, text, weight } of passages) {
    const { references } = graphRowsOf({ source, externalId: path, metadata: {}, text });
    const to = new Set(references.flatMap(({ target }) => named.get(target) ?? []));
    to.delete(documentId);
    for (const id of to) linked.set(id, (linked.get(id) ?? 0) + weight / to.size);
  }
  return linked;
}
