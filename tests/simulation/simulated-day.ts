import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { eq } from '../../src/core/filter.js';
import { type Engine, type Sync, type SyncEvent, startSync } from '../../src/index.js';
import { listAll } from '../../src/stores/list-pages.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { DayWorld } from './day-world.js';
import { type Faults, NO_FAULTS } from './faults.js';
import { LateWrites } from './late-writes.js';
import { LeaseAudit } from './lease-audit.js';
import { LedgerServer } from './ledger-server.js';
import { Wrong } from './outcomes.js';
import { Scheduler } from './scheduler.js';
import { SeededRandom } from './seeded-random.js';
import { warmSimulation } from './simulate.js';
import { type Servers, SimulatedHost } from './simulated-host.js';
import type { SimulatedProcess } from './simulated-process.js';
import { STAFF, TENANT } from './simulated-world.js';
import { Truth } from './truth.js';

const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Servers are slow now and then, and drivers send some calls twice. */
const FAULTS: Faults = { ...NO_FAULTS, slow: 0.02, doubled: 0.01 };
const SCHEDULES = { notes: '*/5 * * * *', wiki: '2-59/5 * * * *' };
/** After the last edit, each source has a turn within this time, in minutes. */
const LAST_TURNS = 12;
/** A night's edit for so many of an hour of work. */
const DAYTIME = 4;

/** What is to happen in the time that is simulated. */
export interface DayPlan {
  readonly seed: number;
  readonly hours: number;
  readonly edits: number;
  readonly deaths: number;
  /** How long each of the two places cannot be reached, in minutes. */
  readonly outageMinutes: number;
  /** Until somebody starts a process again that died, in minutes. */
  readonly restartMinutes: number;
}

/** How the index stood at one moment. */
export interface DaySample {
  /** Minutes since the beginning. */
  readonly minute: number;
  /** Documents that the index has in another revision than their source, lacks, or has although they are gone. */
  readonly drift: number;
  /** Age of the oldest change that is not in the index, in minutes. */
  readonly lag: number;
}

/** A time in which something could not be reached, in minutes since the beginning. */
export interface Disturbance {
  readonly kind: 'outage' | 'death';
  readonly name: string;
  readonly from: number;
  until: number;
}

export interface DayResult {
  readonly steps: number;
  readonly edits: number;
  readonly samples: readonly DaySample[];
  readonly disturbances: readonly Disturbance[];
  /** Of a run: what led to it, and how often. */
  readonly triggers: Readonly<Record<string, number>>;
  readonly runs: number;
  readonly failedRuns: number;
  readonly documents: number;
  /** What `verify` finds at the end. */
  readonly driftAtEnd: readonly unknown[];
}

/** A team's day: its sources are followed by `startSync`, as by `ragstone sync --daemon`, while they are edited. */
export async function simulateDay(plan: DayPlan): Promise<DayResult> {
  await warmSimulation();
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-day-'));
  try {
    return await new SimulatedDay(plan, folder).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Following {
  readonly process: SimulatedProcess;
  readonly host: SimulatedHost;
  readonly engine: Engine;
  readonly sync: Sync;
}

class SimulatedDay {
  readonly #plan: DayPlan;
  readonly #folder: string;
  readonly #scheduler: Scheduler;
  readonly #world: DayWorld;
  readonly #servers: Servers;
  readonly #samples: DaySample[] = [];
  readonly #disturbances: Disturbance[] = [];
  readonly #triggers: Record<string, number> = {};
  #following: Following | undefined;
  #machines = 0;
  #edits = 0;
  #runs = 0;
  #failedRuns = 0;
  /** The next run dies. */
  #isDoomed = false;
  #isStartDue = true;
  #isLookDue = false;

  constructor(plan: DayPlan, folder: string) {
    this.#plan = plan;
    this.#folder = folder;
    const random = new SeededRandom(plan.seed);
    this.#scheduler = new Scheduler(random);
    this.#world = new DayWorld(this.#scheduler);
    const audit = new LeaseAudit((wrong) => {
      throw wrong;
    });
    const now = (): number => Math.floor(EPOCH + this.#scheduler.now);
    this.#servers = {
      ledger: new LedgerServer({ now, keepRevisions: 3 }),
      store: createMemoryStore(),
      lateWrites: new LateWrites(audit, new Truth(), () => this.#scheduler.now),
    };
  }

  async run(): Promise<DayResult> {
    this.#planDay();
    const end = this.#plan.hours * HOUR + LAST_TURNS * MINUTE;
    while (this.#scheduler.now < end) {
      if (this.#isStartDue) await this.#start();
      if (this.#isLookDue) await this.#look();
      if (!(await this.#scheduler.step())) throw new Wrong('Nothing is to come.');
    }
    await this.#look();
    return {
      ...{ steps: this.#scheduler.steps, edits: this.#edits, samples: this.#samples },
      ...{ disturbances: this.#disturbances, triggers: this.#triggers },
      ...{ runs: this.#runs, failedRuns: this.#failedRuns, documents: this.#world.documents },
      driftAtEnd: await this.#close(),
    };
  }

  #planDay(): void {
    const { hours, edits, deaths, outageMinutes } = this.#plan;
    for (let i = 0; i < edits; i++)
      this.#at(this.#timeOfEdit(), 'an edit', () => {
        this.#edits += 1;
        this.#world.edit();
      });
    const { disk, wiki } = this.#world;
    for (const [share, name, place] of [
      [0.3, 'notes', disk],
      [0.65, 'wiki', wiki],
    ] as const)
      this.#at(share * hours * HOUR, `an outage of ${name}`, () => {
        place.isAway = true;
        const until = this.#minute + outageMinutes;
        this.#disturbances.push({ kind: 'outage', name, from: this.#minute, until });
        this.#at(outageMinutes * MINUTE, `${name} can be reached again`, () => {
          place.isAway = false;
        });
      });
    for (let i = 0; i < deaths; i++)
      this.#at(((i + 0.5) / deaths) * hours * HOUR, 'the next run dies', () => {
        this.#isDoomed = true;
      });
    this.#lookLater();
  }

  /** More is edited by day than at night. */
  #timeOfEdit(): number {
    const { random } = this.#scheduler;
    for (;;) {
      const share = random.number();
      const isDay = share > 1 / 3 && share < 0.75;
      if (isDay || random.chance(1 / DAYTIME)) return share * this.#plan.hours * HOUR;
    }
  }

  #at(ms: number, label: string, work: () => void): void {
    this.#scheduler.after(ms, label, work);
  }

  get #minute(): number {
    return this.#scheduler.now / MINUTE;
  }

  #lookLater(): void {
    this.#at(MINUTE, 'a look', () => {
      this.#isLookDue = true;
      this.#lookLater();
    });
  }

  /** A machine that was started again has the disk that it had, and none of the locks. */
  async #start(): Promise<void> {
    this.#isStartDue = false;
    const before = this.#following?.host.dataDir;
    this.#machines += 1;
    const host = new SimulatedHost(`h${this.#machines}`, this.#folder, {
      scheduler: this.#scheduler,
      faults: () => FAULTS,
      epoch: EPOCH,
      kill: () => undefined,
      mayPause: () => false,
    });
    if (before !== undefined && existsSync(before))
      cpSync(before, host.dataDir, {
        recursive: true,
        filter: (path) => !basename(path).startsWith('writer.'),
      });
    // The day begins with an index of everything; later starts take the turns that were missed.
    const isFirst = this.#machines === 1;
    const started = await host.start(this.#servers, this.#world, {
      notesSchedule: SCHEDULES.notes,
      notesAtStart: isFirst,
    });
    const { engine, process } = started;
    const plan = engine.syncPlan();
    const wiki = {
      source: 'wiki',
      atStart: isFirst,
      schedules: [{ expression: SCHEDULES.wiki, timezone: 'UTC' }],
    };
    const followed = {
      index: engine.index.bind(engine),
      sourceStates: engine.sourceStates.bind(engine),
      syncPlan: () => ({ ...plan, timings: [...plan.timings, wiki], sources: [...plan.sources, 'wiki'] }),
    };
    const sync = startSync(followed, { onEvent: (event) => this.#heard(event, process) });
    const died = this.#disturbances.find(({ kind, until }) => kind === 'death' && until === Infinity);
    if (died !== undefined) died.until = this.#minute;
    this.#following = { process, host, engine, sync };
  }

  #heard(event: SyncEvent, process: SimulatedProcess): void {
    if (event.type === 'run-failed') this.#failedRuns += 1;
    if (event.type !== 'run-started') return;
    this.#runs += 1;
    this.#triggers[event.trigger] = 1 + (this.#triggers[event.trigger] ?? 0);
    if (!this.#isDoomed) return;
    this.#isDoomed = false;
    this.#at(this.#scheduler.random.between(40, 400), 'a death', () => this.#die(process));
  }

  #die(process: SimulatedProcess): void {
    process.die();
    this.#servers.ledger.cut(`${process.name} `);
    this.#disturbances.push({ kind: 'death', name: process.name, from: this.#minute, until: Infinity });
    this.#at(this.#plan.restartMinutes * MINUTE, 'somebody starts it again', () => {
      this.#isStartDue = true;
    });
  }

  async #look(): Promise<void> {
    this.#isLookDue = false;
    const { drift, lagMs } = this.#world.compare(await this.#held());
    this.#samples.push({ minute: this.#minute, drift, lag: lagMs / MINUTE });
  }

  /** What the store holds, whole documents of one revision alone; asked by nobody who is simulated. */
  async #held(): Promise<Map<string, string>> {
    const { ledger, store } = this.#servers;
    const live = await ledger.connect().live();
    if (live === undefined) return new Map();
    const { collection: name, dimensions, fingerprint } = live;
    const collection = await store.open({ name, dimensions, fingerprint });
    const found = new Map<string, { readonly revision: string; left: number }>();
    for (const chunk of await listAll(collection, { filter: eq('$tenant', TENANT), limit: 1_000 })) {
      const { revision, chunkTotal } = chunk.metadata;
      const one = found.get(chunk.documentId) ?? { revision: String(revision), left: Number(chunkTotal) };
      one.left -= one.revision === revision ? 1 : Infinity;
      found.set(chunk.documentId, one);
    }
    return new Map([...found].map(([id, { revision, left }]) => [id, left === 0 ? revision : 'a mix']));
  }

  async #close(): Promise<readonly unknown[]> {
    const { sync, engine } = this.#following ?? {};
    if (sync === undefined || engine === undefined) throw new Wrong('Nobody follows the sources.');
    await this.#drive(sync.stop());
    const { drift } = await this.#drive(engine.verify({}, STAFF));
    await this.#drive(engine.close());
    return drift;
  }

  async #drive<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    while (!isOver) if (!(await this.#scheduler.step()) && !isOver) throw new Wrong('It never ends.');
    return work;
  }
}
