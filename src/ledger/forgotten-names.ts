/** Names that are blocked, as hashes by a key, so that the ledger does not disclose them. See `blockedNameHash`. */
export interface BlockedNames {
  /** Of the hashes, in hexadecimal. */
  readonly key: string;
  readonly hashes: ReadonlySet<string>;
}

/** What was forgotten on purpose. A source may still hold it: it is not indexed again until it is let in. */
export interface ForgottenNames {
  /** What is blocked of a tenant, by key: several where what two indexes keep out was joined, none where nothing is. */
  blockedNames(tenant: string): Promise<readonly BlockedNames[]>;
  /** Blocks names from now on; `key` is one of `blockedNames` where there is any. `receipt` says by which forgetting. */
  block(
    tenant: string,
    names: { readonly key: string; readonly hashes: Iterable<string>; readonly receipt: string },
  ): Promise<void>;
  /**
   * Lets in again what a receipt blocked; says how many names. The next listing of every source is a whole one, so that it names them.
   */
  unblock(tenant: string, receipt: string): Promise<number>;
  /** Changes what is kept of ended runs: their statistics, as JSON, name documents. Says how many were changed. */
  editRuns(edit: (stats: string) => string): Promise<number>;
  /** Gives up the room of what was deleted, and the bytes in it. Absent where `GenerationWriter.purge` leaves nothing. */
  reclaim?(): Promise<void>;
}
