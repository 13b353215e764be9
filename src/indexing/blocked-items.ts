import { type BlockedName, blockedNameHash } from '../ledger/blocked-name.js';
import type { BlockedNames, ForgottenNames } from '../ledger/forgotten-names.js';
import type { SourceRoots } from '../ledger/source-state.js';
import { relativeNamesOf } from './folder-names.js';

/** What of one source was forgotten on purpose, and is left out while nobody lets it in again. */
export interface BlockedItems {
  hasItem(itemId: string): boolean;
  hasDocument(externalId: string): boolean;
}

const NOTHING: BlockedItems = { hasItem: () => false, hasDocument: () => false };

/** What is blocked of each source of a tenant, under whatever name it was forgotten. */
export async function readBlockedItems(
  ledger: Pick<ForgottenNames, 'blockedNames'> & SourceRoots,
  tenant: string,
): Promise<(source: string) => BlockedItems> {
  const names = await ledger.blockedNames(tenant);
  if (names.length === 0) return () => NOTHING;
  const roots = (await ledger.sourceRoots?.(tenant)) ?? new Map<string, string>();
  return (source) => blockedItemsOf(names, { tenant, sources: [source, ...formerNames(source, roots)] });
}

/** A folder that an earlier version named: as this ledger records it, or as it may have been named where that is not known. */
function formerNames(source: string, roots: ReadonlyMap<string, string>): string[] {
  const root = roots.get(source);
  const recorded = [...roots].flatMap(([name, place]) => (name !== source && place === root ? [name] : []));
  return [...recorded, ...relativeNamesOf(source)];
}

function blockedItemsOf(
  names: readonly BlockedNames[],
  { tenant, sources }: { readonly tenant: string; readonly sources: readonly string[] },
): BlockedItems {
  const has = (kind: BlockedName['kind']) => (name: string) =>
    names.some(({ key, hashes }) =>
      sources.some((source) => hashes.has(blockedNameHash(key, { tenant, source, kind, name }))),
    );
  return { hasItem: has('item'), hasDocument: has('document') };
}
