import type { TextRange } from '../core/document.js';
import type { ReadSlice } from './chunker.js';

/** Words of the chunks at these distances to each side count for a chunk too, where its strategy wants that. */
export const REACHES = [1, 2] as const;

/** The text from so many chunks before one to so many behind it, itself included. */
export function passageAround(
  chunks: readonly TextRange[],
  [index, reach]: readonly [index: number, reach: number],
  read: ReadSlice,
): string {
  const first = chunks[Math.max(0, index - reach)];
  const last = chunks[Math.min(chunks.length - 1, index + reach)];
  return read(first?.start ?? 0, last?.end ?? 0);
}
