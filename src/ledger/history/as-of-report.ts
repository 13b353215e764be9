/** Which state of the index was searched. */
export interface AsOfReport {
  /** The moment, ISO-8601 UTC. */
  readonly at: string;
  /** Earliest moment that can be asked for, ISO-8601 UTC. */
  readonly begins: string;
  /** The tag that was asked for, of this source, and its commit. */
  readonly tag?: { readonly name: string; readonly source: string; readonly commit: string } | undefined;
}

/** What is kept of earlier states of the index. */
export interface HistoryStatus {
  /** `rag.history.keep`. */
  readonly keep: string;
  /** Earliest moment that can be asked for, ISO-8601 UTC; absent where history has not begun, or was broken: a run begins it. */
  readonly begins?: string | undefined;
  /** Versions of documents that were replaced or deleted. */
  readonly past: number;
  /** Versions that are there now: they are kept too. */
  readonly present: number;
  /** Bytes of all of them. */
  readonly bytes: number;
}
