import { AsyncLocalStorage } from 'node:async_hooks';
import { RAGError } from '../../src/core/errors.js';
import type { PendingBatch } from '../../src/ledger/pending-work.js';
import type {
  BatchHandler,
  BatchOutcome,
  QueueConsumer,
  QueueCounts,
  WorkQueue,
} from '../../src/ledger/queue/work-queue.js';
import type { Faults } from './faults.js';
import type { Scheduler } from './scheduler.js';
import type { SimulatedProcess } from './simulated-process.js';

interface Job {
  readonly batch: PendingBatch;
  /** Handed to nobody before, in milliseconds of the simulation. */
  notBefore: number;
  /** Who has it now. */
  holder: Taken | undefined;
}

/** A batch that was handed to a process. */
interface Taken {
  readonly batch: PendingBatch;
  readonly process: SimulatedProcess;
  /** Its worker is at it: a process that lives holds on to it. */
  isWorkedOn: boolean;
}

/** Somebody who waits for a batch. */
interface Taker {
  readonly process: SimulatedProcess;
  /** False where it waits no more. */
  readonly give: (taken: Taken | undefined) => boolean;
}

/** How long a batch stays with a process that says nothing of it, in milliseconds. */
const LOCK_MS = 4_000;
/** A batch whose worker threw is handed out again after that, in milliseconds. */
const THROWN_MS = 1_000;

/**
 * A queue in memory on a server of its own. It hands out in any order, and while there are faults it loses batches, hands them out twice,
 * and forgets everything.
 */
export class QueueServer {
  readonly #scheduler: Scheduler;
  readonly #faults: () => Faults;
  readonly #jobs = new Map<string, Job>();
  #takers: Taker[] = [];
  readonly #told: ((isUp: boolean) => void)[] = [];
  isAway = false;

  constructor(scheduler: Scheduler, faults: () => Faults) {
    this.#scheduler = scheduler;
    this.#faults = faults;
  }

  /** As after a start with an empty disk. */
  empty(): void {
    this.#jobs.clear();
  }

  setAway(isAway: boolean): void {
    if (this.isAway === isAway) return;
    this.isAway = isAway;
    for (const tell of this.#told) tell(!isAway);
    this.#handOut();
  }

  add(batches: readonly PendingBatch[]): void {
    this.#assertUp();
    const { random } = this.#scheduler;
    for (const batch of batches)
      if (!this.#jobs.has(batch.batch) && !random.chance(this.#faults().forgotten))
        this.#jobs.set(batch.batch, { batch, notBefore: 0, holder: undefined });
    this.#handOut();
  }

  counts(): QueueCounts {
    this.#assertUp();
    const active = [...this.#jobs.values()].filter(({ holder }) => holder !== undefined).length;
    return { active, waiting: this.#jobs.size - active };
  }

  /** What its worker says of a batch; of one that was handed to somebody else since, or forgotten, it counts for nothing. */
  settle(taken: Taken, outcome: BatchOutcome): void {
    const job = this.#jobs.get(taken.batch.batch);
    if (job?.holder !== taken) return;
    if (outcome.isDone) this.#jobs.delete(taken.batch.batch);
    else this.#putBack(job, outcome.againInMs);
    this.#handOut();
  }

  take(taker: Taker): void {
    this.#takers.push(taker);
    this.#handOut();
  }

  leave(taker: Taker): void {
    this.#takers = this.#takers.filter((other) => other !== taker);
  }

  onChange(tell: (isUp: boolean) => void): void {
    this.#told.push(tell);
  }

  #assertUp(): void {
    if (this.isAway) throw queueSilence();
  }

  #putBack(job: Job, afterMs: number): void {
    job.holder = undefined;
    job.notBefore = this.#scheduler.now + afterMs;
    if (afterMs > 0) this.#scheduler.after(afterMs, 'a batch is due', () => this.#handOut());
  }

  #handOut(): void {
    const { random, now } = this.#scheduler;
    this.#takers = this.#takers.filter(({ process }) => process.isAlive);
    while (!this.isAway) {
      const job = random.pick(
        [...this.#jobs.values()].filter(({ holder, notBefore }) => holder === undefined && notBefore <= now),
      );
      const taker = random.pick(this.#takers);
      if (job === undefined || taker === undefined) return;
      this.leave(taker);
      const taken: Taken = { batch: job.batch, process: taker.process, isWorkedOn: true };
      // One that is handed out twice stays where others find it.
      if (!random.chance(this.#faults().doubled)) {
        job.holder = taken;
        this.#watch(job, taken);
      }
      const label = `${taker.process.name} is given batch ${job.batch.batch.slice(0, 4)}`;
      const give = (): void => {
        taken.isWorkedOn = taker.give(taken);
      };
      this.#scheduler.after(random.between(0.1, 3), label, give, taker.process);
      if (job.holder === undefined) return;
    }
  }

  /** A process that lives says so in time; a batch of one that does not is for others. */
  #watch(job: Job, taken: Taken): void {
    this.#scheduler.after(LOCK_MS, 'a lock of the queue', () => {
      if (job.holder !== taken) return;
      const { isAlive, asleepUntil } = taken.process;
      if (taken.isWorkedOn && isAlive && asleepUntil <= this.#scheduler.now) return this.#watch(job, taken);
      this.#putBack(job, 0);
      this.#handOut();
    });
  }
}

const queueSilence = (): RAGError =>
  new RAGError('QUEUE_UNAVAILABLE', 'The queue did not answer. Nothing is lost.');

/** The queue as a process has it that is connected to its server. */
export function connectedQueue(
  server: QueueServer,
  process: SimulatedProcess,
  scheduler: Scheduler,
): WorkQueue {
  const ask = <T>(name: string, work: () => T): Promise<T> =>
    process.call(`queue.${name}`, async () => work(), { silence: queueSilence, isRepeatable: true });
  return {
    get isUp() {
      return !server.isAway;
    },
    add: (batches) => ask('add', () => server.add(batches)),
    counts: () => ask('counts', () => server.counts()),
    onChange: (told) => {
      const tell = AsyncLocalStorage.bind(told);
      server.onChange((isUp) =>
        scheduler.after(
          scheduler.random.between(0, 1_000),
          `${process.name} hears of the queue`,
          () => tell(isUp),
          process,
        ),
      );
    },
    consume: (handler, { concurrency }) => consume(handler, { server, process, concurrency, ask }),
    close: async () => undefined,
  };
}

function consume(
  handler: BatchHandler,
  {
    server,
    process,
    concurrency,
    ask,
  }: {
    readonly server: QueueServer;
    readonly process: SimulatedProcess;
    readonly concurrency: number;
    readonly ask: <T>(name: string, work: () => T) => Promise<T>;
  },
): QueueConsumer {
  const waiting = new Set<Taker>();
  let isClosing = false;
  const next = (): Promise<Taken | undefined> =>
    new Promise((resolve) => {
      const taker: Taker = {
        process,
        give: (taken) => {
          resolve(taken);
          return waiting.delete(taker);
        },
      };
      waiting.add(taker);
      server.take(taker);
    });
  const work = async (): Promise<void> => {
    while (!isClosing) {
      const taken = await next();
      if (taken === undefined) return;
      const outcome = await handler(taken.batch).catch(
        (): BatchOutcome => ({ isDone: false, againInMs: THROWN_MS }),
      );
      taken.isWorkedOn = false;
      // Who is not heard is asked again when its lock is over.
      await ask('settle', () => server.settle(taken, outcome)).catch(() => undefined);
    }
  };
  const loops = Array.from({ length: concurrency }, work);
  return {
    close: async () => {
      isClosing = true;
      for (const taker of waiting) {
        server.leave(taker);
        taker.give(undefined);
      }
      await Promise.all(loops);
    },
  };
}
