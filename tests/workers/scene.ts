import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createEngine } from '../../src/engine/create-engine.js';
import type { WorkerEvent } from '../../src/fleet/workers/worker-events.js';
import type { Engine } from '../../src/operations/engine.js';
import type { CreateEngineOptions } from '../../src/operations/engine-options.js';
import { contentsOf } from '../sync/index-contents.js';
import { slowEmbedder } from './slow-embedder.js';

const FIXTURE = fileURLToPath(new URL('worker-process.ts', import.meta.url));
/** The shortest that is allowed: a dead worker holds others up so long. */
export const LEASE_MS = 1_000;
/** An advisory lock. */
const END_OF_LISTING = 16;
const WORDS = ['oak', 'elm', 'ash', 'fir', 'yew', 'gate', 'wall', 'pond', 'well', 'path'];

/** Servers that the tests find running. */
export interface TestServers {
  readonly postgres: string;
  readonly redis: string;
}

export interface WorkerSettings {
  readonly options: Omit<CreateEngineOptions, 'embedder'>;
  readonly delayMs: number;
  readonly isMortal?: boolean;
  readonly concurrency?: number;
  readonly graceMs?: number;
}

/** An index that hosts share, a folder that they all see, and a queue. */
export class Scene {
  readonly documents: string;
  readonly redis: Redis;
  readonly #servers: TestServers;
  readonly #folder: string;
  readonly #schemas: string[] = [];
  readonly #engines: Engine[] = [];
  readonly #workers: WorkerProcess[] = [];
  readonly #name = `work_${randomUUID().replaceAll('-', '').slice(0, 16)}`;

  private constructor(servers: TestServers, folder: string) {
    this.#servers = servers;
    this.#folder = folder;
    this.documents = join(folder, 'documents');
    this.redis = new Redis(servers.redis);
  }

  static async make(servers: TestServers): Promise<Scene> {
    const scene = new Scene(servers, await mkdtemp(join(tmpdir(), 'ragstone-workers-')));
    await mkdir(scene.documents);
    return scene;
  }

  options(
    host: string,
    settings: { readonly schema?: string; readonly redis?: string; readonly chunking?: object } = {},
  ) {
    const { schema = this.#name, redis = this.#servers.redis, chunking } = settings;
    if (!this.#schemas.includes(schema)) this.#schemas.push(schema);
    const { postgres: url } = this.#servers;
    return {
      config: {
        provider: 'postgres' as const,
        ledger: { type: 'postgres' as const, url, namespace: schema, leaseMs: LEASE_MS, owner: 'scene' },
        storage: { server: { url, namespace: schema } },
        sources: [{ name: 'notes', type: 'files' as const, root: this.documents }],
        indexing: { retry: { attempts: 2, initialDelay: '1s' } },
        ...(chunking === undefined ? {} : { chunking }),
        ...(redis === '' ? {} : { queue: { url: redis, prefix: this.#name } }),
      },
      cwd: this.#folder,
      dataDir: join(this.#folder, host),
    };
  }

  /** An engine with a data folder of its own, as on another host. */
  async host(
    name: string,
    settings: Parameters<Scene['options']>[1] & { readonly delayMs?: number } = {},
  ): Promise<Engine> {
    const { delayMs = 0, ...others } = settings;
    const engine = await createEngine({ ...this.options(name, others), embedder: slowEmbedder({ delayMs }) });
    this.#engines.push(engine);
    return engine;
  }

  /** Lists the documents and leaves them to workers. */
  async list(engine: Engine) {
    return engine.index({ sources: ['notes'], options: { handOver: true, allowShrink: true } });
  }

  worker(
    name: string,
    settings: Partial<Omit<WorkerSettings, 'options'>> & {
      readonly redis?: string;
      readonly chunking?: object;
    } = {},
  ): WorkerProcess {
    const { redis, chunking, ...others } = settings;
    const options = this.options(name, {
      ...(redis === undefined ? {} : { redis }),
      ...(chunking === undefined ? {} : { chunking }),
    });
    const worker = new WorkerProcess({ delayMs: 40, options, ...others });
    this.#workers.push(worker);
    return worker;
  }

  async write(number: number, edition = 0, more = ''): Promise<void> {
    const word = WORDS[(number + edition) % WORDS.length];
    const text = `# Garden ${number}\n\nThe ${word} of garden ${number} was told of ${edition} times, lantern at dusk.\n\n${more}`;
    const path = join(this.documents, `garden-${number}.md`);
    await writeFile(path, text);
    // The same text has the same age, whenever it is written.
    const age = new Date(Date.UTC(2026, 0, 1) + (edition * 1_000 + number) * 1_000);
    await utimes(path, age, age);
  }

  /** Keeps the end of the first listing from being recorded, until the returned function is called. */
  async holdEndsOfListings(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: this.#servers.postgres });
    await client.connect();
    await client.query(`SET search_path TO ${this.#name}`);
    await client.query(`SELECT pg_advisory_lock(${END_OF_LISTING})`);
    await client.query(
      `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(${END_OF_LISTING}); RETURN NEW; END $$`,
    );
    await client.query(
      `CREATE TRIGGER wait_for_test BEFORE INSERT OR UPDATE ON ragstone_ledger_source_state FOR EACH ROW
        WHEN (NEW.state LIKE '%listingFinishedAt%') EXECUTE FUNCTION wait_for_test()`,
    );
    return () => client.end();
  }

  /** What is pending now, in all. */
  async pending(engine: Engine): Promise<number> {
    const counts = (await (await engine.workPlan().pendingWork())?.counts()) ?? [];
    return counts.reduce((sum, { items }) => sum + items, 0);
  }

  /** Until nothing is pending, and the worker that did the last item has ended the source. */
  async drained(engine: Engine, limitMs = 60_000): Promise<void> {
    for (const end = Date.now() + limitMs; ; await sleep(50)) {
      const [state] = await engine.sourceStates();
      const { lastSuccessAt = '', listingFinishedAt = '' } = state ?? {};
      if ((await this.pending(engine)) === 0 && lastSuccessAt >= listingFinishedAt && lastSuccessAt !== '')
        return;
      if (Date.now() > end)
        throw new Error(
          `${await this.pending(engine)} documents are still pending: ${JSON.stringify(state)}`,
        );
    }
  }

  /** All that one process makes of the documents as they are now, in an index of its own. */
  async ofOneProcess() {
    const engine = await this.host('alone', { schema: `${this.#name}_${this.#schemas.length}`, redis: '' });
    await engine.index();
    return contentsOf(engine);
  }

  async end(): Promise<void> {
    for (const worker of this.#workers) await worker.kill();
    for (const engine of this.#engines) await engine.close();
    const keys = await this.redis.keys(`${this.#name}:*`);
    if (keys.length > 0) await this.redis.del(...keys);
    this.redis.disconnect();
    const client = new pg.Client({ connectionString: this.#servers.postgres });
    await client.connect();
    for (const schema of this.#schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
    await rm(this.#folder, { recursive: true });
  }
}

/** A worker as a process of its own. */
export class WorkerProcess {
  readonly events: WorkerEvent[] = [];
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = '';

  constructor(settings: WorkerSettings) {
    this.#child = fork(FIXTURE, [JSON.stringify(settings)], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (event) => this.events.push(event as WorkerEvent));
    this.#child.stderr?.on('data', (part: Buffer) => {
      this.#said = (this.#said + part.toString()).slice(-4_000);
    });
    this.#exit = once(this.#child, 'exit');
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The code that it ended with; null where a signal ended it. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  count(type: WorkerEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** Until it has told so many events of a type. */
  async heard(type: WorkerEvent['type'], times = 1, limitMs = 60_000): Promise<void> {
    for (const end = Date.now() + limitMs; this.count(type) < times; await sleep(10)) {
      if (this.hasEnded) throw new Error(`The worker ended by itself: ${this.#said}`);
      if (Date.now() > end)
        throw new Error(`The worker did not say "${type}": ${JSON.stringify(this.events)} ${this.#said}`);
    }
  }

  async ended(): Promise<void> {
    await this.#exit;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.hasEnded) this.#child.kill(signal);
    await this.#exit;
  }
}
