/** Runs that a ledger remembers: every push is one. */
export const KEPT_RUNS = 1_000;
