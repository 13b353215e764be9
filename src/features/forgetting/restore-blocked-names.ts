import type { ForgottenNames } from '../../ledger/forgotten-names.js';
import { Receipts } from './receipts.js';

/**
 * A ledger that was damaged or removed, and is begun anew, keeps out what it did before: the receipts say what that was. Not for a ledger
 * that hosts share, of which one host's receipts are not the whole.
 */
export async function restoreBlockedNames(
  ledger: ForgottenNames,
  tenant: string,
  dataDir: string,
): Promise<void> {
  const receipts = new Receipts(dataDir);
  if (!receipts.exist() || (await ledger.blockedNames(tenant)).length > 0) return;
  for (const receipt of receipts.all())
    if (receipt.tenant === tenant && receipt.names !== undefined)
      await ledger.block(tenant, { ...receipt.names, receipt: receipt.id });
}
