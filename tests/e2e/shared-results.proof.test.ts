import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../src/index.js';
import { freePort, hasRedis, startRedis } from '../../src/platform/redis/test-redis.js';
import { IS_LONG } from '../long-forms.js';
import type { RankAnswer } from './search-ranks.js';
import { temporaryFolder } from './temporary-folder.js';

/** 10,000 requests of both processes at once with `RAGSTONE_SLOW=1`; else fewer, and in turns, so that none is made twice. Times are printed: p95 of a hit should be below 5 ms. */
const [REQUESTS, VOCABULARY, AT_ONCE] = IS_LONG ? [10_000, 400, 100] : [400, 40, 1];
/** Of memory and file: most results come from the server. */
const MAX_ENTRIES = Math.floor(VOCABULARY / 8);
const A = { tenant: 'a' };

/** Ranks by Zipf's law with exponent 1, the same each time. */
function zipf(count: number): number[] {
  const weights = Array.from({ length: VOCABULARY }, (_, rank) => 1 / (rank + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let state = 42;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    let left = (state / 2_147_483_648) * total;
    const rank = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return Math.max(0, rank);
  });
}

interface Searcher {
  ask(ranks: readonly number[]): Promise<RankAnswer[]>;
}

async function startSearcher(cwd: string, cache: object): Promise<Searcher> {
  const program = fileURLToPath(new URL('./search-ranks.ts', import.meta.url));
  const child: ChildProcess = fork(program, [cwd, JSON.stringify(cache)], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    ask: async (ranks) => {
      child.send(ranks);
      const [answers] = (await once(child, 'message')) as [RankAnswer[]];
      return answers;
    },
  };
}

/** Hands requests out, a few at a time: to both at once in the long form, else to one after the other. */
async function askAll(searchers: readonly Searcher[], ranks: readonly number[]): Promise<RankAnswer[]> {
  const left = [...ranks];
  const answers: RankAnswer[] = [];
  const takeOne = async (searcher: Searcher): Promise<void> => {
    answers.push(...(await searcher.ask(left.splice(0, AT_ONCE))));
  };
  const takeAll = async (searcher: Searcher): Promise<void> => {
    while (left.length > 0) await takeOne(searcher);
  };
  if (IS_LONG) await Promise.all(searchers.map(takeAll));
  else while (left.length > 0) for (const searcher of searchers) if (left.length > 0) await takeOne(searcher);
  return answers;
}

const quantile = (answers: readonly RankAnswer[], share: number): number =>
  answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[Math.floor(answers.length * share)] ?? Number.NaN;
const p95 = (answers: readonly RankAnswer[]): number => quantile(answers, 0.95);
const hitsOf = (answers: readonly RankAnswer[]): RankAnswer[] =>
  answers.filter(({ cache }) => cache === 'hit');
const areRight = (answers: readonly RankAnswer[], not?: number): boolean =>
  answers.every(({ rank, first }) => rank === not || first === `d${rank}`);

describe.skipIf(!hasRedis())('two processes that share what searches found by one Redis', () => {
  test('hit as often as queries repeat, and are slower and never wrong when the server is killed', async () => {
    const port = await freePort();
    const server = await startRedis(port);
    const cwd = temporaryFolder();
    const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
    onTestFinished(() => engine.close());
    const documents = Array.from({ length: VOCABULARY }, (_, rank) => ({
      id: `d${rank}`,
      text: `Item word${rank}x of all.`,
    }));
    await engine.push(documents, A);
    const cache = { enabled: true, redis: `redis://127.0.0.1:${port}`, maxEntries: MAX_ENTRIES };
    const searchers = [await startSearcher(cwd, cache), await startSearcher(cwd, cache)];

    const ranks = zipf(REQUESTS);
    const answers = await askAll(searchers, ranks);
    const distinct = new Set(ranks).size;
    const [rate, ideal] = [hitsOf(answers).length / REQUESTS, 1 - distinct / REQUESTS];
    const ofRepeated = hitsOf(answers).length / (REQUESTS - distinct);
    console.info(
      `${REQUESTS} requests, ${distinct} distinct: hit rate ${rate.toFixed(4)} (ideal ${ideal.toFixed(4)}), ${(100 * ofRepeated).toFixed(1)} % of repeated queries; a hit took ${quantile(hitsOf(answers), 0.5).toFixed(2)} ms, p95 ${p95(hitsOf(answers)).toFixed(2)}, p95 of a miss ${p95(answers.filter((one) => one.cache === 'miss')).toFixed(2)} ms`,
    );
    expect(answers).toHaveLength(REQUESTS);
    expect(areRight(answers)).toBe(true);
    expect(Math.abs(rate - ideal)).toBeLessThan(0.01);
    expect(ofRepeated).toBeGreaterThan(0.8);

    const [before, after] = [ranks.slice(0, REQUESTS / 4), ranks.slice(REQUESTS / 4, REQUESTS / 2)];
    const underWay = askAll(searchers, before);
    server.kill('SIGKILL');
    await once(server, 'exit');
    const meanwhile = await underWay;
    expect(areRight(meanwhile)).toBe(true);
    // What was kept anywhere of the first document is of another text now.
    await engine.push([{ id: 'd0', text: 'Nothing of that kind.' }], A);
    const without = await askAll(searchers, after);
    const rateWithout = hitsOf(without).length / without.length;
    console.info(
      `without Redis: hit rate ${rateWithout.toFixed(4)}, p95 of all ${p95(without).toFixed(2)} ms (with it ${p95(answers).toFixed(2)} ms)`,
    );
    expect(areRight(without, 0)).toBe(true);
    expect(without.some(({ rank, first }) => rank === 0 && first === 'd0')).toBe(false);
    // Once a minute.
    const told = [...meanwhile, ...without].flatMap(({ noticeKinds }) => noticeKinds);
    expect(told).toContain('cache-unavailable');
    // Nothing of the search itself was missing.
    expect(told).not.toContain('search-degraded');
    // It was the server that answered most of them.
    expect(rateWithout).toBeLessThan(rate);
  }, 900_000);
});
