import type { ChunkRange } from '../chunk-range.js';
import { passageAround, REACHES } from '../passage-around.js';
import type { PieceLimits } from '../pieces.js';

/** Size of a chunk, whatever the configured one: small enough to say one thing. In the unit of the limits. */
const PART_SHARE = 1 / 5;
const MIN_PART_SHARE = 1 / 2;

/**
 * Small chunks that are matched by more than they hold: each is cut along the structure of the document to a fifth of the
 * configured size, and is indexed with the passages around it. So the place is found as precisely as by a sentence and as
 * surely as by a page ("small-to-big" retrieval); neighbours that are found together are shown as one passage (see
 * `joinAdjacent`).
 *
 * @param parts chunks along the structure of the document, within `partLimits`
 */
export function adaptiveChunks(parts: readonly ChunkRange[]): ChunkRange[] {
  return parts.map((part, index) => ({
    ...part,
    around: (read) => ({
      metadata: { gap: read(part.end, parts[index + 1]?.start ?? part.end) },
      surroundings: REACHES.map((reach) => passageAround(parts, [index, reach], read)),
    }),
  }));
}

/** Limits of the parts that adaptive chunks are made of. */
export function partLimits({ maxSize }: PieceLimits): PieceLimits {
  const partSize = Math.max(1, Math.round(maxSize * PART_SHARE));
  return { maxSize: partSize, minSize: Math.floor(partSize * MIN_PART_SHARE), overlap: 0 };
}
