import { type KeptOutName, keptOutHash } from '../ledger/kept-out-hash.js';
import type { ForgottenNames, KeptOutNames } from '../ledger/ledger.js';

/** What of one source was forgotten on purpose, and is left out while nobody lets it in again. */
export interface KeptOut {
  hasItem(itemId: string): boolean;
  hasDocument(externalId: string): boolean;
}

const NOTHING: KeptOut = { hasItem: () => false, hasDocument: () => false };

/** What is kept out of each source of a tenant. */
export async function readKeptOut(
  ledger: Pick<ForgottenNames, 'keptOut'>,
  tenant: string,
): Promise<(source: string) => KeptOut> {
  const names = await ledger.keptOut(tenant);
  return names === undefined ? () => NOTHING : (source) => keptOutOf(names, { tenant, source });
}

function keptOutOf({ key, hashes }: KeptOutNames, place: Pick<KeptOutName, 'tenant' | 'source'>): KeptOut {
  const has = (kind: KeptOutName['kind']) => (name: string) =>
    hashes.has(keptOutHash(key, { ...place, kind, name }));
  return { hasItem: has('item'), hasDocument: has('document') };
}
