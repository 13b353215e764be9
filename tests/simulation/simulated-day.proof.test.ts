import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import { dayPlot } from './day-plot.js';
import { type DayResult, simulateDay } from './simulated-day.js';

/** File that the plot is written to. */
const PLOT = process.env.RAGSTONE_PLOT;
const PLAN = IS_LONG
  ? { seed: 20_260_101, hours: 24, edits: 10_000, deaths: 3, outageMinutes: 90, restartMinutes: 20 }
  : { seed: 20_260_101, hours: 1, edits: 420, deaths: 1, outageMinutes: 7, restartMinutes: 3 };
/** A turn of each source every 5 minutes, and what one takes. */
const MOST_LAG = 5.5;
/** A look a minute, and a turn after something is over. */
const AFTER = MOST_LAG + 1;

/** Looks at times in which everything could be reached, and a turn came since. */
const undisturbed = ({ samples, disturbances }: DayResult) =>
  samples.filter(
    ({ minute }) =>
      minute > AFTER && !disturbances.some(({ from, until }) => minute >= from && minute <= until + AFTER),
  );

it('over a day of edits, outages and deaths the index is behind by one turn, by an outage and no longer, and in step at the end', async () => {
  const result = await simulateDay(PLAN);
  const { samples, disturbances, driftAtEnd, edits, triggers } = result;
  if (PLOT !== undefined) writeFileSync(PLOT, dayPlot(result));
  const worst = (some: typeof samples) => Math.max(...some.map(({ lag }) => lag));
  const quiet = undisturbed(result);
  console.log({
    ...{ steps: result.steps, edits, runs: result.runs, failedRuns: result.failedRuns, triggers },
    ...{ documents: result.documents, looks: samples.length, quiet: quiet.length },
    ...{ mostDrift: Math.max(...samples.map(({ drift }) => drift)), mostLag: worst(samples) },
    ...{ mostLagUndisturbed: worst(quiet), disturbances },
  });
  expect(edits).toBe(PLAN.edits);
  expect(disturbances.filter(({ kind }) => kind === 'outage')).toHaveLength(2);
  expect(disturbances.filter(({ kind }) => kind === 'death')).toHaveLength(PLAN.deaths);
  // Turns that came while nothing ran are taken by the next process.
  expect(triggers.missed).toBeGreaterThan(0);
  expect(triggers.retry).toBeGreaterThan(0);
  expect(quiet.length).toBeGreaterThan(samples.length / 4);
  expect(worst(quiet)).toBeLessThan(MOST_LAG);
  expect(worst(samples)).toBeLessThan(PLAN.outageMinutes + AFTER + PLAN.restartMinutes);
  expect(samples.at(-1)).toMatchObject({ drift: 0, lag: 0 });
  expect(driftAtEnd).toEqual([]);
}, 600_000);
