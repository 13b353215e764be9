import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.js';
import type { Engine } from '../../../src/operations/engine.js';
import type { CreateEngineOptions } from '../../../src/operations/engine-options.js';
import { seededRandom } from '../../../src/testing/vector-store/records.js';
import { IS_LONG } from '../../long-forms.js';
import type { Answer, Order, Report } from './host-process.js';

const url = process.env.RAGSTONE_TEST_POSTGRES_URL;
const KILLS = IS_LONG ? 20 : 2;
/** Longest time that a writer works before it is killed, in milliseconds. */
const MAX_LIFE_MS = 1_500;
/** Pause between two edits, in milliseconds. */
const EDIT_MS = 20;
/** So short that a sleep outlasts it. */
const LEASE_MS = 2_000;
const DOCUMENTS = 60;
const FIXTURE = fileURLToPath(new URL('host-process.ts', import.meta.url));
const WORDS = ['oak', 'elm', 'ash', 'fir', 'yew', 'gate', 'wall', 'pond', 'well', 'path'];
const QUERIES = Array.from(
  { length: 100 },
  (_, i) => `${WORDS[i % 10]} of garden ${i % DOCUMENTS} by the ${WORDS[(i * 3) % 10]}`,
);

it.skipIf(url === undefined)(
  'two writers that are killed and outsleep their leases, and two readers of one index: nothing is lost or doubled, answers are equal (RAGSTONE_TEST_POSTGRES_URL)',
  async () => {
    const random = seededRandom(KILLS);
    const scene = await setUp();
    try {
      await scene.own.index();
      const readers = await Promise.all([scene.start('reader-a'), scene.start('reader-b')]);
      for (const reader of readers) reader.tell({ do: 'read' });
      const writers = await Promise.all([scene.start('a'), scene.start('b')]);
      for (const writer of writers) writer.tell({ do: 'write', first: [] });
      const pushed: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const place = kill % 2;
        const next = scene.start(place === 0 ? 'a' : 'b');
        await editFor(random() * MAX_LIFE_MS, scene.documents, random);
        // The other one sleeps longer than its lease in the middle of what it does, and goes on as if nothing had been.
        const sleeper = writers[1 - place];
        sleeper?.fallAsleep();
        await editFor(LEASE_MS * 1.5, scene.documents, random);
        sleeper?.wakeUp();
        await editFor(random() * MAX_LIFE_MS, scene.documents, random);
        await writers[place]?.kill();
        pushed.push(...(writers[place]?.pushed() ?? []));
        // A push that was under way may be there or not: it is repeated.
        const first = writers[place]?.unfinished() ?? [];
        writers[place] = await next;
        writers[place].tell({ do: 'write', first });
      }
      await editFor(MAX_LIFE_MS, scene.documents, random);
      for (const writer of writers) writer.tell({ do: 'finish' });
      for (const writer of writers) {
        assertNone((await writer.hear('finished')).failures);
        pushed.push(...writer.pushed());
      }
      expect(await scene.own.verify()).toEqual({ ok: true, drift: [], repaired: 0 });
      const names = (await readdir(scene.documents)).sort();
      expect(pushed.length).toBeGreaterThan(0);
      const held = await everyDocument(scene.own);
      expect(new Set(held.map(({ id }) => id)).size).toBe(held.length);
      expect(
        held
          .filter(({ source }) => source === 'notes')
          .map(({ externalId }) => externalId)
          .sort(),
      ).toEqual(names);
      const pushes = new Set(held.map(({ externalId }) => externalId));
      expect(pushed.filter((id) => !pushes.has(id))).toEqual([]);
      const answers: Answer[][] = [];
      for (const reader of readers) {
        reader.tell({ do: 'answer', queries: QUERIES });
        const report = await reader.hear('answers');
        assertNone(report.failures);
        answers.push([...report.answers]);
      }
      expect(answers[0]).toHaveLength(QUERIES.length);
      expect(answers[0]?.every((answer) => answer.length === 10)).toBe(true);
      expect(answers[1]).toEqual(answers[0]);
    } finally {
      await scene.tearDown();
    }
  },
  1_200_000,
);

/** A process with a data folder of its own. */
class Host {
  readonly #child: ChildProcess;
  readonly #heard: Report[] = [];
  #error = '';
  #first: readonly string[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: Report) => this.#heard.push(message));
    child.stderr?.on('data', (part: Buffer) => {
      this.#error += part.toString();
    });
  }

  tell(order: Order): void {
    if (order.do === 'write') this.#first = order.first;
    this.#child.send(order);
  }

  /** Waits for a report of a kind. */
  async hear<Said extends Report['said']>(said: Said): Promise<Extract<Report, { said: Said }>> {
    for (;;) {
      const found = this.#heard.find((report) => report.said === said);
      if (found !== undefined) return found as Extract<Report, { said: Said }>;
      if (this.#child.exitCode !== null) throw new Error(`The host ended by itself: ${this.#error}`);
      await Promise.race([once(this.#child, 'message'), once(this.#child, 'exit')]);
    }
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null) throw new Error(`The host ended by itself: ${this.#error}`);
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Stops it where it is: its connections stay open, and its timers do not run. */
  fallAsleep(): void {
    this.#child.kill('SIGSTOP');
  }

  wakeUp(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ids of documents that it has pushed. */
  pushed(): string[] {
    return this.#heard.flatMap((report) => (report.said === 'pushed' ? report.ids : []));
  }

  /** Ids of documents that it began to push, or was to push first. */
  unfinished(): readonly string[] {
    const last = this.#heard.findLast(({ said }) => said === 'pushing' || said === 'pushed');
    if (last === undefined) return this.#first;
    return last.said === 'pushing' ? last.ids : [];
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

interface Scene {
  readonly documents: string;
  /** A host in this process. */
  readonly own: Engine;
  readonly start: (name: string) => Promise<Host>;
  readonly tearDown: () => Promise<void>;
}

async function setUp(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-two-hosts-'));
  const schema = `hosts_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  const documents = join(folder, 'documents');
  await mkdir(documents);
  for (let i = 0; i < DOCUMENTS; i++) await writeDocument(documents, i, 0);
  const hosts: Host[] = [];
  const settingsOf = async (name: string): Promise<CreateEngineOptions> => {
    const cwd = join(folder, name);
    await mkdir(cwd, { recursive: true });
    return {
      config: {
        provider: 'postgres',
        ledger: { type: 'postgres', url, namespace: schema, leaseMs: LEASE_MS },
        storage: { server: { url, namespace: schema } },
        sources: [{ name: 'notes', type: 'files', root: documents }],
      },
      cwd,
      dataDir: join(cwd, 'data'),
    };
  };
  const own = await createEngine(await settingsOf('own'));
  return {
    documents,
    own,
    start: async (name) => {
      const settings = await settingsOf(name);
      const child = fork(FIXTURE, [name, JSON.stringify(settings)], {
        execArgv: ['--import', 'tsx'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      const host = new Host(child);
      hosts.push(host);
      await host.hear('ready');
      return host;
    },
    tearDown: async () => {
      for (const host of hosts) host.end();
      await own.close();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Says whole what a host told, which `expect` would cut. */
function assertNone(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

/** Goes on editing, so that no two listings are alike. */
async function editFor(ms: number, folder: string, random: () => number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(EDIT_MS))
    await edit(folder, random);
}

/** Writes, changes or deletes one document. */
async function edit(folder: string, random: () => number): Promise<void> {
  const i = Math.floor(random() * DOCUMENTS);
  if (random() < 0.3) await unlink(join(folder, `${i}.md`)).catch(() => undefined);
  else await writeDocument(folder, i, Math.floor(random() * 1_000));
}

function writeDocument(folder: string, i: number, revision: number): Promise<void> {
  const sections = Array.from({ length: 4 }, (_, part) => {
    const [first, second] = [WORDS[(i + part) % 10], WORDS[(i * 7 + revision + part) % 10]];
    return `## Part ${part}\n\nThe ${first} of garden ${i} stands by the ${second} since the year ${1500 + revision}.\n`;
  });
  return writeFile(join(folder, `${i}.md`), `# Garden ${i}\n\n${sections.join('\n')}`);
}

async function everyDocument(engine: Engine) {
  const documents = [];
  for (let cursor: string | undefined; ; ) {
    const page = await engine.list({ cursor, limit: 200 });
    documents.push(...page.documents);
    if (page.cursor === undefined) return documents;
    cursor = page.cursor;
  }
}
