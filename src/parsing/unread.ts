import type { ParsedDocument } from '../core/document.js';
import type { UnreadCounts } from '../core/unread.js';

/** Counts of a document without those of nothing; absent where there are none. */
export function unreadOf(counts: UnreadCounts): Pick<ParsedDocument, 'unread'> {
  const met = Object.entries(counts).filter(([, count]) => count > 0);
  return met.length === 0 ? {} : { unread: Object.fromEntries(met) };
}
