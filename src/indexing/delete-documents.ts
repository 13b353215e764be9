import { oneOf } from '../core/filter.js';
import { slicesOf } from '../core/slices.js';
import type { ItemKey } from '../ledger/ledger.js';
import type { SourceItem } from '../sources/source.js';
import type { IndexRun } from './index-run.js';
import { leftToOthers } from './overlapping-sources.js';
import { keyOf, nothingWritten, orLeave, type SourcePass } from './source-pass.js';
import { sharedWrites, type WriteTargets } from './write-batch.js';

/** Documents in one delete filter. */
const DELETE_BATCH = 200;

/** Removes items with all their documents, from the store first and from the ledger after. */
export async function deleteItems(
  gone: { tenant: string; source: string; itemIds: readonly string[]; dryRun: boolean },
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { tenant, source, itemIds } = gone;
  const documents = await targets.ledger.documentsOfItems(tenant, source, itemIds);
  if (!gone.dryRun) {
    await deleteDocuments(
      documents.map(({ documentId }) => documentId),
      { ...targets, items: documents },
      run,
    );
    await deleteLeft(gone, targets, run);
  }
  for (const document of documents) run.of(document.itemId).documentsDeleted += 1;
  if (gone.dryRun) return;
  await forgetItems({ tenant, source, itemIds }, targets, run);
}

/** What is left of items in other generations, by what those know: an earlier deletion may have died between two generations. */
async function deleteLeft(
  { tenant, source, itemIds }: { tenant: string; source: string; itemIds: readonly string[] },
  targets: DeletionTargets,
  run: IndexRun,
): Promise<void> {
  if (itemIds.length === 0) return;
  for (const generation of (await targets.retired?.(run)) ?? []) {
    const left = await generation.ledger.documentsOfItems(tenant, source, itemIds);
    for (const some of slicesOf(left, DELETE_BATCH)) {
      const ids = some.map(({ documentId }) => documentId);
      await deleteBatch(ids, generation, run);
    }
  }
}

/** Forgets items whose documents are gone, in generations that are kept too: a name says something as well. */
export async function forgetItems(
  { tenant, source, itemIds }: { tenant: string; source: string; itemIds: readonly string[] },
  targets: DeletionTargets,
  run: IndexRun,
): Promise<void> {
  if (itemIds.length === 0) return;
  for (const { ledger } of [targets, ...((await targets.retired?.(run)) ?? [])])
    await run.timedAsync('ledger', () => ledger.forgetItems(tenant, source, itemIds));
}

/** What a deletion works on. */
export interface DeletionTargets
  extends Pick<WriteTargets, 'ledger' | 'collection' | 'signal' | 'retired' | 'claims'> {
  /** Of the documents that go: the store, which knows no leases, deletes nothing while they are not held. @default there are no other writers */
  readonly items?: readonly ItemKey[] | undefined;
}

/** Removes documents: in one transaction where the store can, else planned in the ledger, deleted from the store, forgotten. */
export async function deleteDocuments(
  documentIds: readonly string[],
  targets: DeletionTargets,
  run: IndexRun,
): Promise<void> {
  for (const ids of slicesOf(documentIds, DELETE_BATCH)) {
    run.checkAborted();
    await deleteBatch(ids, targets, run);
  }
  if (documentIds.length === 0) return;
  for (const generation of (await targets.retired?.(run)) ?? [])
    await deleteBatch(documentIds, generation, run);
}

/** After deletions: leaves nothing of them in files, in those of generations that are kept neither. */
export async function purgeDeleted(targets: DeletionTargets, run: IndexRun): Promise<void> {
  const retired = (await targets.retired?.(run)) ?? [];
  for (const { collection, signal } of [targets, ...retired])
    await run.timedAsync('purge', async () => collection.purge?.(signal));
  await run.timedAsync('purge', async () => targets.ledger.purge?.());
}

async function deleteBatch(ids: readonly string[], targets: DeletionTargets, run: IndexRun): Promise<void> {
  const { ledger, collection, signal } = targets;
  const shared = sharedWrites(targets);
  if (shared !== undefined) {
    const { together, enlisted } = shared;
    await run.timedAsync('store', () => together.remove(ids, (chunkIds) => enlisted.delete(chunkIds)));
    return;
  }
  await run.timedAsync('ledger', () => ledger.planDeletion(ids));
  await targets.claims?.hold(targets.items ?? []);
  await run.timedAsync('store', () => collection.delete(oneOf('$documentId', ids), signal));
  await run.timedAsync('ledger', () => ledger.forget(ids));
}

/**
 * Deletes items that their source does not have any more.
 *
 * @returns how many documents they had
 */
export async function deleteGone(itemIds: readonly string[], pass: SourcePass): Promise<number> {
  const { targets, options, run } = pass;
  const key = keyOf(pass);
  const documents = await targets.ledger.documentsOfItems(key.tenant, key.source, itemIds);
  const unsure = itemIds.map((itemId) => ({
    itemId,
    documentIds: documents.flatMap((document) => (document.itemId === itemId ? document.documentId : [])),
  }));
  const before = run.total().documentsDeleted;
  await orLeave(unsure, pass, () => deleteItems({ ...key, itemIds, dryRun: options.dryRun }, targets, run));
  return run.total().documentsDeleted - before;
}

/** The same, telling those that another source has now from those that are gone. */
export async function deleteOrMove(itemIds: readonly string[], pass: SourcePass): Promise<void> {
  const others = leftToOthers(pass.configured.source);
  await deleteGone(
    itemIds.filter((id) => !others.has(id)),
    pass,
  );
  const moved = itemIds.filter((id) => others.has(id));
  const [first] = moved;
  if (first !== undefined) pass.run.of(first).documentsMoved += await deleteGone(moved, pass);
}

/** Deletes what its source did not have any more when it was read. What a younger listing named in another version is pending still. */
export async function deleteVanished(items: readonly SourceItem[], pass: SourcePass): Promise<void> {
  if (items.length === 0) return;
  await deleteGone(
    items.map(({ id }) => id),
    pass,
  );
  const { targets, options, run, left } = pass;
  const { tenant, source } = keyOf(pass);
  const done = items.filter(({ id }) => !left.has(id));
  if (!options.dryRun)
    await orLeave(nothingWritten(done.map(({ id }) => id)), pass, async () =>
      targets.ledger.pendingWork?.settle(
        tenant,
        source,
        done.map(({ id, version }) => ({ itemId: id, version })),
      ),
    );
  for (const { bytes } of done) run.itemDone(bytes ?? 1);
}
