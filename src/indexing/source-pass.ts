import { oneOf } from '../core/filter.js';
import { runtime } from '../core/runtime.js';
import { slicesOf } from '../core/slices.js';
import { listPages } from '../stores/list-pages.js';
import type { IndexRun } from './index-run.js';
import { isLeaseLost, type SourceKey } from './item-claims.js';
import type { SourceTask } from './source-task.js';
import { deleteChunks, type WriteTargets } from './write-batch.js';

/** One source in one run, and what is left of it for later. */
export interface SourcePass extends SourceTask {
  /** Where the listing begins. */
  readonly since: string | undefined;
  /**
   * Items that another writer holds, or has changed since they were listed. With them, documents of which more may be in the
   * store than the ledger knows, because the lease was lost while they were written.
   */
  readonly left: Map<string, readonly string[]>;
  readonly seenDocuments: Set<string>;
}

export const keyOf = ({ configured, options }: SourceTask): SourceKey => ({
  tenant: options.scope.tenant,
  source: configured.source.name,
});

/** Does work on items that may turn out to be another writer's by now: then they are left for later. */
export async function orLeave(
  items: readonly { readonly itemId: string; readonly documentIds: readonly string[] }[],
  { left, seenDocuments }: SourcePass,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isLeaseLost(error)) throw error;
    for (const { itemId, documentIds } of items) {
      left.set(itemId, documentIds);
      for (const documentId of documentIds) seenDocuments.delete(documentId);
    }
  }
}

/** Items of which nothing was written that could be half done. */
export const nothingWritten = (itemIds: Iterable<string>) =>
  Array.from(itemIds, (itemId) => ({ itemId, documentIds: [] }));

/** Holds what is left and free by now, and mends its documents; nothing where nobody lets go of anything. */
export async function takeLeft(pass: SourcePass): Promise<ReadonlySet<string>> {
  const { left, targets, run } = pass;
  const { claims, signal } = targets;
  while (claims !== undefined && left.size > 0) {
    const deadline = runtime().elapsed() + 2 * claims.leaseMs;
    const free = await claims.takeAny(keyOf(pass), [...left.keys()], { deadline, signal });
    run.checkAborted();
    const unsure = Array.from(free, (itemId) => ({ itemId, documentIds: left.get(itemId) ?? [] }));
    for (const id of free) left.delete(id);
    await orLeave(unsure, pass, () =>
      healDocuments(
        unsure.flatMap(({ documentIds }) => documentIds),
        targets,
        run,
      ),
    );
    // They may be lost once more while they are mended.
    if (![...free].some((id) => left.has(id))) return free;
  }
  return new Set();
}

const PAGE = 500;
/** Documents in one filter. */
const BATCH = 200;

/**
 * After a lease was lost between the plan and the commit, the store may hold chunks of a revision that the ledger has forgotten,
 * and other ones of an older revision than the ledger says. Removes the former, and marks all others to be written again.
 * Claim the documents' items first.
 */
async function healDocuments(
  documentIds: readonly string[],
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { ledger, collection, signal } = targets;
  for (const batch of slicesOf(documentIds, BATCH)) {
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
