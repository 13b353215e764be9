import type { ForgottenNames } from '../../ledger/forgotten-names.js';
import type { ForgetReceipt } from '../../operations/forget-types.js';
import { Receipts } from './receipts.js';

/** What keeps names out, and the data folder with the receipts of it. */
export interface ForgottenPlace {
  readonly ledger: Pick<ForgottenNames, 'blockedNames' | 'block' | 'unblock'>;
  readonly dataDir: string;
}

/** Stands for the forgetting that keeps a name out, where no receipt says so. */
const NO_RECEIPT = 'migrated';

/** Receipts of a tenant, oldest first. */
export const receiptsOf = (tenant: string, dataDir: string): ForgetReceipt[] =>
  new Receipts(dataDir).all().filter((receipt) => receipt.tenant === tenant);

/**
 * Copies what was forgotten of a tenant: the names that are kept out, under the keys that they have, and the receipts. What was let in again
 * here is let in there. What is kept out there alone stays so. It may be repeated.
 */
export async function copyForgotten(tenant: string, from: ForgottenPlace, to: ForgottenPlace): Promise<void> {
  const receipts = receiptsOf(tenant, from.dataDir);
  const copies = new Receipts(to.dataDir);
  for (const receipt of receipts) {
    copies.update(receipt);
    if (receipt.undoneAt !== undefined) await to.ledger.unblock(tenant, receipt.id);
  }
  for (const { key, hashes } of await from.ledger.blockedNames(tenant)) {
    const left = new Set(hashes);
    // Of two that name the same, the later one keeps it out.
    for (const { id, names } of receipts.toReversed()) {
      const own = names?.key === key ? names.hashes.filter((hash) => left.delete(hash)) : [];
      if (own.length > 0) await to.ledger.block(tenant, { key, hashes: own, receipt: id });
    }
    if (left.size > 0) await to.ledger.block(tenant, { key, hashes: left, receipt: NO_RECEIPT });
  }
}
