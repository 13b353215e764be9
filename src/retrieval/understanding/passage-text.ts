import { indexedTextOf } from '../../analysis/indexed-text.js';
import type { StoredChunk } from '../../core/chunk.js';

/** Title, headings and content of a chunk, as they were indexed but for repeated context, which is not stored. */
export function passageTextOf({ content, metadata }: StoredChunk): string {
  const { title, headingPath } = metadata;
  return indexedTextOf({
    ...(typeof title === 'string' ? { title } : {}),
    headingPath: Array.isArray(headingPath)
      ? headingPath.filter((heading): heading is string => typeof heading === 'string')
      : [],
    content,
  });
}
