import type { RawDocument } from '../core/document.js';
import type { RAGError } from '../core/errors.js';

/** One thing a source can read: a file, a page, a work item. A file that holds many documents is one item. */
export interface SourceItem {
  /** Stable identity inside the source; for files the path relative to the source's root, with `/`. */
  readonly id: string;
  /** Changes whenever the content does: a content hash, a revision number. Equal version = nothing to do. */
  readonly version: string;
  /** Bytes, where known, for progress. */
  readonly bytes?: number;
}

/** An item that is there but cannot be listed or read; reported, and what was indexed of it before is kept. */
export interface UnreadableItem {
  /** An item's id, or, ending in `/`, a folder's: then everything below it is unknown. See {@link coversItem}. */
  readonly id: string;
  readonly error: RAGError;
  /** Read by default, not because somebody asked for it: no failure as long as nothing of it was ever indexed. */
  readonly isOptional?: boolean;
}

/** An item that a listing of changes names as deleted. */
export interface DeletedItem {
  readonly id: string;
  readonly isDeleted: true;
}

/** The last thing that a source with a cursor lists. */
export interface ListingEnd {
  /** Where the next listing goes on: `ListChangesOptions.since` of the next run. */
  readonly cursor: string;
  /**
   * What is known and was not named is gone: `listed` where this listing named every item; a set of every id that there is
   * where versions of changed items only were listed. Absent where nobody can tell: nothing is gone.
   */
  readonly present?: 'listed' | ReadonlySet<string>;
}

export type ListedItem = SourceItem | UnreadableItem;
export type ListedChange = ListedItem | DeletedItem | ListingEnd;

export const isUnreadable = (item: ListedChange): item is UnreadableItem => 'error' in item;
export const isDeleted = (item: ListedChange): item is DeletedItem => 'isDeleted' in item;
export const isListingEnd = (item: ListedChange): item is ListingEnd => 'cursor' in item;

/** What a listing of changes names, without what is gone and where it ends. */
export async function* itemsOf(changes: AsyncIterable<ListedChange>): AsyncGenerator<ListedItem> {
  for await (const item of changes) if (!isListingEnd(item) && !isDeleted(item)) yield item;
}

/** Whether an item missing from a listing must be kept because of this report: it is the item, or its folder. */
export const coversItem = (unreadable: UnreadableItem, itemId: string): boolean =>
  unreadable.id === itemId || (unreadable.id.endsWith('/') && itemId.startsWith(unreadable.id));

export interface ListOptions {
  readonly signal?: AbortSignal;
}

export interface ListChangesOptions extends ListOptions {
  /** Cursor of an earlier listing. Absent, unreadable or too old: everything is listed. */
  readonly since?: string;
}

/** What came out of one item: its documents, and those of them that could not be read. */
export interface ReadResult {
  readonly documents: readonly RawDocument[];
  readonly failures: readonly { readonly externalId: string; readonly error: RAGError }[];
  /** What was left out by rule, in words: nothing is wrong, and a person may want to know. */
  readonly notices?: readonly string[];
  /**
   * `SourceItem.version` of what was read, where it can tell: it may have been changed since it was listed. Absent: the version that was
   * listed.
   */
  readonly version?: string;
}

/**
 * Where documents come from. Listing everything each time makes deletions visible: what is no longer listed is gone.
 * A source whose root cannot be listed at all throws, so that an unmounted folder never looks like a mass deletion.
 */
export interface Source {
  /** Name from the configuration; part of every document's identity. */
  readonly name: string;
  readonly type: string;
  /** `complete`: `list` names every item, and what it does not name is gone. `incremental`: nothing is known of the rest. */
  readonly listing: 'complete' | 'incremental';
  /** Chunking that fits these documents better than the configured default, if any. */
  readonly preferredChunking?: string;
  /**
   * The only items that an incremental listing can name, where they are known before: a run then looks at no others, however many
   * the source has had. Absent: any.
   */
  readonly itemIds?: readonly string[] | undefined;
  list(options?: ListOptions): AsyncIterable<ListedItem>;
  /**
   * Where the source can tell what changed: only that, and a `ListingEnd` last, which is recorded once the run is through. A
   * run that was stopped lists the same changes again.
   */
  listChanges?(options: ListChangesOptions): AsyncIterable<ListedChange>;
  /**
   * What will be read next, in this order, so that a source can fetch it in batches. Another process may have listed it, later than this
   * object was opened: what is kept from earlier reads is used no more, unless it is of these versions.
   */
  expectReads?(items: readonly SourceItem[]): void;
  /** What the last complete listing left out by rule, in words. */
  listingNotices?(): readonly string[];
  /** How much the last complete listing left out by rule, by kind: `{ png: 12, hidden: 3 }`. */
  listingSkipped?(): Readonly<Record<string, number>>;
  /** The state that the last complete listing named, where states have names of their own: a commit. */
  listedState?(): string | undefined;
  /** States by the names that people give them: commits by tags. Nothing is listed. */
  namedStates?(signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /**
   * @throws RAGError `DOCUMENT_VANISHED` where the item is in the source no more. Where the source lists changes, what was indexed of it is removed; else the next
   *   listing shows what is gone.
   */
  read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult>;
}
