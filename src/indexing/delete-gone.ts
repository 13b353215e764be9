import type { SourceItem } from '../sources/source.js';
import { deleteItems } from './delete-documents.js';
import { leftToOthers } from './overlapping-sources.js';
import { keyOf, nothingWritten, orLeave, type SourcePass } from './source-pass.js';

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

/** Deletes what its source did not have any more when it was read. What a younger listing named in another version is owed still. */
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
      targets.ledger.owed?.settle(
        tenant,
        source,
        done.map(({ id, version }) => ({ itemId: id, version })),
      ),
    );
  for (const { bytes } of done) run.itemDone(bytes ?? 1);
}
