import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { IS_LONG } from '../long-forms.js';
import { hasPostgres, OwnPostgres } from './own-postgres.js';
import { type Line, type State, TENANTS, wordOf } from './stream.js';

const chroma = process.env.RAGSTONE_TEST_CHROMA_URL;
const STORE_KILLS = IS_LONG ? 20 : 2;
const PROCESS_KILLS = IS_LONG ? 10 : 1;
const PROGRAM = fileURLToPath(new URL('writing-process.ts', import.meta.url));

let postgres: OwnPostgres;
const folders: string[] = [];

/** What a stream of writes came to. */
class Stream {
  readonly config: object;
  readonly dataDir: string;
  /** The last version that was acknowledged; below 0 where it was deleted. */
  readonly versions = new Map<string, number>();
  /** What was begun and never acknowledged since: it may be there or not. */
  readonly open = new Map<string, Set<number>>();
  readonly wrong: string[] = [];
  readonly counts = { acknowledged: 0, failed: 0, searches: 0, failovers: 0, degraded: 0 };
  #child: ChildProcess | undefined;
  /** What the process said, where it ended and nobody asked it to. */
  #crash: string | undefined;
  #seed = 0;

  constructor(postgresUrl: string) {
    const namespace = `f${randomUUID().slice(0, 8).replaceAll('-', '')}`;
    this.dataDir = mkdtempSync(join(tmpdir(), 'ragstone-killed-stores-'));
    folders.push(this.dataDir);
    this.config = {
      provider: 'postgres',
      storage: { server: { url: postgresUrl, namespace } },
      failover: { secondary: { provider: 'chroma', storage: { server: { url: chroma, namespace } } } },
      degradation: { retryAfterMs: 300 },
      retrieval: { rerank: { enabled: false } },
    };
  }

  /** Starts a process that writes; returns when it does. */
  async live(): Promise<void> {
    const sure = [...this.versions].filter(([key]) => !this.open.has(key));
    const last = (key: string, begun: ReadonlySet<number>): number =>
      Math.max(...[this.versions.get(key) ?? 0, ...begun].map(Math.abs));
    const unsure = [...this.open].map(([key, begun]): [string, number] => [key, last(key, begun)]);
    const state = JSON.stringify({
      versions: Object.fromEntries(sure),
      unsure: Object.fromEntries(unsure),
    } satisfies State);
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', PROGRAM, JSON.stringify(this.config), state, String(++this.#seed), this.dataDir],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.#child = child;
    let said = '';
    child.stderr.on('data', (part: Buffer) => {
      said += part.toString();
    });
    const ready = new Promise<void>((resolve, reject) => {
      createInterface(child.stdout).on('line', (text) => {
        const line = JSON.parse(text) as Line;
        if (line.kind === 'ready') resolve();
        this.#take(line);
      });
      child.once('close', (code, signal) => {
        if (this.#child !== child) return;
        this.#crash = `The process ended by itself (${code ?? signal}): ${said}`;
        reject(new Error(this.#crash));
      });
    });
    await ready;
  }

  /** Waits until so many more searches were answered and writes acknowledged. */
  async progress(searches: number, writes: number): Promise<void> {
    const before = { ...this.counts };
    while (
      this.counts.searches < before.searches + searches ||
      this.counts.acknowledged < before.acknowledged + writes
    ) {
      if (this.#crash !== undefined) throw new Error(this.#crash);
      await sleep(20);
    }
  }

  kill(): Promise<void> {
    return this.#ended((child) => child.kill('SIGKILL'));
  }

  end(): Promise<void> {
    return this.#ended((child) => child.stdin?.end('end\n'));
  }

  async #ended(ask: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child;
    if (this.#crash !== undefined || child === undefined) throw new Error(this.#crash);
    this.#child = undefined;
    const ended = once(child, 'close');
    ask(child);
    await ended;
  }

  /** Both stores hold exactly what was acknowledged, each looked at alone. */
  async check(): Promise<void> {
    const engine = await createEngine({ config: this.config, dataDir: this.dataDir });
    try {
      const { stores } = await engine.syncStores();
      expect(stores.map(({ name, state, lag }) => [name, state, lag])).toEqual([
        ['postgres', 'ready', 0],
        ['chroma', 'ready', 0],
      ]);
      // What a death left open is finished or taken back.
      await engine.index({ sources: [] }).catch(() => undefined);
      for (const store of ['chroma', 'postgres']) {
        await engine.switchStore(store);
        for (const tenant of TENANTS) {
          const { drift } = await engine.verify({ sources: false }, { tenant });
          expect(drift.filter(({ kind }) => kind.startsWith('chunk') || kind.startsWith('store'))).toEqual(
            [],
          );
          const { documents } = await engine.list({ limit: 100 }, { tenant });
          const names = documents.map(({ externalId }) => externalId);
          expect(new Set(names).size).toBe(names.length);
        }
        for (const [key, version] of this.versions) {
          const [tenant = ''] = key.split('/');
          if (this.open.get(key)?.size) continue;
          const { results, noticeKinds } = await engine.search(wordOf(key, Math.abs(version)), { tenant });
          const hits = results.filter(({ content }) => content.includes(wordOf(key, Math.abs(version))));
          expect([store, key, version, hits.length]).toEqual([store, key, version, version > 0 ? 1 : 0]);
          expect(noticeKinds).not.toContain('store-failover');
        }
      }
    } finally {
      await engine.close();
    }
  }

  #take(line: Line): void {
    if (line.kind === 'wrong') this.wrong.push(line.what);
    if (line.kind === 'begun') {
      const open = this.open.get(line.key) ?? new Set();
      this.open.set(line.key, open.add(line.version));
    }
    if (line.kind === 'acknowledged') {
      this.counts.acknowledged += 1;
      this.versions.set(line.key, line.version);
      this.open.delete(line.key);
    }
    if (line.kind === 'failed') {
      this.counts.failed += 1;
      this.versions.delete(line.key);
    }
    if (line.kind === 'searched') {
      this.counts.searches += 1;
      if (line.isFailover) this.counts.failovers += 1;
      if (line.level > 0) this.counts.degraded += 1;
    }
  }
}

describe.skipIf(chroma === undefined || !hasPostgres)(
  'Stores kept in step, PostgreSQL and Chroma (RAGSTONE_TEST_CHROMA_URL)',
  () => {
    beforeAll(async () => {
      postgres = await OwnPostgres.start();
    });
    afterAll(async () => {
      await postgres.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    it('the first store is killed again and again under a stream of writes: nothing is lost, doubled, shown to others or back from the dead, and every search is answered', async () => {
      const stream = new Stream(postgres.url);
      await stream.live();
      await stream.progress(5, 10);
      for (let kill = 0; kill < STORE_KILLS; kill++) {
        await sleep(Math.random() * 1_000);
        postgres.kill();
        const { failovers } = stream.counts;
        await stream.progress(5, 5);
        await sleep(Math.random() * 1_000);
        expect(stream.counts.failovers).toBeGreaterThan(failovers);
        await postgres.restart();
        await stream.progress(10, 5);
      }
      await stream.end();
      process.stdout.write(`\nstore killed ${STORE_KILLS} times: ${JSON.stringify(stream.counts)}\n`);
      expect(stream.wrong).toEqual([]);
      expect(stream.counts).toMatchObject({ failed: 0, degraded: 0 });
      await stream.check();
    }, 1_800_000);

    it('the process that writes is killed again and again, with the first store there or not, and the next one goes on', async () => {
      const stream = new Stream(postgres.url);
      await stream.live();
      await stream.progress(1, 3);
      for (let kill = 0; kill < PROCESS_KILLS; kill++) {
        const isOut = kill % 2 === 0;
        if (isOut) postgres.kill();
        await sleep(Math.random() * 500);
        await stream.progress(0, 2);
        await sleep(Math.random() * 300);
        await stream.kill();
        // Half of the next ones begin without the first store.
        if (isOut && kill % 4 === 0) await postgres.restart();
        await stream.live();
        await stream.progress(2, 3);
        if (isOut && kill % 4 !== 0) await postgres.restart();
      }
      await stream.end();
      process.stdout.write(`\nprocess killed ${PROCESS_KILLS} times: ${JSON.stringify(stream.counts)}\n`);
      expect(stream.wrong).toEqual([]);
      await stream.check();
    }, 1_800_000);
  },
);
