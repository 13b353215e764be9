import type { ParsedDocument } from '../core/document.js';
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
