import type { Ledger, LedgerItem } from '../ledger/ledger.js';
import {
  coversItem,
  isUnreadable,
  type Source,
  type SourceItem,
  type UnreadableItem,
} from '../sources/source.js';

/** After this many failures of one version an item is left alone until it changes or `--force` is given (a dead letter). */
export const MAX_ATTEMPTS = 5;

/** What a listing of a source means for the index. */
export interface SourceChanges {
  /** Must be read. */
  readonly toRead: readonly SourceItem[];
  readonly unreadable: readonly UnreadableItem[];
  /** Failed `MAX_ATTEMPTS` times at their present version. */
  readonly deadLetters: readonly LedgerItem[];
  /** Known to the ledger and no longer in the source. */
  readonly goneItemIds: readonly string[];
  readonly unchangedItemIds: readonly string[];
}

export interface ListContext {
  readonly tenant: string;
  readonly ledger: Pick<Ledger, 'items'>;
  readonly processingKey: string;
  readonly force: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Compares one listing of a source with the ledger. Reads nothing but what the source needs to name versions. */
export async function listChanges(source: Source, context: ListContext): Promise<SourceChanges> {
  const known = context.ledger.items(context.tenant, source.name);
  const seen = new Set<string>();
  const toRead: SourceItem[] = [];
  const unreadable: UnreadableItem[] = [];
  const deadLetters: LedgerItem[] = [];
  const unchangedItemIds: string[] = [];
  for await (const item of source.list(context.signal === undefined ? {} : { signal: context.signal })) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    if (isUnreadable(item)) {
      unreadable.push(item);
      continue;
    }
    const before = known.get(item.id);
    if (context.force || before === undefined) toRead.push(item);
    else if (isCurrent(before, item, context.processingKey)) unchangedItemIds.push(item.id);
    else if (isDeadLetter(before, item)) deadLetters.push(before);
    else toRead.push(item);
  }
  // What an unreadable folder holds is unknown, so none of it counts as gone.
  const isKept = (id: string): boolean => seen.has(id) || unreadable.some((item) => coversItem(item, id));
  const goneItemIds = source.listing === 'complete' ? [...known.keys()].filter((id) => !isKept(id)) : [];
  return { toRead, unreadable, deadLetters, goneItemIds, unchangedItemIds };
}

function isCurrent(before: LedgerItem, item: SourceItem, processingKey: string): boolean {
  return (
    before.status === 'indexed' && before.version === item.version && before.processingKey === processingKey
  );
}

function isDeadLetter(before: LedgerItem, item: SourceItem): boolean {
  return (
    before.status === 'failed' && before.attempts >= MAX_ATTEMPTS && before.error?.version === item.version
  );
}
