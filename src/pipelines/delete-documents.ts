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

/** Removes documents: in one transaction where the store can, else planned in the ledger, deleted from the store, forgotten. */
export async function deleteDocuments(
  documentIds: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  for (let start = 0; start < documentIds.length; start += DELETE_BATCH) {
    run.checkAborted();
    const ids = documentIds.slice(start, start + DELETE_BATCH);
    await deleteBatch(ids, targets, run);
    run.documentsDeleted += ids.length;
  }
}

async function deleteBatch(ids: readonly string[], targets: WriteTargets, run: IndexRun): Promise<void> {
  const { ledger, collection, signal } = targets;
  const enlisted = collection.enlist?.(ledger.database);
  if (enlisted === undefined) {
    run.timed('ledger', () => ledger.planDeletion(ids));
    await run.timedAsync('store', () => collection.delete(oneOf('$documentId', ids), signal));
    run.timed('ledger', () => ledger.forget(ids));
    return;
  }
  run.timed('store', () =>
    ledger.transaction(() => {
      enlisted.delete(ledger.planDeletion(ids));
      ledger.forget(ids);
    }),
  );
}
