import type { ItemKey } from '../../src/ledger/ledger.js';

/** A key of names that no other names have. */
export const keyOf = (...names: readonly string[]): string => JSON.stringify(names);
export const itemKeyOf = ({ tenant, source, itemId }: ItemKey): string => keyOf(tenant, source, itemId);
