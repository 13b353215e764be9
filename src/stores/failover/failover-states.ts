/** How one of several stores is. */
export interface StoreState {
  /** As the configuration names it. */
  readonly name: string;
  /** Asked first. */
  readonly isActive: boolean;
  /**
   * `ready`: it has every write and answers. `behind`: it catches up. `copying`: it is copied from another one. `out`: it does not
   * answer. `foreign`: it does not hold what was written, and no other store has everything.
   */
  readonly state: 'ready' | 'behind' | 'copying' | 'out' | 'foreign';
  /** Writes that it lacks, as far as is known. */
  readonly lag: number;
  /** `open`: it is left alone. `half-open`: one request finds out whether it is back. */
  readonly breaker: 'closed' | 'open' | 'half-open';
  /** Why, in words; absent where it is ready. */
  readonly detail?: string | undefined;
  /** Since when it has been behind. ISO-8601 UTC */
  readonly since?: string | undefined;
}

/** How the stores of an index are, and what the journal keeps for them. */
export interface StoresStatus {
  readonly active: string;
  readonly dualWrite: boolean;
  readonly stores: readonly StoreState[];
  readonly journal: {
    /** Writes, and bytes of them. */
    readonly writes: number;
    readonly bytes: number;
    readonly maxBytes: number;
  };
}
