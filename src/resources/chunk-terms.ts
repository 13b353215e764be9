import { calledKey, definitionKeys, extractIdentifiers } from '../core/analysis/identifiers.js';
import { indexedTextOf } from '../core/analysis/indexed-text.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { ChunkSpan } from '../core/chunk.js';

/** What the lanes match of one chunk. */
export interface ChunkTerms {
  /** What is embedded: title, heading path, context, content. */
  readonly indexedText: string;
  /** Analysed terms of the indexed text and of what surrounds it, separated by one space. */
  readonly searchText: string;
  readonly identifiers: readonly string[];
}

/**
 * Both paths of the engine read a chunk through this, so that what is searched is what was indexed.
 *
 * @param names what its document is called, where it is the first chunk of it
 * @param tags keys of the tags of its document
 */
export function analyzeForIndex(
  span: ChunkSpan,
  title: string | undefined,
  names: readonly string[] = [],
  tags: readonly string[] = [],
): ChunkTerms {
  const indexedText = indexedTextOf({
    ...(title === undefined ? {} : { title }),
    headingPath: span.headingPath,
    ...(span.context === undefined ? {} : { context: span.context }),
    content: span.content,
  });
  return {
    indexedText,
    searchText: analyzeText([indexedText, ...(span.surroundings ?? [])].join('\n')).join(' '),
    identifiers: [
      ...extractIdentifiers(indexedText),
      ...definitionKeys(span.defines ?? []),
      ...names.map(calledKey),
      ...tags,
    ],
  };
}
