import type { ParsedDocument } from '../core/document.js';
import { oneLine } from '../core/one-line.js';
import type { UnreadCounts, UnreadKind } from '../core/unread.js';

/** Counts of a document without those of nothing; absent where there are none. */
export function unreadOf(counts: UnreadCounts): Pick<ParsedDocument, 'unread'> {
  const met = Object.entries(counts).filter(([, count]) => count > 0);
  return met.length === 0 ? {} : { unread: Object.fromEntries(met) };
}

/** What several parts of a document count together. */
export function addedCounts(parts: readonly (Readonly<Record<string, number>> | undefined)[]): UnreadCounts {
  const sums: Partial<Record<UnreadKind, number>> = {};
  for (const part of parts)
    for (const [kind, count] of Object.entries(part ?? {}) as [UnreadKind, number][])
      sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

const MAX_NAMED = 5;

/** Says which files a text includes that were not read in its place. */
export function notIncluded(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const named = [...new Set(names)].slice(0, MAX_NAMED).map((name) => `"${oneLine(name)}"`);
  const others = new Set(names).size - named.length;
  return [
    `Files that it includes were not read in its place: ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`,
  ];
}
