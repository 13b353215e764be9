import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { createEngine } from '../../src/engine/create-engine.js';
import { CORPORA, corpusFolder } from '../shared/places.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import type { SpeedBenchmark, SpeedResult } from './result.js';

/** Milliseconds that a timer may be late while a folder is indexed: a server answers others meanwhile. */
const TARGET_P99 = 20;
const TARGET_MAX = 200;
const IDLE_MS = 2000;
const NANOSECONDS = 1e6;

interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How long the event loop of the main thread is held up by the first index of the corpora. */
export const eventLoop: SpeedBenchmark = {
  name: 'event-loop',
  run: async ({ isSmall, say }) => {
    const folders = (isSmall ? CORPORA.slice(0, 1) : CORPORA).map(corpusFolder);
    const idle = await delayOf(() => wait(IDLE_MS));
    const results: SpeedResult[] = [];
    for (const provider of ['lancedb', 'libsql'] as const) {
      say(`event loop: indexing into ${provider}`);
      results.push(resultOf(provider, idle, await delayWhileIndexing(provider, folders)));
    }
    return results;
  },
};

const delayWhileIndexing = (provider: 'lancedb' | 'libsql', paths: readonly string[]): Promise<Delay> =>
  withTemporaryFolder(async (cwd) => {
    const engine = await createEngine({ cwd, overrides: { provider } });
    try {
      return await delayOf(() => engine.index({ paths }));
    } finally {
      await engine.close();
    }
  });

async function delayOf(work: () => Promise<unknown>): Promise<Delay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await work();
  histogram.disable();
  const { max } = histogram;
  return {
    p50: histogram.percentile(50) / NANOSECONDS,
    p99: histogram.percentile(99) / NANOSECONDS,
    max: max / NANOSECONDS,
  };
}

const resultOf = (provider: string, idle: Delay, delay: Delay): SpeedResult => ({
  name: `event-loop-${provider}`,
  what: `99th percentile of the delay of the main thread's event loop during the first index of the corpora into ${provider}; floor: the same of an idle process`,
  unit: 'ms',
  floor: idle.p99,
  ours: delay.p99,
  ratio: delay.p99 / idle.p99,
  target: `p99 < ${TARGET_P99} ms, max < ${TARGET_MAX} ms`,
  met: delay.p99 < TARGET_P99 && delay.max < TARGET_MAX,
  runs: 1,
  noise: `idle: up to ${rounded(idle.max)} ms`,
  details: { p50: rounded(delay.p50), max: rounded(delay.max) },
});
