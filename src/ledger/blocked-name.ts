import { createHmac } from 'node:crypto';
import type { BlockedNames } from './forgotten-names.js';

/** A name that is blocked: of an item, which is then not read, or of one document among those of an item. */
export interface BlockedName {
  readonly tenant: string;
  readonly source: string;
  readonly kind: 'item' | 'document';
  /** The item's id, or the document's in its source. */
  readonly name: string;
}

/**
 * The hash by which a name is blocked: 32 hexadecimal digits, by a key of the ledger's own, so that it cannot be matched
 * with other lists of names. Access to the ledger still allows a guessed name to be tried.
 */
export const blockedNameHash = (key: string, { tenant, source, kind, name }: BlockedName): string =>
  createHmac('sha256', Buffer.from(key, 'hex'))
    .update(JSON.stringify([tenant, source, kind, name]))
    .digest('hex')
    .slice(0, 32);

/** The rows of a ledger as `blockedNames` tells them. */
export function hashesByKey(
  rows: readonly { readonly key: string; readonly hash: string }[],
): BlockedNames[] {
  const byKey = new Map<string, Set<string>>();
  for (const { key, hash } of rows) byKey.set(key, (byKey.get(key) ?? new Set()).add(hash));
  return [...byKey].map(([key, hashes]) => ({ key, hashes }));
}
