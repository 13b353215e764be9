import { ageMs } from '../core/age.js';
import { canonicalJson } from '../core/canonical-json.js';
import type { Metadata } from '../core/metadata.js';
import { runtime } from '../core/runtime.js';
import { slicesOf } from '../core/slices.js';
import { allVersions } from '../ledger/history/all-versions.js';
import type { CompletedItem, LedgerDocument, LedgerItem } from '../ledger/ledger.js';
import { deleteDocuments } from './delete-documents.js';
import { isLeaseLost, type SourceKey } from './item-claims.js';
import type { PreparedItem } from './read-item.js';
import type { Retention, SourceTask } from './source-task.js';

const PAGE = 500;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:$|T)/;

type Age = 'old' | 'young' | 'unknown';

/** Whether a document is past its age; `unknown` where its date is missing or is none, and then it is kept. */
function ageOfDocument(metadata: Metadata, { maxAge, dateField }: Retention): Age {
  if (maxAge === undefined) return 'young';
  const value = metadata[dateField];
  const time = typeof value === 'string' && ISO_DATE.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return 'unknown';
  return time < runtime().now() - ageMs(maxAge) ? 'old' : 'young';
}

/** An item without its documents that are past their age: they are not indexed, and deleted where they were. */
export function withoutExpired(prepared: PreparedItem, { configured, run }: SourceTask): PreparedItem {
  const { retention, source } = configured;
  if (retention?.maxAge === undefined) return prepared;
  const documents = prepared.documents.filter((document) => {
    const isOld = ageOfDocument(document.metadata, retention) === 'old';
    if (isOld) void document.batches.return?.();
    return !isOld;
  });
  const left = prepared.documents.length - documents.length;
  if (left > 0) run.of(prepared.item.id).countRetention(source.name, { leftOut: left });
  return { ...prepared, documents };
}

/** Deletes what has come of age since it was indexed, and texts of more versions than are kept. Items stay known, so none is read again. */
export async function carryOutRetention(key: SourceKey, task: SourceTask): Promise<void> {
  const { configured, targets, options, run } = task;
  const { retention } = configured;
  if (retention === undefined) return;
  const { ledger } = targets;
  if (retention.maxAge !== undefined) {
    const { removed, undated } = await removeOld(key, retention, task);
    if (!options.dryRun) await eraseOldVersions(key, retention, task);
    run.documentsDeleted += removed;
    run.countRetention(key.source, { removed, undated });
  }
  if (retention.versions === undefined) return;
  const versions = await ledger.pruneVersions(key.tenant, key.source, retention.versions, {
    dryRun: options.dryRun,
  });
  if (!options.dryRun) await eraseMoreVersions(key, retention.versions, task);
  run.countRetention(key.source, { versions });
}

async function agesOf(
  { tenant, source }: SourceKey,
  retention: Retention,
  { targets: { ledger }, options: { scope }, run }: SourceTask,
): Promise<{ readonly old: LedgerDocument[]; readonly undated: number }> {
  const old: LedgerDocument[] = [];
  let undated = 0;
  for (let after: string | undefined; ; ) {
    run.checkAborted();
    const page = await ledger.documents(after, PAGE);
    for (const document of page) {
      if (document.tenant !== tenant || document.source !== source) continue;
      if (scope.project !== undefined && document.project !== scope.project) continue;
      const age = ageOfDocument(document.metadata, retention);
      if (age === 'old') old.push(document);
      if (age === 'unknown') undated++;
    }
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) return { old, undated };
  }
}

interface Aged {
  readonly removed: number;
  readonly undated: number;
}

/** Looks again where another writer took over what was being deleted: it may have made something younger of it. */
async function removeOld(key: SourceKey, retention: Retention, task: SourceTask): Promise<Aged> {
  for (let removed = 0; ; ) {
    const { old, undated } = await agesOf(key, retention, task);
    if (task.options.dryRun) return { removed: old.length, undated };
    try {
      for (const some of slicesOf(old, PAGE)) removed += await deleteOld(key, some, task);
      return { removed, undated };
    } catch (error) {
      if (!isLeaseLost(error)) throw error;
    }
  }
}

/** Beside other writers those that are not held; the next run deletes the others. */
async function deleteOld(
  key: SourceKey,
  old: readonly LedgerDocument[],
  { targets, run }: SourceTask,
): Promise<number> {
  const itemIds = [...new Set(old.map(({ itemId }) => itemId))];
  const held = (await targets.claims?.take(key, itemIds)) ?? new Set(itemIds);
  const mine = old.filter(({ itemId }) => held.has(itemId));
  if (mine.length === 0) return 0;
  const known = await targets.ledger.items(key.tenant, key.source);
  await deleteDocuments(
    mine.map(({ documentId }) => documentId),
    { ...targets, items: mine },
    run,
  );
  await targets.history?.erase(mine.map(({ documentId }) => documentId));
  // A planned deletion marks its items as unfinished, so that they are read again after a crash.
  await targets.ledger.completeItems([...held].flatMap((itemId) => finished(known.get(itemId))));
  await targets.claims?.release(key, [...held]);
  return mine.length;
}

/** As it was read last, where that was done to its end. */
const finished = (item: LedgerItem | undefined): CompletedItem[] =>
  item?.status !== 'indexed' || item.version === undefined || item.processingKey === undefined
    ? []
    : [{ ...item, version: item.version, processingKey: item.processingKey }];

/** What a document was before goes from the history when that is past its age, whatever became of the document. */
async function eraseOldVersions(
  { tenant, source }: SourceKey,
  retention: Retention,
  { targets: { history }, options: { scope } }: SourceTask,
): Promise<void> {
  const old: number[] = [];
  for await (const version of allVersions(history, tenant)) {
    if (version.source !== source) continue;
    if (scope.project !== undefined && version.project !== scope.project) continue;
    if (ageOfDocument(version.metadata, retention) === 'old') old.push(version.id);
  }
  for (const some of slicesOf(old, PAGE)) await history?.eraseVersions(some);
}

/** Of each document so many versions stay in the history, the newest of each generation, the present one included. */
async function eraseMoreVersions(
  { tenant, source }: SourceKey,
  keep: number,
  { targets: { history } }: SourceTask,
): Promise<void> {
  const ofDocuments = new Map<string, number[]>();
  for await (const { id, documentId, generation, source: of } of allVersions(history, tenant)) {
    if (of !== source) continue;
    const key = `${generation} ${documentId}`;
    ofDocuments.set(key, [...(ofDocuments.get(key) ?? []), id]);
  }
  // Ids grow with the versions of a document.
  const more = [...ofDocuments.values()].flatMap((ids) => ids.slice(0, -keep));
  for (const some of slicesOf(more, PAGE)) await history?.eraseVersions(some);
}

/** What of a retention decides what an item becomes: with another age, everything is read again. Nothing where none is stated. */
export const retentionKey = (retention: Retention | undefined): { readonly retention?: string } =>
  retention?.maxAge === undefined
    ? {}
    : { retention: canonicalJson([retention.maxAge, retention.dateField]) };
