import { expect, it } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import { type SimulationResult, simulate } from './simulate.js';

/** Events of all worlds together. */
const EVENTS = IS_LONG ? 5_000_000 : 100_000;
/** Events of one world, before it comes to its end. */
const EVENTS_OF_WORLD = 4_000;
/** The same worlds in each gate; others each time where there is time. */
const FIRST_SEED = IS_LONG ? 1_000 * Math.floor(Math.random() * 2 ** 31) : 20_260_101;
/** `SEED:EVENTS`, as a failure prints it; `all`: every world, however many fail. */
const REPLAYED = process.env.RAGSTONE_SIMULATE;

/** What to do about a failure, and what came before it. */
async function reportOf(seed: number, failed: SimulationResult): Promise<string> {
  const [events, shortest] = await shortened(seed, failed);
  return [
    `${shortest.failure?.message}`,
    `Replay it: RAGSTONE_SIMULATE=${seed}:${events} npx vitest run tests/simulation/simulation.proof.test.ts`,
    ...(shortest.failure?.recent ?? []),
  ].join('\n');
}

/** A world that comes to its end sooner may be wrong, too: then fewer events have to be looked at. */
async function shortened(
  seed: number,
  failed: SimulationResult,
): Promise<[events: number, result: SimulationResult]> {
  for (let events = 50; events < Math.min(failed.steps, EVENTS_OF_WORLD); events = Math.ceil(1.4 * events)) {
    const result = await simulate(seed, events);
    if (result.failure !== undefined) return [events, result];
  }
  return [EVENTS_OF_WORLD, failed];
}

async function check(seed: number, events: number): Promise<SimulationResult> {
  const result = await simulate(seed, events);
  if (result.failure !== undefined) throw new Error(await reportOf(seed, result));
  return result;
}

it.runIf(REPLAYED === undefined)(
  'the same seed leads to the same events, another one to others',
  async () => {
    const of = async (seed: number) => (await simulate(seed, EVENTS_OF_WORLD)).hash;
    expect(await of(1)).toBe(await of(1));
    expect(await of(1)).not.toBe(await of(2));
  },
);

it.runIf(REPLAYED === undefined)(
  'whatever breaks, no search shows a mix, and in the end one run makes the index what its sources are',
  async () => {
    const sums = { steps: 0, worlds: 0, searches: 0, runs: 0, deaths: 0 };
    while (sums.steps < EVENTS) {
      const { steps, searches, runs, deaths } = await check(FIRST_SEED + sums.worlds, EVENTS_OF_WORLD);
      sums.worlds += 1;
      sums.steps += steps;
      sums.searches += searches;
      sums.runs += runs;
      sums.deaths += deaths;
    }
    console.log(`simulated from seed ${FIRST_SEED}: ${JSON.stringify(sums)}`);
    // Enough happens that something could be seen.
    expect(sums.searches).toBeGreaterThan(EVENTS / 200);
    expect(sums.runs).toBeGreaterThan(EVENTS / 2_000);
    expect(sums.deaths).toBeGreaterThan(EVENTS / 4_000);
  },
  IS_LONG ? 7_200_000 : 300_000,
);

it.runIf(REPLAYED === 'all')(
  'how many worlds are wrong',
  async () => {
    const wrong: string[] = [];
    let worlds = 0;
    for (let steps = 0; steps < EVENTS; worlds++) {
      const result = await simulate(FIRST_SEED + worlds, EVENTS_OF_WORLD);
      steps += result.steps;
      if (result.failure !== undefined) wrong.push(`${FIRST_SEED + worlds} ${result.failure.message}`);
    }
    if (wrong.length > 0)
      throw new Error(`${wrong.length} of ${worlds} worlds are wrong\n${wrong.join('\n')}`);
  },
  IS_LONG ? 7_200_000 : 300_000,
);

it.runIf(REPLAYED !== undefined && REPLAYED !== 'all')('the world that was asked for', async () => {
  const [seed = 0, events = EVENTS_OF_WORLD] = (REPLAYED ?? '').split(':').map(Number);
  const { failure, ...result } = await simulate(seed, events);
  if (failure !== undefined) throw new Error([failure.message, ...failure.recent].join('\n'));
  console.log(result);
});
