import { RAGError } from '../core/errors.js';
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
  const receipts = new Receipts(from.dataDir);
  const all = receipts.exist() ? receipts.all() : [];
  for (const tenant of new Set([...tenants, ...all.map((receipt) => receipt.tenant)])) {
    const remembered = await from.ledger.rememberedSources(tenant);
    if (remembered.length > 0) await to.ledger.rememberSources(tenant, remembered);
    const roots = await from.ledger.sourceRoots?.(tenant);
    if (roots !== undefined && roots.size > 0) await to.ledger.recordSourceRoots?.(tenant, roots);
    const own = all.filter((receipt) => receipt.tenant === tenant);
    await copyKeptOut(tenant, { from: from.ledger, to: to.ledger }, own);
  }
  const copies = new Receipts(to.dataDir);
  for (const receipt of all) copies.update(receipt);
}

/** Who is told by which forgetting a name is kept out, where no receipt says so. */
const NO_RECEIPT = 'migrated';

async function copyKeptOut(
  tenant: string,
  { from, to }: { readonly from: Ledger; readonly to: Ledger },
  receipts: ReturnType<Receipts['all']>,
): Promise<void> {
  const names = await from.keptOut(tenant);
  if (names === undefined) return;
  const held = await to.keptOut(tenant);
  if (held !== undefined && held.key !== names.key)
    throw new RAGError(
      'MIGRATION_FAILED',
      `Both indexes keep out documents of tenant ${JSON.stringify(tenant)} that were forgotten (\`ragstone forget\`), under keys of their own, which cannot be joined. Name a new data folder or ledger for the copy.`,
    );
  for (const { id, names: ofReceipt } of receipts)
    if (ofReceipt?.key === names.key) await to.keepOut(tenant, { ...ofReceipt, receipt: id });
  const kept = (await to.keptOut(tenant))?.hashes ?? new Set<string>();
  const rest = [...names.hashes].filter((hash) => !kept.has(hash));
  if (rest.length > 0) await to.keepOut(tenant, { key: names.key, hashes: rest, receipt: NO_RECEIPT });
}
