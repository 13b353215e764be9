import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/testing/vector-store/records.js';
import { IS_LONG } from '../long-forms.js';
import { contentsOf } from '../sync/index-contents.js';
import { Scene } from './scene.js';

const postgres = process.env.RAGSTONE_TEST_POSTGRES_URL ?? '';
const redis = process.env.RAGSTONE_TEST_REDIS_URL ?? '';
const SEEDS = IS_LONG ? [1, 2, 3, 4] : [1];
const KILLS = IS_LONG ? 25 : 3;
const DOCUMENTS = IS_LONG ? 400 : 100;
/** Longest time that a worker works before it is killed, in milliseconds. */
const MAX_LIFE_MS = 700;

describe.skipIf(postgres === '' || redis === '')(
  'Work of many machines (RAGSTONE_TEST_POSTGRES_URL, RAGSTONE_TEST_REDIS_URL)',
  () => {
    it.each(SEEDS)(
      'comes to what one process makes, however workers are killed and the queue is emptied (seed %i)',
      async (seed) => {
        const random = seededRandom(seed);
        const scene = await Scene.make({ postgres, redis });
        try {
          for (let number = 0; number < DOCUMENTS; number++) await scene.write(number);
          const lister = await scene.host('lister');
          await scene.list(lister);
          const start = (name: string) => scene.worker(name, { delayMs: 150, concurrency: 2 });
          const workers = [start('a'), start('b')];
          for (const worker of workers) await worker.heard('started');
          let finished = 0;
          for (let kill = 0; kill < KILLS; kill++) {
            const place = kill % 2;
            const next = start(place === 0 ? 'a' : 'b');
            await sleep(random() * MAX_LIFE_MS);
            finished += workers[place]?.count('batch-finished') ?? 0;
            await workers[place]?.kill();
            if (kill % 4 === 1) await scene.redis.flushall();
            for (let edit = 0; edit < DOCUMENTS / 10; edit++) {
              const number = Math.floor(random() * DOCUMENTS);
              const path = join(scene.documents, `garden-${number}.md`);
              if (random() < 0.2) await rm(path, { force: true });
              else await scene.write(number, kill + 1);
            }
            await scene.list(lister);
            workers[place] = next;
            await next.heard('started');
          }
          await scene.drained(lister, 120_000);
          expect(finished + (workers[0]?.count('batch-finished') ?? 0)).toBeGreaterThan(0);
          expect(await contentsOf(lister)).toEqual(await scene.ofOneProcess());
          // Nothing is left to do for a listing either.
          expect((await lister.index()).stats).toMatchObject({ documentsProcessed: 0, documentsDeleted: 0 });
        } finally {
          await scene.end();
        }
      },
      600_000,
    );
  },
);
