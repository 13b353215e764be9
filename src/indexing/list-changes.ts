import { withoutUndefined } from '../core/without-undefined.js';
import type { GenerationReader, LedgerItem } from '../ledger/ledger.js';
import type { PendingItem } from '../ledger/pending-work.js';
import { DEFAULT_RETRY_POLICY, failedAlike, isAhead, type RetryPolicy } from '../operations/retry-policy.js';
import {
  coversItem,
  isDeleted,
  isListingEnd,
  isUnreadable,
  type ListedChange,
  type ListingEnd,
  type Source,
  type SourceItem,
  type UnreadableItem,
} from '../sources/source.js';
import type { BlockedItems } from './blocked-items.js';
import { type ItemProcessing, isReadAlike, itemKey } from './item-keys.js';

/** What a listing of a source means for the index. */
export interface SourceChanges {
  /** Must be read. */
  readonly toRead: readonly SourceItem[];
  readonly unreadable: readonly UnreadableItem[];
  /** Optional and unreadable, and nothing of it is indexed: a person should know, and nothing is wrong. */
  readonly waived: readonly UnreadableItem[];
  /** Failed as often as they are tried at their present version. */
  readonly deadLetters: readonly LedgerItem[];
  /** Failed at their present version, and their next attempt is not due yet. */
  readonly waiting: readonly LedgerItem[];
  /** Known to the ledger and no longer in the source. */
  readonly goneItemIds: readonly string[];
  readonly unchangedItemIds: readonly string[];
  /** Listed, and left out because they were forgotten on purpose. */
  readonly blockedItemIds: readonly string[];
  /** What the ledger knew before the listing began, by id. */
  readonly known: ReadonlyMap<string, LedgerItem>;
  /** Where the next listing goes on, once everything of this one is done. */
  readonly cursor?: string;
}

export interface ListContext extends ItemProcessing {
  readonly tenant: string;
  readonly ledger: Pick<GenerationReader, 'items'>;
  readonly force: boolean;
  /** @default DEFAULT_RETRY_POLICY */
  readonly retry?: RetryPolicy | undefined;
  /** Items that are tried now, however often they failed and whenever their next attempt is. */
  readonly retried?: ReadonlySet<string> | undefined;
  /** Cursor of the last complete run. Absent: everything is listed. */
  readonly since?: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told of each item that is named. */
  readonly onItem?: (() => void) | undefined;
  /** @default nothing */
  readonly blocked?: BlockedItems | undefined;
  /**
   * What an earlier listing named and nobody has dealt with yet, as it was before this one began. What of it is named now is to be
   * read whatever the ledger knows, for somebody may be writing it; what is not is still pending. @default nothing
   */
  readonly pending?: ReadonlyMap<string, PendingItem> | undefined;
  /** What is indexed of the source now, where `ledger` is of a generation that is being filled. @default what `ledger` knows */
  readonly held?: ReadonlyMap<string, LedgerItem> | undefined;
}

/** Compares one listing of a source with the ledger. Reads nothing but what the source needs to name versions. */
export async function listChanges(source: Source, context: ListContext): Promise<SourceChanges> {
  const { ledger, tenant, signal, since } = context;
  const known = await ledger.items(tenant, source.name, source.itemIds);
  const listing = new Listing(known, { ...context, isHandedIn: source.itemIds !== undefined });
  const options = withoutUndefined({ since, signal });
  const listed = source.listChanges?.(options) ?? source.list(options);
  for await (const item of listed) {
    listing.take(item);
    context.onItem?.();
  }
  // A listing of changes says itself what it leaves out.
  return listing.changes(source.listing === 'complete' && source.listChanges === undefined);
}

/** What a listing means for some of the items; a folder that cannot be listed, and may hold one of them, is among it. */
export const onlyOf = (changes: SourceChanges, itemIds: ReadonlySet<string>): SourceChanges => ({
  ...changes,
  toRead: changes.toRead.filter(({ id }) => itemIds.has(id)),
  unreadable: changes.unreadable.filter((item) => [...itemIds].some((id) => coversItem(item, id))),
  waived: [],
  deadLetters: changes.deadLetters.filter(({ itemId }) => itemIds.has(itemId)),
  waiting: changes.waiting.filter(({ itemId }) => itemIds.has(itemId)),
  goneItemIds: changes.goneItemIds.filter((id) => itemIds.has(id)),
  unchangedItemIds: changes.unchangedItemIds.filter((id) => itemIds.has(id)),
  blockedItemIds: [],
});

type SortingContext = Pick<
  ListContext,
  'force' | 'processingKey' | 'formats' | 'retry' | 'retried' | 'blocked' | 'pending' | 'held'
> & {
  readonly isHandedIn: boolean;
};

/** Sorts the items of one listing by what has to be done for them. */
class Listing {
  readonly #known: ReadonlyMap<string, LedgerItem>;
  readonly #context: SortingContext;
  readonly #seen = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #toRead: SourceItem[] = [];
  readonly #unreadable: UnreadableItem[] = [];
  readonly #waived: UnreadableItem[] = [];
  readonly #deadLetters: LedgerItem[] = [];
  readonly #waiting: LedgerItem[] = [];
  readonly #unchanged: string[] = [];
  readonly #blocked: string[] = [];
  #end: ListingEnd | undefined;

  constructor(known: ReadonlyMap<string, LedgerItem>, context: SortingContext) {
    this.#known = known;
    this.#context = context;
  }

  take(item: ListedChange): void {
    if (isListingEnd(item)) {
      this.#end = item;
      return;
    }
    if (this.#seen.has(item.id)) return;
    if (isUnreadable(item) && this.#isWaived(item)) {
      // Not seen: a failure that an earlier run recorded of it is forgotten.
      this.#waived.push(item);
      return;
    }
    this.#seen.add(item.id);
    // Not even a failure of it is recorded, which would name it.
    if (!isDeleted(item) && this.#context.blocked?.hasItem(item.id) === true) this.#blocked.push(item.id);
    else if (isUnreadable(item)) this.#unreadable.push(item);
    else if (isDeleted(item)) this.#deleted.add(item.id);
    else this.#sort(item);
  }

  #isWaived(item: UnreadableItem): boolean {
    // A folder's id in the ledger is a failure recorded of it, no document.
    const isHeld = (id: string): boolean => !id.endsWith('/') && coversItem(item, id);
    const { held = this.#known } = this.#context;
    return item.isOptional === true && ![...held.keys()].some(isHeld);
  }

  changes(isComplete: boolean): SourceChanges {
    const goneItemIds = this.#goneItemIds(isComplete);
    this.#takeUnfinished(new Set(goneItemIds));
    this.#takeOwed(goneItemIds);
    return {
      toRead: this.#toRead,
      unreadable: this.#unreadable,
      waived: this.#waived,
      deadLetters: this.#deadLetters,
      waiting: this.#waiting,
      goneItemIds,
      unchangedItemIds: this.#unchanged,
      blockedItemIds: this.#blocked,
      known: this.#known,
      ...(this.#end === undefined ? {} : { cursor: this.#end.cursor }),
    };
  }

  #sort(item: SourceItem): void {
    const { force, retried, isHandedIn, retry = DEFAULT_RETRY_POLICY } = this.#context;
    const before = this.#known.get(item.id);
    if (this.#isBeingWritten(item)) this.#toRead.push(item);
    else if (force || before === undefined || retried?.has(item.id)) this.#toRead.push(item);
    else if (isCurrent(before, item, this.#context)) this.#unchanged.push(item.id);
    // A document that is handed in is tried.
    else if (
      isHandedIn ||
      !failedAlike(before, { version: item.version, processingKey: itemKey(item.id, this.#context) })
    )
      this.#toRead.push(item);
    else if (before.attempts >= retry.attempts) this.#deadLetters.push(before);
    else if (isAhead(before.error?.nextAttemptAt)) this.#waiting.push(before);
    else this.#toRead.push(item);
  }

  #goneItemIds(isComplete: boolean): string[] {
    const present = this.#end?.present;
    const isPresent = (id: string): boolean => {
      if (this.#deleted.has(id)) return false;
      if (this.#seen.has(id)) return true;
      // What an unreadable folder holds is unknown, so none of it counts as gone.
      if (this.#unreadable.some((item) => coversItem(item, id))) return true;
      if (isComplete || present === 'listed') return false;
      return present === undefined || present.has(id);
    };
    const pending = this.#context.pending?.keys() ?? [];
    return [...new Set([...this.#known.keys(), ...pending])].filter((id) => !isPresent(id));
  }

  /** Owed in another version, or in this one and not tried without success before. */
  #isBeingWritten({ id, version }: SourceItem): boolean {
    const pending = this.#context.pending?.get(id);
    return pending !== undefined && pending.version !== version;
  }

  /** What this listing says nothing of is pending as it was. */
  #takeOwed(goneItemIds: string[]): void {
    const gone = new Set(goneItemIds);
    const named = new Set(this.#toRead.map(({ id }) => id));
    for (const { itemId: id, version, bytes } of this.#context.pending?.values() ?? []) {
      if (gone.has(id) || named.has(id) || this.#seen.has(id)) continue;
      if (this.#unreadable.some((other) => coversItem(other, id))) continue;
      if (version === undefined) goneItemIds.push(id);
      else this.#toRead.push({ id, version, ...withoutUndefined({ bytes }) });
    }
  }

  /** A listing of changes names no item twice: what an earlier run could not finish is known to the ledger alone. */
  #takeUnfinished(gone: ReadonlySet<string>): void {
    // Without an end nobody promises that items can be read that were not named.
    if (this.#end === undefined) return;
    for (const [id, item] of this.#known) {
      // A folder that could not be listed is no item to read.
      if (id.endsWith('/')) continue;
      if (
        this.#seen.has(id) ||
        gone.has(id) ||
        this.#context.pending?.has(id) ||
        this.#unreadable.some((other) => coversItem(other, id))
      )
        continue;
      this.#sort({ id, version: item.error?.version ?? item.version ?? UNKNOWN_VERSION });
    }
  }
}

/** Version of an item that was named once and never read: any listing that names it again says another one. */
const UNKNOWN_VERSION = '';

function isCurrent(before: LedgerItem, item: SourceItem, processing: ItemProcessing): boolean {
  return (
    before.status === 'indexed' &&
    before.version === item.version &&
    isReadAlike(before.processingKey, item.id, processing)
  );
}
