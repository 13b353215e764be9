import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { chosenFaults, type Faults, NO_FAULTS } from './faults.js';
import { finalCheck } from './final-check.js';
import { LateWrites } from './late-writes.js';
import { LeaseAudit } from './lease-audit.js';
import { LedgerServer } from './ledger-server.js';
import { Wrong } from './outcomes.js';
import { QueueServer } from './queue-server.js';
import { Scheduler } from './scheduler.js';
import { SeededRandom } from './seeded-random.js';
import { LEASE_MS, type Servers, SimulatedHost } from './simulated-host.js';
import type { SimulatedProcess } from './simulated-process.js';
import { SimulatedWorld } from './simulated-world.js';
import { warmUp } from './warm-up.js';
import { type Work, Workload } from './workload.js';

/** When the simulation begins, in milliseconds since 1970. */
const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');
const HOSTS = 3;
/** Revisions whose texts are kept, as by default. */
const KEEP_REVISIONS = 3;
/** A piece of work that takes so many events hangs. */
const MOST_EVENTS = 200_000;

export interface SimulationResult {
  /** Events. */
  readonly steps: number;
  /** The same for the same events in the same order. */
  readonly hash: string;
  readonly searches: number;
  /** Runs over all sources that came to an end. */
  readonly runs: number;
  readonly deaths: number;
  /** How often work failed as it may, by reason. */
  readonly refusals: ReadonlyMap<string, number>;
  /** What is wrong, and the last events before it; absent where all is well. */
  readonly failure?: { readonly message: string; readonly recent: readonly string[] };
}

interface SimulationOptions {
  /** Everything that processes can do is done. @default false */
  readonly hasEverything?: boolean;
}

/** What a seed leads to in so many events: several processes that write and read one index while the world changes and things break. */
export async function simulate(seed: number, steps: number): Promise<SimulationResult> {
  await warmSimulation();
  return simulated(seed, steps);
}

/** Whatever is loaded by a machine, in its own time, is loaded before: once in a process. */
export async function warmSimulation(): Promise<void> {
  warm ??= getWarm();
  await warm;
}

let warm: Promise<void> | undefined;

/** What simulated processes do is done a few times for nothing, too. */
async function getWarm(): Promise<void> {
  await warmUp();
  for (const seed of [1, 2, 3]) await simulated(seed, 1_500, { hasEverything: true });
}

async function simulated(
  seed: number,
  steps: number,
  options?: SimulationOptions,
): Promise<SimulationResult> {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-simulated-'));
  try {
    return await new Simulation(seed, folder, options).run(steps);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A machine, and the process that runs on it now. */
interface Slot {
  readonly host: SimulatedHost;
  work: Work | undefined;
  /** A process is to be started. */
  isDue: boolean;
}

class Simulation {
  readonly #scheduler: Scheduler;
  readonly #world: SimulatedWorld;
  readonly #servers: Servers;
  readonly #slots: readonly Slot[];
  readonly #folder: string;
  readonly #workload: Workload;
  readonly #audit: LeaseAudit;
  readonly #lateWrites: LateWrites;
  #faults: Faults;
  #failure: SimulationResult['failure'];
  #deaths = 0;
  #isOver = false;

  constructor(seed: number, folder: string, { hasEverything = false }: SimulationOptions = {}) {
    const random = new SeededRandom(seed);
    this.#scheduler = new Scheduler(random);
    this.#folder = folder;
    this.#faults = chosenFaults(random);
    this.#world = new SimulatedWorld(this.#scheduler);
    const hasQueue = random.chance(0.5) || hasEverything;
    this.#audit = new LeaseAudit((wrong) => this.#fail(wrong));
    this.#lateWrites = new LateWrites(this.#audit, this.#world.truth, () => this.#scheduler.now);
    this.#workload = new Workload({
      lateWrites: this.#lateWrites,
      hasQueue,
      scheduler: this.#scheduler,
      world: this.#world,
      faults: () => this.#faults,
      isOver: () => this.#isOver,
      fail: (error) => this.#fail(error),
      hasEverything,
    });
    const queue = hasQueue ? new QueueServer(this.#scheduler, () => this.#faults) : undefined;
    this.#servers = { ...this.#newServers(this.#audit), queue };
    this.#slots = Array.from({ length: HOSTS }, (_, i) => ({
      host: this.#newHost(`h${i}`),
      work: undefined,
      isDue: true,
    }));
  }

  #newServers(audit?: LeaseAudit): Servers {
    const now = (): number => Math.floor(EPOCH + this.#scheduler.now);
    const ledger = new LedgerServer({ now, keepRevisions: KEEP_REVISIONS, audit });
    return { ledger, store: createMemoryStore(), lateWrites: this.#lateWrites };
  }

  #newHost(name: string): SimulatedHost {
    const faults = (): Faults => this.#faults;
    const kill = (process: SimulatedProcess): void => {
      const slot = this.#slots.find(({ work }) => work?.process === process);
      if (slot !== undefined && !this.#isOver) this.#kill(slot);
    };
    const mayPause = (): boolean => this.#slots.every(({ work }) => work?.process.isAwake !== false);
    return new SimulatedHost(name, this.#folder, {
      scheduler: this.#scheduler,
      faults,
      epoch: EPOCH,
      kill,
      mayPause,
    });
  }

  async run(steps: number): Promise<SimulationResult> {
    try {
      this.#disturb();
      while (this.#scheduler.steps < steps && this.#failure === undefined) await this.#step();
      if (this.#failure === undefined) await this.#end();
    } catch (error) {
      this.#fail(error);
    }
    const { searches, runs, refusals } = this.#workload;
    const { steps: done, hash } = this.#scheduler;
    const failure = this.#failure;
    const result = { steps: done, hash, searches, runs, deaths: this.#deaths, refusals };
    return { ...result, ...(failure === undefined ? {} : { failure }) };
  }

  async #step(): Promise<void> {
    // A start reads the machine's disk, in its own time.
    for (const slot of this.#slots) if (slot.isDue) await this.#start(slot);
    if (!(await this.#scheduler.step())) throw new Wrong('Nothing is to come.');
  }

  async #start(slot: Slot): Promise<void> {
    slot.isDue = false;
    const { host } = slot;
    slot.work = { ...(await host.start(this.#servers, this.#world)), host, isClosing: false };
    this.#scheduler.note(`${slot.work.process.name} starts`);
    this.#workload.begin(slot.work);
  }

  #fail(error: unknown): void {
    const message =
      error instanceof Wrong ? error.message : error instanceof Error ? String(error.stack) : String(error);
    this.#failure ??= { message, recent: [...this.#scheduler.recent] };
  }

  /** People edit, and things break, from now on. */
  #disturb(): void {
    const { ledger } = this.#servers;
    const { random } = this.#scheduler;
    const { deaths, sleeps, cuts, stops, outages } = this.#faults;
    this.#disturbQueue();
    this.#nowAndThen(1_000, 'an edit', () => this.#world.edit(this.#faults));
    this.#nowAndThen(outages, 'an outage', () => this.#world.takeAway(random.between(0, 6_000)));
    for (const slot of this.#slots) {
      this.#nowAndThen(deaths, 'a death', () => this.#kill(slot));
      this.#nowAndThen(stops, 'a stop', () => this.#stop(slot));
      this.#nowAndThen(sleeps, 'a sleep', () => slot.work?.process.sleep(LEASE_MS * random.between(0.5, 3)));
      this.#nowAndThen(cuts, 'a cut', () => ledger.cut(`${slot.work?.process.name} `));
    }
  }

  #disturbQueue(): void {
    const { queue } = this.#servers;
    const { random } = this.#scheduler;
    if (queue === undefined) return;
    this.#nowAndThen(this.#faults.queue, 'the queue is emptied', () => queue.empty());
    this.#nowAndThen(this.#faults.queue, 'the queue is away', () => {
      queue.setAway(true);
      this.#scheduler.after(random.between(0, 8_000), 'the queue is back', () => queue.setAway(false));
    });
  }

  /** @param meanMs from one time to the next */
  #nowAndThen(meanMs: number, label: string, work: () => void): void {
    if (meanMs === Infinity) return;
    const again = (): void => {
      if (this.#isOver) return;
      work();
      this.#nowAndThen(meanMs, label, work);
    };
    this.#scheduler.after(this.#scheduler.random.between(0, 2 * meanMs), label, again);
  }

  /** The process ends between two events, in the middle of whatever it does. */
  #kill(slot: Slot): void {
    const { work } = slot;
    if (work === undefined) return;
    const { process } = work;
    slot.work = undefined;
    this.#deaths += 1;
    process.die();
    this.#scheduler.note(`${process.name} dies`);
    const { random } = this.#scheduler;
    const cut = (): void => this.#servers.ledger.cut(`${process.name} `);
    this.#scheduler.after(random.between(0, 3_000), `the server misses ${process.name}`, cut);
    this.#startLater(slot);
  }

  /** The engine is closed in the middle of whatever it does. */
  #stop(slot: Slot): void {
    const { work } = slot;
    if (work === undefined || work.isClosing) return;
    work.isClosing = true;
    this.#scheduler.note(`${work.process.name} stops`);
    const workers = work.workers?.stop() ?? Promise.resolve();
    workers
      .then(() => work.engine.close())
      .then(
        () => {
          if (slot.work !== work) return;
          slot.work = undefined;
          this.#startLater(slot);
        },
        (error: unknown) => this.#fail(error),
      );
  }

  #startLater(slot: Slot): void {
    const start = (): void => {
      slot.isDue = !this.#isOver;
    };
    this.#scheduler.after(this.#scheduler.random.between(0, 5_000), `${slot.host.name} starts`, start);
  }

  /** Nothing breaks any more, and everything comes to its end. */
  async #end(): Promise<void> {
    this.#isOver = true;
    this.#faults = NO_FAULTS;
    this.#world.giveBack();
    this.#servers.queue?.setAway(false);
    this.#scheduler.note('nothing breaks any more');
    for (const slot of this.#slots) {
      slot.isDue = false;
      const { work } = slot;
      if (work === undefined) continue;
      if (this.#scheduler.random.chance(0.5)) this.#kill(slot);
      else await this.#close(work);
    }
    await this.#drive('The end of leases', this.#scheduler.wait(5 * LEASE_MS, 'leases are over'));
    await finalCheck({
      world: this.#world,
      servers: this.#servers,
      hosts: this.#slots.map(({ host }) => host),
      newHost: (name) => this.#newHost(name),
      newServers: () => this.#newServers(),
      scheduler: this.#scheduler,
      lateWrites: this.#lateWrites,
      drive: (name, work) => this.#drive(name, work),
    });
  }

  /** Time goes on while work does that waits for no event. */
  #beat(isRunning: () => boolean): void {
    this.#scheduler.after(250, 'time passes', () => {
      if (isRunning()) this.#beat(isRunning);
    });
  }

  /** In good order. */
  async #close({ workers, engine }: Work): Promise<void> {
    if (workers !== undefined) await this.#drive('Stopping', workers.stop());
    await this.#drive('Closing', engine.close());
  }

  /** Goes on until work has ended. */
  async #drive<T>(name: string, work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    const isRunning = (): boolean => !isOver;
    const last = this.#scheduler.steps + MOST_EVENTS;
    this.#beat(isRunning);
    while (isRunning()) {
      const isAtRest = !(await this.#scheduler.step());
      if (this.#failure !== undefined) throw new Wrong(this.#failure.message);
      if (isRunning() && (isAtRest || this.#scheduler.steps > last)) throw new Wrong(`${name} never ends.`);
    }
    return work;
  }
}
