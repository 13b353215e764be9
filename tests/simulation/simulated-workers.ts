import { type Engine, startWorkers, type Workable, type WorkerEvent, type Workers } from '../../src/index.js';
import type { LateWrites } from './late-writes.js';
import { EXPECTED, Wrong } from './outcomes.js';
import type { SeededRandom } from './seeded-random.js';

interface WorkersWorld {
  /** Of the process. */
  readonly name: string;
  readonly random: SeededRandom;
  readonly lateWrites: LateWrites;
  /** Whether errors of an end are to be expected. */
  readonly isEnding: () => boolean;
  readonly fail: (error: unknown) => void;
}

/** Starts the workers of a process; what no fault explains fails the simulation. */
export function startSimulatedWorkers(engine: Engine, world: WorkersWorld): Workers {
  const { name, random, isEnding, fail } = world;
  const onEvent = (event: WorkerEvent): void => {
    if (event.type === 'batch-failed' && !EXPECTED.has(event.reason) && !isEnding())
      fail(new Wrong(`A batch of ${name} failed: ${event.reason} ${event.message}`));
  };
  const workers = startWorkers(watched(engine, world), {
    concurrency: 1 + random.below(2),
    graceMs: random.chance(0.5) ? 20_000 : 100,
    onEvent,
  });
  workers.ended.catch((error: unknown) => {
    if (!isEnding()) fail(error);
  });
  return workers;
}

/** What a batch writes to the store is mended when it comes to its end. */
function watched(engine: Engine, { name, lateWrites }: WorkersWorld): Workable {
  return {
    workPlan: () => {
      const plan = engine.workPlan();
      return {
        ...plan,
        work: async (batch, signal) => {
          const operation = lateWrites.begin(name);
          let isWhole = false;
          try {
            const report = await plan.work(batch, signal);
            isWhole = !('left' in report) || report.left === 0;
            return report;
          } finally {
            lateWrites.end(operation, isWhole);
          }
        },
      };
    },
  };
}
