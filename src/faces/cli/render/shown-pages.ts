import type { SearchResult } from '../../../index.js';
import type { Snippet } from './snippet.js';

/** First and last page, 1-based. */
interface Pages {
  readonly start: number;
  readonly end: number;
}

/** Pages of what is marked in a snippet, else of the whole passage; undefined for a document without pages. */
export function shownPages(
  { content, metadata }: Pick<SearchResult, 'content' | 'metadata'>,
  { text, matches }: Snippet,
): Pages | undefined {
  const pages = rangeIn(metadata.pages);
  const offsets = rangeIn(metadata.offsets);
  const breaks = breaksIn(metadata.pages);
  const at = content.indexOf(text);
  const [first] = matches;
  const last = matches.at(-1);
  if (pages === undefined || offsets === undefined || breaks === undefined) return pages;
  if (at < 0 || first === undefined || last === undefined) return pages;
  const pageAt = (place: number): number =>
    pages.start + breaks.filter((start) => start <= offsets.start + at + place).length;
  return { start: pageAt(first.start), end: pageAt(last.start) };
}

function rangeIn(value: unknown): Pages | undefined {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value))
    return undefined;
  const { start, end } = value;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

function breaksIn(value: unknown): readonly number[] | undefined {
  if (typeof value !== 'object' || value === null || !('breaks' in value)) return undefined;
  const { breaks } = value;
  return Array.isArray(breaks) ? breaks.filter((offset) => typeof offset === 'number') : undefined;
}
