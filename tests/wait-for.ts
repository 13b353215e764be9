import { vi } from 'vitest';

/** Long enough for a machine that does ten other things; what hangs is ended by it. Milliseconds. */
const LIMIT_MS = 240_000;
const INTERVAL_MS = 10;

/** Waits until the assertions hold. */
export const waitFor = <Result>(assertions: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(assertions, { timeout: LIMIT_MS, interval: INTERVAL_MS });
