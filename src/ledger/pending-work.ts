/** An item that a listing named, and that nobody has dealt with since. */
export interface PendingItem {
  readonly itemId: string;
  /** `SourceItem.version` that is to be read. Absent: it is gone from its source, and from the index it is to go. */
  readonly version?: string | undefined;
  /** Where its source said so. */
  readonly bytes?: number | undefined;
  /** `LedgerItem.processingKey` of who listed it. */
  readonly processingKey: string;
  /** Items of one batch are done together. */
  readonly batch: string;
  /** ISO-8601 UTC. */
  readonly listedAt: string;
  /** How often somebody began it and came to no end: was killed over it, perhaps by it. */
  readonly begun: number;
}

/** Items that are done together. It is the same batch as long as its name is. */
export interface PendingBatch {
  readonly tenant: string;
  /** Absent: the documents are of no project. */
  readonly project?: string | undefined;
  readonly source: string;
  readonly batch: string;
}

/** How much is pending of a source, for one project of a tenant. */
export interface PendingCount {
  readonly tenant: string;
  /** Absent: for none. */
  readonly project?: string | undefined;
  readonly source: string;
  readonly items: number;
  /** Those of them that somebody holds now. */
  readonly held: number;
  readonly batches: number;
  /** When the oldest of them was listed, ISO-8601 UTC. */
  readonly since: string;
}

/** What is listed and not done: the truth of which a queue is a copy. */
export interface PendingWorkReader {
  /** All that is pending of a source, or of a batch of it, or the items that are named. */
  items(
    tenant: string,
    source: string,
    which?: { readonly batch?: string | undefined; readonly itemIds?: readonly string[] | undefined },
  ): Promise<PendingItem[]>;
  /** Batches with anything left, of all sources or one, those that were listed first before others. */
  batches(
    limit: number,
    of?: { readonly tenant: string; readonly source: string } | undefined,
  ): Promise<PendingBatch[]>;
  /** How many batches there are with anything left. */
  batchCount(): Promise<number>;
  /** In tenant, source and project order; a source of which nothing is pending is left out. */
  counts(): Promise<PendingCount[]>;
}

/**
 * Writes what is pending. `completeItems`, `failItem` and `forgetItems` settle what they deal with, in their own transaction: of an
 * item that was listed in another version since, that one is pending still.
 */
export interface PendingWorkWriter extends PendingWorkReader {
  /**
   * Adds items, in place of what was pending of them. The caller holds `LISTING` of the source, so that no older listing overwrites
   * a younger one; throws `INDEX_LEASE_LOST` where it does not any more.
   */
  add(of: Omit<PendingBatch, 'batch'>, items: readonly Omit<PendingItem, 'begun'>[]): Promise<void>;
  /** Nothing is left to do for items in these versions. */
  settle(
    tenant: string,
    source: string,
    items: readonly Pick<PendingItem, 'itemId' | 'version'>[],
  ): Promise<void>;
  /** Counts a beginning (`by` 1), or takes it back (-1). */
  begin(tenant: string, source: string, itemIds: readonly string[], by: 1 | -1): Promise<void>;
}

/** What is claimed, as if it were an item, by who lists a source: no item has such a name. */
export const LISTING = '//listing';
