import type { ParsedDocument, TextRange } from '../../core/document.js';
import type { ChunkRange } from '../chunk-range.js';
import type { Outline } from '../outline.js';
import type { CutContext } from '../pieces.js';
import { semanticChunks } from '../semantic/semantic-chunks.js';

/** Size of a chunk, whatever the configured one: small enough to say one thing. In the unit of the limits. */
const PART_SHARE = 1 / 5;
const MIN_PART_SHARE = 1 / 2;
/** How far the passages around a chunk reach, in chunks to each side. */
const REACHES = [1, 2] as const;

/**
 * Small chunks that are matched by more than they hold: each is cut along the structure of the document to a fifth of the
 * configured size, and is indexed with the passages around it. So the place is found as precisely as by a sentence and as
 * surely as by a page ("small-to-big" retrieval); neighbours that are found together are shown as one passage (see
 * `joinAdjacent`).
 */
export function adaptiveChunks(
  document: ParsedDocument,
  outline: Outline,
  context: CutContext,
): ChunkRange[] {
  const maxSize = Math.max(1, Math.round(context.limits.maxSize * PART_SHARE));
  const limits = { maxSize, minSize: Math.floor(maxSize * MIN_PART_SHARE), overlap: 0 };
  const parts = semanticChunks(document, outline, { ...context, limits });
  return parts.map((part, index) => ({
    ...part,
    metadata: { gap: document.text.slice(part.end, parts[index + 1]?.start ?? part.end) },
    surroundings: REACHES.map((reach) => passageAround(parts, [index, reach], document.text)),
  }));
}

/** The text from so many chunks before to so many behind, the chunk itself included. */
function passageAround(
  parts: readonly TextRange[],
  [index, reach]: readonly [number, number],
  text: string,
): string {
  const first = parts[Math.max(0, index - reach)];
  const last = parts[Math.min(parts.length - 1, index + reach)];
  return text.slice(first?.start ?? 0, last?.end ?? 0);
}
