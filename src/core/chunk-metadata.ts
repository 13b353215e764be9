import type { ChunkPages } from './chunk.js';
import type { LineRange, TextRange } from './document.js';
import type { Metadata, MetadataValue } from './metadata.js';

/**
 * What the engine wrote of a chunk (`ChunkMetadata`), read back. A store gives metadata back as it was written, by whatever
 * version, so each key may be missing.
 */
interface WithMetadata {
  readonly metadata: Metadata;
}

/** Keys of a chunk that say nothing of its document. */
export const CHUNK_KEYS: ReadonlySet<string> = new Set([
  'lines',
  'offsets',
  'headingPath',
  'pages',
  'symbols',
  'gap',
  'revision',
  'chunkIndex',
  'chunkTotal',
]);

/** Holds the encrypted values of a document, by their fields. */
export const SEALED_KEY = 'sealed';

/** Keys that the engine writes and no document can set. */
export const ENGINE_KEYS: ReadonlySet<string> = new Set([...CHUNK_KEYS, 'redactions', 'unread', SEALED_KEY]);

/** Offsets of the content in its stored revision; undefined where the chunk does not say. */
export const offsetsOf = ({ metadata }: WithMetadata): TextRange | undefined => rangeOf(metadata.offsets);

/** 1-based, inclusive; undefined where the chunk does not say. */
export const linesOf = ({ metadata }: WithMetadata): LineRange | undefined => rangeOf(metadata.lines);

/** 1-based, inclusive; undefined where the document has no pages. */
export function pagesOf({ metadata: { pages } }: WithMetadata): ChunkPages | undefined {
  const range = rangeOf(pages);
  if (range === undefined || typeof pages !== 'object' || pages === null || !('breaks' in pages))
    return range;
  const { breaks } = pages;
  if (!Array.isArray(breaks)) return range;
  return { ...range, breaks: breaks.filter((offset) => typeof offset === 'number') };
}

/** Lines of a chunk that does not say where it stands. */
export const FIRST_LINE: LineRange = { start: 1, end: 1 };

/** Headings above the chunk, outermost first. */
export const headingPathOf = ({ metadata: { headingPath } }: WithMetadata): string[] =>
  Array.isArray(headingPath) ? headingPath.filter((heading) => typeof heading === 'string') : [];

/** Names that the chunk defines or lies in. */
export const symbolsOf = ({ metadata: { symbols } }: WithMetadata): string[] =>
  Array.isArray(symbols) ? symbols.filter((symbol) => typeof symbol === 'string') : [];

/** Title of the document. */
export const titleOf = ({ metadata: { title } }: WithMetadata): string | undefined =>
  typeof title === 'string' ? title : undefined;

function rangeOf(value: MetadataValue | undefined): { start: number; end: number } | undefined {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value))
    return undefined;
  const { start, end } = value;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}
