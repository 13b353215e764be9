import { contentHash } from '../core/ids.js';

/** A key over everything but the content that decides what an item becomes. */
export function processingKeyOf(parts: Readonly<Record<string, unknown>>): string {
  return contentHash(JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16);
}
