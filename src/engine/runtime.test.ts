import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { type Runtime, SYSTEM_RUNTIME } from '../core/runtime.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

/** A runtime of one moment. */
const at = (time: string, changes: Partial<Runtime> = {}): Runtime => ({
  ...SYSTEM_RUNTIME,
  now: () => Date.parse(time),
  elapsed: () => 0,
  ...changes,
});

async function engineWith(runtime: Runtime): Promise<Engine> {
  const engine = await createEngine({ cwd: temporaryFolder(), runtime, config: { provider: 'libsql' } });
  open.push(engine);
  return engine;
}

const NOTE = { id: 'lamp', text: 'The beacon is lit at dusk.' };

it('each engine lives by its own clocks', async () => {
  const times = ['2001-01-01T00:00:00.000Z', '2002-02-02T00:00:00.000Z'];
  const engines = await Promise.all(times.map((time) => engineWith(at(time))));
  await Promise.all(engines.map((engine) => engine.index([NOTE])));
  for (const [i, engine] of engines.entries()) {
    const { lastRun } = await engine.status();
    expect([lastRun?.startedAt, lastRun?.finishedAt]).toEqual([times[i], times[i]]);
    expect(lastRun?.stats).toMatchObject({ timeElapsed: 0 });
    expect((await engine.search('beacon')).tookMs).toBe(0);
  }
});

it('an answer that comes part by part lives by them too', async () => {
  const engine = await engineWith(at('2001-01-01T00:00:00.000Z'));
  await engine.index([NOTE]);
  let last: unknown;
  for await (const event of engine.askStream('When is the beacon lit?')) last = event;
  expect(last).toMatchObject({ type: 'answer' });
  expect((last as { answer: { tookMs: number } }).answer.tookMs).toBe(0);
});

it('documents are prepared when and in whatever order the runtime likes', async () => {
  const begun: (() => Promise<unknown>)[] = [];
  const order: number[] = [];
  const documents = Array.from({ length: 4 }, (_, i) => ({ id: `d${i}`, text: `The lamp of tower ${i}.` }));
  // Holds all of them back until the last one is asked for, and begins with that one.
  const runtime = at('2001-01-01T00:00:00.000Z', {
    prepare: (work) =>
      new Promise((resolve, reject) => {
        const number = begun.length;
        begun.push(() => {
          order.push(number);
          return work().then(resolve, reject);
        });
        if (begun.length === documents.length) for (const start of begun.toReversed()) void start();
      }),
  });
  const engine = await engineWith(runtime);
  expect((await engine.index(documents)).stats.documentsProcessed).toBe(4);
  expect(order).toEqual([3, 2, 1, 0]);
});

it('what is no runtime is refused', async () => {
  await expect(createEngine({ runtime: { now: () => 0 } as Runtime })).rejects.toMatchObject({
    reason: 'USAGE',
    message: expect.stringContaining('runtime') as string,
  });
});
