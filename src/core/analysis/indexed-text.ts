import type { StoredChunk } from '../chunk.js';
import { headingPathOf, titleOf } from '../chunk-metadata.js';

/** What is known of a chunk beside its content. */
export interface IndexedTextParts {
  readonly title?: string | undefined;
  /** Headings above the chunk, outermost first. */
  readonly headingPath: readonly string[];
  /** Repeated fence line or table header (see `ChunkSpan.context`). */
  readonly context?: string | undefined;
  readonly content: string;
}

/**
 * The text that is embedded and analysed for a chunk: title and headings on the first line, then context, then content.
 * The title is not repeated where the heading path starts with it.
 */
export function indexedTextOf({ title, headingPath, context, content }: IndexedTextParts): string {
  const headings = headingPath.map((heading) => heading.trim()).filter((heading) => heading !== '');
  const name = title?.trim() ?? '';
  const path = name === '' || isSameHeading(headings[0], name) ? headings : [name, ...headings];
  const lines = [path.join(' > '), context?.trim() ?? '', content];
  return lines.filter((line) => line !== '').join('\n');
}

/** The same of a chunk as a store gives it back: all but the repeated context, which is not stored. */
export const indexedTextOfStored = (chunk: StoredChunk): string =>
  indexedTextOf({ title: titleOf(chunk), headingPath: headingPathOf(chunk), content: chunk.content });

const isSameHeading = (heading: string | undefined, title: string): boolean =>
  heading !== undefined && heading.toLowerCase() === title.toLowerCase();
