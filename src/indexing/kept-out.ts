import type { ForgottenNames, KeptOutNames } from '../ledger/forgotten-names.js';
import { type KeptOutName, keptOutHash } from '../ledger/kept-out-hash.js';
import type { SourceRoots } from '../ledger/source-state.js';
import { relativeNamesOf } from './folder-names.js';

/** What of one source was forgotten on purpose, and is left out while nobody lets it in again. */
export interface KeptOut {
  hasItem(itemId: string): boolean;
  hasDocument(externalId: string): boolean;
}

const NOTHING: KeptOut = { hasItem: () => false, hasDocument: () => false };

/** What is kept out of each source of a tenant, under whatever name it was forgotten. */
export async function readKeptOut(
  ledger: Pick<ForgottenNames, 'keptOut'> & SourceRoots,
  tenant: string,
): Promise<(source: string) => KeptOut> {
  const names = await ledger.keptOut(tenant);
  if (names.length === 0) return () => NOTHING;
  const roots = (await ledger.sourceRoots?.(tenant)) ?? new Map<string, string>();
  return (source) => keptOutOf(names, { tenant, sources: [source, ...formerNames(source, roots)] });
}

/** A folder that an earlier version named: as this ledger records it, or as it may have been named where that is not known. */
function formerNames(source: string, roots: ReadonlyMap<string, string>): string[] {
  const root = roots.get(source);
  const recorded = [...roots].flatMap(([name, place]) => (name !== source && place === root ? [name] : []));
  return [...recorded, ...relativeNamesOf(source)];
}

function keptOutOf(
  names: readonly KeptOutNames[],
  { tenant, sources }: { readonly tenant: string; readonly sources: readonly string[] },
): KeptOut {
  const has = (kind: KeptOutName['kind']) => (name: string) =>
    names.some(({ key, hashes }) =>
      sources.some((source) => hashes.has(keptOutHash(key, { tenant, source, kind, name }))),
    );
  return { hasItem: has('item'), hasDocument: has('document') };
}
