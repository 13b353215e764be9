import { oneOf } from '../core/filter.js';
import type { IndexRun } from './index-run.js';
import type { WriteTargets } from './write-batch.js';

/** Documents in one delete filter. */
const DELETE_BATCH = 200;

/** Removes items with all their documents, from the store first and from the ledger after. */
export async function deleteItems(
  gone: { tenant: string; source: string; itemIds: readonly string[]; dryRun: boolean },
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { tenant, source, itemIds } = gone;
  const documentIds = itemIds.flatMap((itemId) =>
    targets.ledger.documentsOfItem(tenant, source, itemId).map(({ documentId }) => documentId),
  );
  if (gone.dryRun) {
    run.documentsDeleted += documentIds.length;
    return;
  }
  await deleteDocuments(documentIds, targets, run);
  run.timed('ledger', () => targets.ledger.forgetItems(tenant, source, itemIds));
}

/** Removes documents: planned in the ledger, deleted from the store, forgotten by the ledger. */
export async function deleteDocuments(
  documentIds: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  for (let start = 0; start < documentIds.length; start += DELETE_BATCH) {
    run.checkAborted();
    const ids = documentIds.slice(start, start + DELETE_BATCH);
    run.timed('ledger', () => targets.ledger.planDeletion(ids));
    await run.timedAsync('store', () => targets.collection.delete(oneOf('$documentId', ids), targets.signal));
    run.timed('ledger', () => targets.ledger.forget(ids));
    run.documentsDeleted += ids.length;
  }
}
