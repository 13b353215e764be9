import { copyForgotten } from '../forgetting/copy-forgotten.js';
import { Receipts } from '../forgetting/receipts.js';
import type { Ledger } from '../ledger/ledger.js';

/** A ledger, and the data folder beside it. */
export interface LedgerPlace {
  readonly ledger: Ledger;
  readonly dataDir: string;
}

/**
 * Copies what a ledger knows beside its generations: sources that calls named, where sources of files lay, and what was forgotten on
 * purpose, with its receipts. What was run, and which configurations state a source, is said anew by the runs there.
 */
export async function copyLedgerState(
  tenants: Iterable<string>,
  from: LedgerPlace,
  to: LedgerPlace,
): Promise<void> {
  const forgotten = new Receipts(from.dataDir).all().map(({ tenant }) => tenant);
  for (const tenant of new Set([...tenants, ...forgotten])) {
    const remembered = await from.ledger.rememberedSources(tenant);
    if (remembered.length > 0) await to.ledger.rememberSources(tenant, remembered);
    const roots = await from.ledger.sourceRoots?.(tenant);
    if (roots !== undefined && roots.size > 0) await to.ledger.recordSourceRoots?.(tenant, roots);
    await copyForgotten(tenant, from, to);
  }
}
