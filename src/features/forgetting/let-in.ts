import { isoNow } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import type { ForgettingHost } from './forgetting-host.js';
import { assertOfTenant, Receipts } from './receipts.js';

/** Lets in again what a receipt keeps out; says how many names. Hold the writer lock for the whole. */
export async function letIn(
  idOrPath: string,
  scope: Pick<Scope, 'tenant'>,
  { config, resources, cwd }: ForgettingHost,
): Promise<number> {
  const receipts = new Receipts(config.dataDir);
  const receipt = receipts.read(idOrPath, cwd);
  assertOfTenant(receipt, scope);
  const ledger = await resources.ledger.writing({ check: false });
  const count = await ledger.unblock(receipt.tenant, receipt.id);
  const { names: _, ...rest } = receipt;
  // Else a ledger that is begun anew would keep them out again.
  receipts.update({ ...rest, undoneAt: isoNow() });
  return count;
}
