import { allVersions } from '../history/all-versions.js';
import { isPushSource } from '../indexing/configured-sources.js';
import { deleteDocuments } from '../indexing/delete-documents.js';
import { IndexRun } from '../indexing/index-run.js';
import type { LedgerHistory } from '../ledger/history.js';
import { eraseCopies, openGenerations, purge, type WritableGeneration } from './erase-copies.js';
import { eraseShown } from './erase-shown.js';
import type { ForgettingHost } from './forgetting-host.js';

/**
 * Leaves nothing in any file of what programs handed in of a tenant: not in another generation, not of the past, not in caches. Each step
 * may be done twice. Hold the lock of the whole index.
 *
 * @param again the command for where a reader keeps a log from being emptied
 * @throws RAGError `INDEX_LOCKED` for such a reader, `SERVICE_UNAVAILABLE` where a server keeps results and does not answer
 */
export async function forgetPushed(
  tenant: string,
  { signal, again }: { readonly signal: AbortSignal; readonly again: string },
  host: ForgettingHost,
): Promise<void> {
  const { config, resources } = host;
  const ledger = await resources.writingLedger({ check: false });
  const generations = await openGenerations(ledger, { signal, host });
  for (const generation of generations) await deletePushed(tenant, generation, signal);
  await ledger.history?.erase(await pushedBefore(tenant, ledger.history));
  await eraseCopies(generations, ledger, { signal, host, again });
  await eraseShown(config.dataDir, tenant, { signal, again });
  await purge(generations, ledger, { signal, host, again });
}

async function deletePushed(
  tenant: string,
  { ledger, collection }: WritableGeneration,
  signal: AbortSignal,
): Promise<void> {
  const run = new IndexRun(undefined, signal);
  for (const source of (await ledger.sourceNames(tenant)).filter(isPushSource)) {
    const itemIds = [...(await ledger.items(tenant, source)).keys()];
    const documents = await ledger.documentsOfItems(tenant, source, itemIds);
    const ids = documents.map(({ documentId }) => documentId);
    await deleteDocuments(ids, { ledger, collection, signal }, run);
    await ledger.forgetItems(tenant, source, itemIds);
  }
}

async function pushedBefore(tenant: string, history: LedgerHistory | undefined): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { source, documentId } of allVersions(history, tenant))
    if (isPushSource(source)) ids.add(documentId);
  return [...ids];
}
