import { oneOf } from '../core/filter.js';
import { listPages } from '../stores/list-pages.js';
import type { IndexRun } from './index-run.js';
import { deleteChunks, type WriteTargets } from './write-batch.js';

const PAGE = 500;
/** Documents in one filter. */
const BATCH = 200;

/**
 * After a lease was lost between the plan and the commit, the store may hold chunks of a revision that the ledger has forgotten,
 * and other ones of an older revision than the ledger says. Removes the former, and marks all others to be written again.
 * Claim the documents' items first.
 */
export async function healDocuments(
  documentIds: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { ledger, collection, signal } = targets;
  for (let start = 0; start < documentIds.length; start += BATCH) {
    const batch = documentIds.slice(start, start + BATCH);
    const known = new Set<string>();
    for (const documentId of batch)
      for (const { chunkId } of await ledger.chunks(documentId)) known.add(chunkId);
    const orphans: string[] = [];
    const filter = oneOf('$documentId', batch);
    for await (const page of listPages(collection, { filter, limit: PAGE, signal }))
      for (const { id } of page) if (!known.has(id)) orphans.push(id);
    await deleteChunks(orphans, targets, run);
    await ledger.markChunksMissing([...known]);
  }
}
