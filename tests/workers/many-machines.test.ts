import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testService } from '../../src/faces/service/test-service.js';
import { startWorkers, type Workers } from '../../src/fleet/workers/start-workers.js';
import type { WorkerEvent } from '../../src/fleet/workers/worker-events.js';
import type { Engine } from '../../src/operations/engine.js';
import { FaultyProxy } from '../../src/testing/faulty-proxy.js';
import { contentsOf } from '../sync/index-contents.js';
import { Scene } from './scene.js';
import { DEADLY } from './slow-embedder.js';

const postgres = process.env.RAGSTONE_TEST_POSTGRES_URL ?? '';
const redis = process.env.RAGSTONE_TEST_REDIS_URL ?? '';

describe.skipIf(postgres === '' || redis === '')(
  'Work of many machines, part by part (RAGSTONE_TEST_POSTGRES_URL, RAGSTONE_TEST_REDIS_URL)',
  { timeout: 120_000 },
  () => {
    let scene: Scene;
    let lister: Engine;
    let running: Workers[];

    beforeEach(async () => {
      running = [];
      scene = await Scene.make({ postgres, redis });
      lister = await scene.host('lister');
    });

    afterEach(async () => {
      for (const workers of running) await workers.stop();
      await scene.end();
    });

    const writeAll = async (count: number, edition = 0): Promise<void> => {
      for (let number = 0; number < count; number++) await scene.write(number, edition);
    };

    /** Workers in this process; what they tell. */
    function work(engine: Engine, options: Parameters<typeof startWorkers>[1] = {}) {
      const events: WorkerEvent[] = [];
      const workers = startWorkers(engine, { onEvent: (event) => events.push(event), ...options });
      running.push(workers);
      const heard = async (type: WorkerEvent['type'], times = 1): Promise<void> => {
        for (
          const end = Date.now() + 240_000;
          events.filter((one) => one.type === type).length < times;
          await sleep(10)
        )
          if (Date.now() > end) throw new Error(`No "${type}": ${JSON.stringify(events)}`);
      };
      return { workers, events, heard };
    }

    it('tells what is left, leaves it to workers, and is in step when they are through', async () => {
      await writeAll(70);
      const { stats } = await scene.list(lister);
      expect(stats).toMatchObject({ itemsHandedOver: 70, documentsProcessed: 0 });
      const { work: left } = await lister.status();
      expect(left).toMatchObject({
        sources: [{ source: 'notes', waiting: 70, active: 0 }],
        queue: { waiting: 3, active: 0 },
      });
      expect(left?.sources[0]?.oldestSeconds).toBeLessThan(60);
      const { events } = work(await scene.host('worker'), { concurrency: 2 });
      await scene.drained(lister);
      expect(events).toContainEqual(expect.objectContaining({ type: 'batch-finished', isLast: true }));
      expect((await lister.status()).work?.sources).toEqual([]);

      await scene.write(3, 1);
      await rm(join(scene.documents, 'garden-5.md'));
      expect((await scene.list(lister)).stats).toMatchObject({ itemsHandedOver: 2, documentsUnchanged: 68 });
      await scene.drained(lister);
      expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
    });

    it('ends a source whose last document was done while it was still listed', async () => {
      await lister.index({ documents: [{ id: 'first', text: 'The tables are made.' }] });
      const letGo = await scene.holdEndsOfListings();
      await writeAll(1);
      const listing = scene.list(lister);
      while ((await scene.pending(lister)) === 0) await sleep(20);
      // Without the queue's help: it learns of the work when the listing is over.
      const { workers, heard } = work(await scene.host('second'));
      await heard('batch-finished');
      await workers.stop();
      expect(await scene.pending(lister)).toBe(0);
      await letGo();
      await listing;
      await scene.drained(lister, 1_000);
    });

    it('tells what is left of each source over HTTP, to its tenant and project alone', async () => {
      const tenantScope = (tenant: string, project?: string) => ({
        tenant,
        ...(project === undefined ? {} : { project }),
      });
      const handOver = { sources: ['notes'], options: { handOver: true } };
      const { call } = await testService({ engine: lister });
      const workOf = async (caller: string): Promise<unknown> => {
        const { status, json } = await call(caller, 'GET', '/api/ai/rag/status');
        return status === 200 ? json().work : status;
      };
      await writeAll(40);
      await lister.index(handOver, tenantScope('acme'));
      expect(await workOf('acme')).toEqual({
        sources: [
          {
            source: 'notes',
            waiting: 40,
            active: 0,
            oldestAt: expect.stringMatching(/^20.*Z$/) as string,
            oldestSeconds: expect.any(Number) as number,
          },
        ],
        queue: { isUp: true, waiting: 2, active: 0 },
      });
      expect(await workOf('globex')).toEqual({ sources: [], queue: { isUp: true } });
      await lister.index(handOver, tenantScope('globex', 'river'));
      expect(await workOf('acme')).toMatchObject({ sources: [{ waiting: 40 }], queue: { isUp: true } });
      expect((await lister.status(tenantScope('globex', 'river'))).work?.sources).toMatchObject([
        { source: 'notes', waiting: 40 },
      ]);
      expect((await lister.status(tenantScope('globex', 'hill'))).work?.sources).toEqual([]);
    });

    it('fills the queue again from the ledger where the server has lost everything', async () => {
      await writeAll(40);
      await scene.list(lister);
      await scene.redis.flushall();
      expect((await lister.status()).work).toMatchObject({ queue: { waiting: 0 } });
      const { events } = work(await scene.host('worker'));
      await scene.drained(lister);
      expect(events).toContainEqual(expect.objectContaining({ type: 'refilled', batches: 2 }));
      expect((await lister.verify()).ok).toBe(true);
    });

    it('fills it again by the next listing, without a worker', async () => {
      await writeAll(40);
      await scene.list(lister);
      await scene.redis.flushall();
      expect((await scene.list(lister)).stats.itemsHandedOver).toBeUndefined();
      expect((await lister.status()).work).toMatchObject({
        sources: [{ waiting: 40 }],
        queue: { waiting: 2, active: 0 },
      });
    });

    it('waits for a server that is away, says so, and loses nothing of what was listed meanwhile', async () => {
      const proxy = await FaultyProxy.start({
        host: new URL(redis).hostname,
        port: Number(new URL(redis).port),
      });
      try {
        const address = `redis://127.0.0.1:${proxy.port}`;
        await writeAll(40);
        const away = await scene.host('away', { redis: address });
        const { events, heard } = work(await scene.host('worker', { redis: address }));
        await scene.list(away);
        await scene.drained(lister);
        proxy.mode = 'cut';
        await heard('queue-down');
        await writeAll(20, 1);
        const { success, notices, stats } = await scene.list(away);
        expect({ success, handedOver: stats.itemsHandedOver }).toEqual({ success: true, handedOver: 20 });
        expect(notices.join()).toMatch(/does not answer.*Workers take it up/s);
        expect((await away.status()).work).toMatchObject({
          sources: [{ waiting: 20 }],
          queue: { isUp: false },
        });
        proxy.mode = 'pass';
        await heard('queue-up');
        await scene.drained(lister);
        expect(events.filter(({ type }) => type === 'batch-failed')).toEqual([]);
        expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
      } finally {
        for (const workers of running.splice(0)) await workers.stop();
        await proxy.stop();
      }
    });

    it('lists a source on one host at a time, and nothing twice', async () => {
      await writeAll(64);
      const other = await scene.host('other');
      const runs = await Promise.all([
        scene.list(lister),
        scene.list(other),
        scene.list(lister),
        scene.list(other),
      ]);
      const handedOver = runs.map(({ stats }) => stats.itemsHandedOver ?? 0);
      expect(handedOver.sort((a, b) => a - b)).toEqual([0, 0, 0, 64]);
      expect((await lister.status()).work).toMatchObject({
        sources: [{ waiting: 64 }],
        queue: { waiting: 2 },
      });
      const since = { unlessListedSince: new Date(0).toISOString(), handOver: true };
      const again = await other.index({ sources: ['notes'], options: since });
      expect(again.notices).toEqual(['"notes" was listed by another process meanwhile.']);
    });

    it('takes an item as it was listed last, however often it changed before anybody came to it', async () => {
      await writeAll(10);
      await scene.write(9, 3);
      // Item 9 is indexed as it will be at the end, and was something else in between.
      await lister.index();
      await scene.list(lister);
      for (const edition of [1, 2, 0]) {
        await writeAll(10, edition);
        await scene.list(lister);
      }
      await rm(join(scene.documents, 'garden-1.md'));
      await scene.list(lister);
      await scene.write(1, 7);
      await scene.list(lister);
      await rm(join(scene.documents, 'garden-2.md'));
      await scene.list(lister);
      await scene.write(9, 3);
      // Never indexed, and gone again.
      await scene.write(11, 1);
      await scene.list(lister);
      await rm(join(scene.documents, 'garden-11.md'));
      await scene.list(lister);
      work(await scene.host('worker'), { concurrency: 3 });
      await scene.drained(lister);
      expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
      expect((await lister.index()).stats).toMatchObject({ documentsProcessed: 0, documentsDeleted: 0 });
    });

    it('goes well beside an index run that does the same work itself', async () => {
      await writeAll(100);
      await scene.list(lister);
      work(await scene.host('worker', { delayMs: 30 }), { concurrency: 2 });
      const other = await scene.host('other', { delayMs: 30 });
      await other.index();
      await scene.drained(lister);
      expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
    });

    it('leaves room for who needs the whole index', async () => {
      await writeAll(100);
      await scene.list(lister);
      const { events } = work(await scene.host('worker', { delayMs: 100 }), { concurrency: 3 });
      const rebuilt = await lister.index({ options: { force: true, waitMs: 60_000 } });
      expect(rebuilt.success).toBe(true);
      expect((await lister.generations()).map(({ state }) => state)).toContain('retired');
      await scene.drained(lister);
      expect((await lister.verify()).ok).toBe(true);
      expect((await lister.status()).documents).toBe(100);
      expect(events.filter(({ type }) => type === 'stopped')).toEqual([]);
    });

    it('stops in good order: finishes what it has, or gives it back, and nothing is lost', async () => {
      await writeAll(90);
      await scene.list(lister);
      const patient = work(await scene.host('patient', { delayMs: 400 }));
      await sleep(300);
      await patient.workers.stop();
      const done = patient.events.filter(({ type }) => type === 'batch-finished').length;
      expect(patient.events.at(-1)).toMatchObject({ type: 'stopped' });
      const hasty = work(await scene.host('hasty', { delayMs: 30_000 }), { graceMs: 200 });
      await hasty.heard('started');
      await sleep(700);
      const stopping = Date.now();
      await hasty.workers.stop();
      expect(Date.now() - stopping).toBeLessThan(15_000);
      expect(hasty.events.filter(({ type }) => type === 'batch-finished')).toEqual([]);
      // What was given back is free at once, and its beginning counts against nobody.
      const pending = await (await lister.workPlan().pendingWork())?.items('default', 'notes');
      expect(pending?.every(({ begun }) => begun === 0)).toBe(true);
      expect((await lister.status()).work).toMatchObject({ sources: [{ active: 0 }] });
      expect(done).toBeLessThan(3);
      work(await scene.host('last'));
      await scene.drained(lister);
      expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
    });

    it('fails a document that ends every worker, by the ledger, and goes on with the others', async () => {
      await writeAll(40);
      await scene.write(7, 0, `There grows the ${DEADLY}.`);
      await scene.list(lister);
      let deaths = 0;
      for (let life = 0; life < 12; life++) {
        const worker = scene.worker('mortal', { delayMs: 5, isMortal: true });
        await Promise.race([worker.ended(), scene.drained(lister)]);
        if (!worker.hasEnded) break;
        deaths++;
      }
      expect(deaths).toBeGreaterThanOrEqual(3);
      const failures = await lister.failures();
      expect(failures).toMatchObject([
        {
          item: 'garden-7.md',
          reason: 'DOCUMENT_INVALID',
          attempts: 1,
          state: expect.stringMatching(/waiting|due/) as string,
        },
      ]);
      expect(failures[0]?.message).toMatch(/begun 4 times by workers/);
      expect((await lister.status()).sources).toMatchObject([{ documents: { indexed: 39 } }]);
    });

    it('lets workers of other settings leave alone what they would process in another way', async () => {
      await writeAll(10);
      await scene.list(lister);
      const foreign = work(await scene.host('foreign', { chunking: { maxSize: 300 } }));
      await foreign.heard('notice');
      expect(foreign.events.find(({ type }) => type === 'notice')).toMatchObject({
        message: expect.stringMatching(/same configuration/) as string,
      });
      expect(await scene.pending(lister)).toBe(10);
      work(await scene.host('worker'));
      await scene.drained(lister);
      expect((await lister.verify()).ok).toBe(true);
    });
  },
);
