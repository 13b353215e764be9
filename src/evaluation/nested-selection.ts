import { RAGError } from '../core/errors.js';
import { mean } from './metrics.js';
import { bootstrapInterval, pairedRandomisationTest } from './paired-test.js';
import { seededRandom, shuffled } from './random.js';

export interface NestedSelectionOptions {
  /** Parts that the queries are split into; each is held out once. @default 5 */
  readonly folds?: number;
  /** Random splits that are averaged, so that no single one decides. @default 20 */
  readonly repeats?: number;
  /** @default 1 */
  readonly seed?: number;
}

/** What choosing the best of many settings gains on queries that had no part in the choice. */
export interface NestedSelection {
  /** Position of the setting that is best over all queries. */
  readonly best: number;
  /** Its mean over the queries that chose it: too good to be true. */
  readonly bestMean: number;
  readonly currentMean: number;
  /** Mean over held-out queries of what was chosen without them. */
  readonly heldOutMean: number;
  /** `heldOutMean - currentMean`, its 95 % bootstrap interval, and the two-sided paired randomisation test of it. */
  readonly gain: number;
  readonly low: number;
  readonly high: number;
  readonly pValue: number;
  /** Share of all choices by position, for settings that were chosen at all. */
  readonly chosen: ReadonlyMap<number, number>;
  /** The gain is above 0, its interval too, and chance gives as much with p < 0.05. */
  readonly isGain: boolean;
}

const ALPHA = 0.05;

/**
 * Chooses among settings by their values on queries, and says honestly what the choice is worth: for each fold the best
 * setting of the other folds is taken and its values on the fold count, so that the best of many settings that differ by
 * chance alone gains nothing (nested cross-validation; Cawley and Talbot, JMLR 2010). Ties go to the earlier setting;
 * the first is the current one.
 *
 * @param values By setting, then by query, the same queries in the same order.
 * @throws RAGError `USAGE` where there are fewer queries than folds, or nothing to choose from.
 */
export function selectNested(
  values: readonly (readonly number[])[],
  { folds = 5, repeats = 20, seed = 1 }: NestedSelectionOptions = {},
): NestedSelection {
  const [current] = values;
  if (current === undefined || folds < 2 || current.length < folds)
    throw new RAGError(
      'USAGE',
      `Choosing settings with ${folds} folds needs at least 2 folds and as many judged queries; there are ${current?.length ?? 0} queries.`,
    );
  const { heldOut, chosen } = heldOutValues(values, { folds, repeats, random: seededRandom(seed) });
  const best = bestOf(values.map((row) => mean(row)));
  const { difference: gain, pValue } = pairedRandomisationTest(current, heldOut, { seed });
  const { low, high } = bootstrapInterval(current, heldOut, { seed });
  return {
    best,
    bestMean: mean(values[best] ?? []),
    currentMean: mean(current),
    heldOutMean: mean(heldOut),
    gain,
    low,
    high,
    pValue,
    chosen,
    isGain: gain > 0 && low > 0 && pValue < ALPHA,
  };
}

interface Splits {
  readonly folds: number;
  readonly repeats: number;
  readonly random: () => number;
}

function heldOutValues(
  values: readonly (readonly number[])[],
  { folds, repeats, random }: Splits,
): { heldOut: number[]; chosen: Map<number, number> } {
  const queries = values[0]?.length ?? 0;
  const sums = new Float64Array(queries);
  const chosen = new Map<number, number>();
  const totals = values.map((row) => row.reduce((sum, value) => sum + value, 0));
  for (let repeat = 0; repeat < repeats; repeat++) {
    const order = shuffled(
      Array.from({ length: queries }, (_, i) => i),
      random,
    );
    for (let fold = 0; fold < folds; fold++) {
      const held = order.filter((_, place) => place % folds === fold);
      const choice = bestOf(values.map((row, i) => (totals[i] ?? 0) - sumAt(row, held)));
      chosen.set(choice, (chosen.get(choice) ?? 0) + 1 / (folds * repeats));
      for (const query of held) sums[query] = (sums[query] ?? 0) + (values[choice]?.[query] ?? 0);
    }
  }
  return { heldOut: Array.from(sums, (sum) => sum / repeats), chosen };
}

const sumAt = (row: readonly number[], places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);

// Sums of the same values in another order differ in their last bits; that must not unseat an earlier setting.
const ROUNDING = 1e-9;

function bestOf(scores: readonly number[]): number {
  let best = 0;
  scores.forEach((score, i) => {
    if (score > (scores[best] ?? Number.NEGATIVE_INFINITY) + ROUNDING) best = i;
  });
  return best;
}
