import { canonicalJson } from '../core/canonical-json.js';
import { contentHash } from '../core/ids.js';
import type { MetadataValue } from '../core/metadata.js';

/** Where a source of a service stands after a listing. */
export interface ListingCursor {
  /** What changed after this is listed next; the source's own notion: a time, a revision number. */
  readonly since: string;
  /** When everything was last listed, ISO-8601 UTC. */
  readonly completeAt: string;
}

/** Writes a cursor; `settings` are those that decide what is listed: a cursor made under others means nothing. */
export const writeCursor = (cursor: ListingCursor, settings: MetadataValue): string =>
  JSON.stringify({ ...cursor, settings: contentHash(canonicalJson(settings)) });

/** Reads a cursor; undefined where it was made under other settings or is none. */
export function readCursor(text: string | undefined, settings: MetadataValue): ListingCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { since, completeAt, settings: hash } = value as Record<string, unknown>;
    const isWhole = typeof since === 'string' && typeof completeAt === 'string';
    return isWhole && hash === contentHash(canonicalJson(settings)) ? { since, completeAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether everything has to be listed again, because the last complete listing is older than the hours given. */
export const isDue = ({ completeAt }: ListingCursor, hours: number, now: Date): boolean =>
  now.getTime() - Date.parse(completeAt) >= hours * 3_600_000;
