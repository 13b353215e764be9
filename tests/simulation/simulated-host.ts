import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type Engine, type VectorStore } from '../../src/index.js';
import { createHashEmbedder } from '../../src/testing/index.js';
import type { LateWrites } from './late-writes.js';
import type { LedgerServer } from './ledger-server.js';
import { connectedQueue, type QueueServer } from './queue-server.js';
import { connectedLedger, connectedStore } from './served-parts.js';
import { type ProcessWorld, SimulatedProcess } from './simulated-process.js';
import type { SimulatedWorld } from './simulated-world.js';

/** How long a silent process keeps others from what it writes, in milliseconds. */
export const LEASE_MS = 4_000;

/** What processes share. */
export interface Servers {
  readonly ledger: LedgerServer;
  readonly store: VectorStore;
  /** Absent where every process does its work itself. */
  readonly queue?: QueueServer | undefined;
  readonly lateWrites: LateWrites;
}

interface StartOptions {
  /** Its calls are done at once. @default false */
  readonly isAlone?: boolean;
  /** When the notes are read: a cron expression, in UTC. @default when somebody asks for it */
  readonly notesSchedule?: string | undefined;
  /** They are read when it begins to follow them, too. @default false */
  readonly notesAtStart?: boolean;
}

const EMBEDDER = createHashEmbedder({ dimensions: 8 });

/** A machine with a data folder, on which one process runs after another. */
export class SimulatedHost {
  readonly name: string;
  readonly dataDir: string;
  readonly #world: ProcessWorld;
  #started = 0;

  constructor(name: string, folder: string, world: ProcessWorld) {
    this.name = name;
    this.dataDir = join(folder, name);
    this.#world = world;
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
  }

  /** Whether a process died here while it forgot something. */
  get isForgetting(): boolean {
    return existsSync(join(this.dataDir, 'receipts', 'unfinished'));
  }

  /** Starts a process. It reads the disk of the machine, so nothing else happens meanwhile. */
  async start(
    servers: Servers,
    world: Pick<SimulatedWorld, 'disk' | 'wiki'>,
    { isAlone = false, notesSchedule, notesAtStart = false }: StartOptions = {},
  ): Promise<{ process: SimulatedProcess; engine: Engine }> {
    this.#started += 1;
    const process = new SimulatedProcess(`${this.name}.${this.#started}`, this.#world);
    process.isAlone = isAlone;
    const { faults, scheduler } = this.#world;
    const { queue, lateWrites } = servers;
    const wrote = lateWrites.wrote.bind(lateWrites);
    const engine = await createEngine({
      cwd: this.dataDir,
      dataDir: this.dataDir,
      ledger: connectedLedger(servers.ledger, process),
      store: connectedStore(servers.store, process, wrote),
      ...(queue === undefined ? {} : { queue: connectedQueue(queue, process, scheduler) }),
      embedder: EMBEDDER,
      runtime: process.runtime(world.disk.seenBy(process, faults)),
      sources: [world.wiki.readBy(process, faults)],
      config: {
        sources: [
          {
            ...{ name: 'notes', type: 'files', root: world.disk.root, paths: ['**'] },
            ...(notesSchedule === undefined ? {} : { indexSchedule: notesSchedule, autoIndex: notesAtStart }),
          },
        ],
        // The reader's threads answer in the time of the machine.
        retrieval: { rerank: { model: 'builtin' } },
        sync: { timezone: 'UTC' },
        chunking: { unit: 'characters', minSize: 1, maxSize: 160, overlap: 0 },
        ledger: { leaseMs: LEASE_MS, owner: 'hosts' },
        indexing: { retry: { attempts: 100, initialDelay: '1s', maxDelay: '5s' } },
        security: { access: { rules: [{ paths: ['secret/**'], groups: ['staff'] }] } },
      },
    });
    return { process, engine };
  }
}
