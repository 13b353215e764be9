import { deleteDocuments } from '../../indexing/delete-documents.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { IndexRun } from '../../indexing/index-run.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import type { LedgerHistory } from '../../ledger/history.js';
import type { GenerationReader } from '../../ledger/ledger.js';
import { eraseCopies, openGenerations, purge, type WritableGeneration } from './erase-copies.js';
import { eraseRetained } from './erase-retained.js';
import type { ForgettingHost } from './forgetting-host.js';

/** How documents that were handed in are erased. Hold the lock of the whole index. */
export interface ErasingPushes {
  readonly signal: AbortSignal;
  /** The command for where a reader keeps a log from being emptied. */
  readonly again: string;
}

/**
 * Leaves nothing in any file of what programs handed in of a tenant: not in another generation, not of the past, not in caches. Each step
 * may be done twice.
 *
 * @throws RAGError `INDEX_LOCKED` for such a reader, `SERVICE_UNAVAILABLE` where a server keeps results and does not answer
 */
export async function forgetPushed(
  tenant: string,
  erasing: ErasingPushes,
  host: ForgettingHost,
): Promise<void> {
  const { ledger, generations } = await opened(erasing, host);
  for (const generation of generations) await deletePushed(tenant, generation, erasing.signal);
  await ledger.history?.erase(await pushedBefore(tenant, ledger.history));
  await eraseCopies(generations, ledger, { ...erasing, host });
  await eraseRetained(host.config, tenant, erasing);
  await purge(generations, ledger, { ...erasing, host });
}

/** The same of what is not there any more. Throws as `forgetPushed`. */
export async function forgetDeletedPushes(
  tenant: string,
  erasing: ErasingPushes,
  host: ForgettingHost,
): Promise<void> {
  const { ledger, generations } = await opened(erasing, host);
  const present = new Set<string>();
  for (const { ledger: writer } of generations)
    for (const id of await pushedIn(tenant, writer)) present.add(id);
  const past = await pushedBefore(tenant, ledger.history);
  await ledger.history?.erase(past.filter((id) => !present.has(id)));
  await eraseCopies(generations, ledger, { ...erasing, host });
  await purge(generations, ledger, { ...erasing, host });
}

async function opened({ signal }: ErasingPushes, host: ForgettingHost) {
  const ledger = await host.resources.ledger.writing({ check: false });
  return { ledger, generations: await openGenerations(ledger, { signal, host }) };
}

async function pushedIn(tenant: string, ledger: GenerationReader): Promise<string[]> {
  const ids: string[] = [];
  for (const source of (await ledger.sourceNames(tenant)).filter(isPushSource)) {
    const itemIds = [...(await ledger.items(tenant, source)).keys()];
    for (const { documentId } of await ledger.documentsOfItems(tenant, source, itemIds)) ids.push(documentId);
  }
  return ids;
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
