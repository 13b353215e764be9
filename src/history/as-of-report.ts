/** Which state of the index was searched. */
export interface AsOfReport {
  /** The moment, ISO-8601 UTC. */
  readonly at: string;
  /** Earliest moment that can be asked for, ISO-8601 UTC. */
  readonly begins: string;
  /** The tag that was asked for, of this source, and its commit. */
  readonly tag?: { readonly name: string; readonly source: string; readonly commit: string } | undefined;
}
