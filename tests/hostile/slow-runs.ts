const IS_SLOW = process.env.RAGSTONE_SLOW === '1';
const SLOW_MS = 20 * 60_000;

interface RunSettings {
  readonly numRuns: number;
  readonly seed?: number;
  readonly interruptAfterTimeLimit?: number;
  readonly markInterruptAsFailure?: boolean;
}

/** A fixed number of cases with a fixed seed in the gate; 20 minutes of new ones where `RAGSTONE_SLOW` asks for them. */
export const forSlowRuns = Object.assign(
  (cases: number): RunSettings =>
    IS_SLOW
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SLOW_MS, markInterruptAsFailure: false }
      : { numRuns: cases, seed: 20_260_101 },
  { timeout: IS_SLOW ? SLOW_MS + 60_000 : 60_000 },
);
