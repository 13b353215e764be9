import fc from 'fast-check';
import { IS_LONG } from '../long-forms.js';

const SLOW_MS = Number(process.env.RAGSTONE_SLOW_MINUTES ?? 20) * 60_000;

/** A fixed number of cases with a fixed seed in the gate; 20 minutes of new ones where `RAGSTONE_SLOW` asks for them. */
export const forSlowRuns = Object.assign(
  (cases: number): fc.Parameters<unknown> =>
    IS_LONG
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SLOW_MS, markInterruptAsFailure: false }
      : { numRuns: cases, seed: 20_260_101 },
  { timeout: IS_LONG ? SLOW_MS + 5 * 60_000 : 60_000 },
);

/** As `fc.assert`; a long run says its seed before it begins, for a case that never ends, and at its end how many it saw. */
export async function assertForAll<T>(
  name: string,
  property: fc.IAsyncProperty<T>,
  cases: number,
): Promise<void> {
  const runs = forSlowRuns(cases);
  const seed = runs.seed ?? Math.floor(Math.random() * 2 ** 31);
  if (IS_LONG) console.log(`${name}: seed ${seed}`);
  const result = await fc.check(property, { ...runs, seed });
  if (IS_LONG) console.log(`${name}: ${result.numRuns} cases with seed ${seed}`);
  const report = await fc.asyncDefaultReportMessage(result);
  if (report !== undefined) throw new Error(report, { cause: result.errorInstance });
}
