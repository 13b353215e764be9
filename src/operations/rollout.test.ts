import { type ChildProcess, fork } from 'node:child_process';
import { tracingChannel } from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import type { TelemetryPayloads } from '../core/telemetry.js';
import type { RolloutSettings } from '../resources/rollout/rollout-side.js';
import { RolloutFile, RolloutMemory } from '../resources/rollout/rollout-totals.js';
import { Rollout, type RolloutWork } from './rollout.js';

const ALL: RolloutSettings = { rag_enrichment: true, rolloutPercentage: 100, shadow: false };
const SHADOW: RolloutSettings = { ...ALL, shadow: true };

const work = (
  id: string,
  { rag = ['new'], legacy = ['old'] }: { rag?: readonly string[] | Error; legacy?: readonly string[] } = {},
): RolloutWork<readonly string[]> => ({
  id,
  rag: () => (rag instanceof Error ? Promise.reject(rag) : Promise.resolve(rag)),
  legacy: () => legacy,
  isOff: (answer) => answer.includes('off'),
  found: (answer) => answer,
});

test('without settings every item is done the new way, and none is counted', async () => {
  const rollout = new Rollout();
  expect(await rollout.run(work('a'))).toEqual({ answer: ['new'], outcome: { side: 'rag' } });
  expect(rollout.report()).toMatchObject({ items: { rag: 0 } });
  expect(rollout.report()).not.toHaveProperty('since');
});

test.each([150, -1, Number.NaN])(
  'a program that states %s percent is told so at once',
  (rolloutPercentage) => {
    expect(() => new Rollout({ settings: { ...ALL, rolloutPercentage } })).toThrow(
      `must be a number from 0 to 100, and is ${rolloutPercentage}`,
    );
  },
);

test('each item is done on its side, and counted there', async () => {
  const rollout = new Rollout({ settings: { ...ALL, rolloutPercentage: 30 } });
  let onNewSide = 0;
  for (let n = 0; n < 200; n++) {
    const { answer, outcome } = await rollout.run(work(`X-${n}`));
    const { side, position } = rollout.decide(`X-${n}`);
    expect(side).toBe(position < 30 ? 'rag' : 'legacy');
    expect(answer).toEqual([side === 'rag' ? 'new' : 'old']);
    expect(outcome).toEqual(side === 'rag' ? { side } : { side, reason: 'percentage' });
    if (side === 'rag') onNewSide++;
  }
  expect(onNewSide).toBeGreaterThan(30);
  const { items, shadow } = rollout.report();
  expect(items).toEqual({
    rag: onNewSide,
    legacy: { flag: 0, percentage: 200 - onNewSide, shadow: 0, disabled: 0, fallback: 0 },
  });
  expect(shadow).toMatchObject({ compared: 0, tookMs: { rag: { mean: 0, most: 0 } } });
});

test('an item that is not rolled out never asks the index', async () => {
  const refuse = { ...work('a'), rag: () => Promise.reject(new Error('was asked')) };
  for (const settings of [
    { ...SHADOW, rag_enrichment: false },
    { ...ALL, rolloutPercentage: 0 },
  ])
    expect(await new Rollout({ settings }).run(refuse)).not.toHaveProperty('error');
});

test('what the new way fails for is done the old way, told and counted', async () => {
  const rollout = new Rollout({ settings: ALL });
  const error = new Error('down');
  expect(await rollout.run(work('a', { rag: error }))).toEqual({
    answer: ['old'],
    outcome: { side: 'legacy', reason: 'fallback' },
    error,
  });
  expect(await rollout.run(work('b', { rag: ['off'] }))).toMatchObject({
    answer: ['old'],
    outcome: { side: 'legacy', reason: 'disabled' },
  });
  expect(rollout.report().items.legacy).toMatchObject({ fallback: 1, disabled: 1 });
});

test('an old way that fails is what the caller is told, and nothing is counted', async () => {
  const rollout = new Rollout({ settings: { ...ALL, rolloutPercentage: 0 } });
  const broken = { ...work('a'), legacy: () => Promise.reject(new Error('old is broken')) };
  await expect(rollout.run(broken)).rejects.toThrow('old is broken');
  expect(rollout.report().items.legacy.percentage).toBe(0);
});

test('shadow does both, answers the old way, and counts what each found and took', async () => {
  let now = 0;
  const runtime = { ...SYSTEM_RUNTIME, elapsed: () => now, now: () => Date.parse('2026-05-01') + now };
  const taking = (milliseconds: number, answer: readonly string[]) => async () => {
    now += milliseconds;
    return answer;
  };
  const rollout = new Rollout({ settings: SHADOW, runtime });
  const timed = (id: string, legacy: readonly string[], rag: readonly string[], ragMs: number) =>
    rollout.run({ ...work(id), legacy: taking(10, legacy), rag: taking(ragMs, rag) });
  expect(await timed('a', ['x', 'y'], ['y', 'z', 'w'], 30)).toEqual({
    answer: ['x', 'y'],
    outcome: {
      side: 'legacy',
      reason: 'shadow',
      comparison: {
        agrees: false,
        found: { legacy: 2, rag: 3, both: 1 },
        tookMs: { legacy: 10, rag: 30 },
      },
    },
  });
  const same = await timed('b', ['x', 'y'], ['y', 'x'], 50);
  expect(same.outcome.comparison?.agrees).toBe(true);
  const failed = await rollout.run(work('c', { rag: new Error('down') }));
  expect(failed).toMatchObject({ answer: ['old'], outcome: { side: 'legacy', reason: 'shadow' } });
  expect(failed.error).toBeInstanceOf(Error);
  expect(rollout.report()).toEqual({
    settings: SHADOW,
    since: '2026-05-01T00:00:00.040Z',
    until: '2026-05-01T00:00:00.100Z',
    items: { rag: 0, legacy: { flag: 0, percentage: 0, shadow: 3, disabled: 0, fallback: 0 } },
    shadow: {
      compared: 2,
      agreed: 1,
      failed: 1,
      found: { legacy: 4, rag: 5, both: 3 },
      tookMs: { legacy: { mean: 10, most: 10 }, rag: { mean: 40, most: 50 } },
    },
  });
});

test('each item is published with its side, and without its id', async () => {
  const heard: TelemetryPayloads['rollout'][] = [];
  const channel = tracingChannel<unknown, TelemetryPayloads['rollout']>('ragstone:rollout');
  const listener = { asyncEnd: (payload: TelemetryPayloads['rollout']) => heard.push({ ...payload }) };
  channel.subscribe(listener as never);
  onTestFinished(() => channel.unsubscribe(listener as never));
  await new Rollout({ settings: ALL }).run(work('secret-id'));
  await new Rollout({ settings: ALL }).run(work('secret-id', { rag: new Error('down') }));
  await new Rollout({ settings: SHADOW }).run(work('secret-id', { rag: ['old'] }));
  await new Rollout({ settings: SHADOW }).run(work('secret-id', { rag: new Error('down') }));
  const tookMs = expect.any(Number);
  expect(heard).toEqual([
    { side: 'rag', tookMs },
    { side: 'legacy', reason: 'fallback', tookMs },
    { side: 'legacy', reason: 'shadow', comparison: 'agreed', tookMs },
    { side: 'legacy', reason: 'shadow', comparison: 'failed', tookMs },
  ]);
});

test.each([
  ['a file', () => new RolloutFile(join(temporaryFolder(), 'new', 'rollout.db'))],
  ['memory', () => new RolloutMemory()],
])('%s keeps the counts of each tenant apart, and forgets them for one', (_, make) => {
  const totals = make();
  expect(totals.read('a')).toEqual({ totals: new Map() });
  totals.clear('a');
  totals.add('a', { rag: 1, 'ms-rag': 2.5 }, 2_000);
  totals.add('a', { rag: 1, 'ms-rag': 1 }, 1_000);
  totals.add('b', { rag: 1 }, 3_000);
  expect(totals.read('a')).toEqual({
    since: 1_000,
    until: 2_000,
    totals: new Map([
      ['rag', { sum: 2, most: 1 }],
      ['ms-rag', { sum: 3.5, most: 2.5 }],
    ]),
  });
  totals.clear('a');
  expect([totals.read('a').totals.size, totals.read('b').totals.size]).toEqual([0, 1]);
});

test('processes that count at once lose nothing', async () => {
  const path = join(temporaryFolder(), 'rollout.db');
  const program = join(temporaryFolder(), 'count.mts');
  writeFileSync(
    program,
    `import { RolloutFile } from ${JSON.stringify(new URL('../resources/rollout/rollout-totals.ts', import.meta.url).href)};
     const file = new RolloutFile(${JSON.stringify(path)});
     for (let n = 0; n < 40; n++) file.add('a', { rag: 1, fallback: 2 }, n);`,
  );
  const started = [1, 2, 3].map(
    (): ChildProcess => fork(program, { execArgv: ['--import', import.meta.resolve('tsx')] }),
  );
  const codes = await Promise.all(started.map((child) => new Promise((done) => child.on('exit', done))));
  expect(codes).toEqual([0, 0, 0]);
  const { totals } = new RolloutFile(path).read('a');
  expect([totals.get('rag')?.sum, totals.get('fallback')?.sum]).toEqual([120, 240]);
});

test('what cannot be counted is answered all the same, and says what to do', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'rollout.db'));
  writeFileSync(join(folder, 'damaged.db'), 'x'.repeat(8_192));
  for (const [name, reason] of [
    ['rollout.db', 'INDEX_READ_ONLY'],
    ['damaged.db', 'INDEX_DAMAGED'],
  ] as const) {
    const rollout = new Rollout({ settings: ALL, totals: new RolloutFile(join(folder, name)) });
    const { answer, uncounted } = await rollout.run(work('a'));
    expect(answer).toEqual(['new']);
    expect(uncounted).toMatchObject({ reason, message: expect.stringContaining(name) });
    expect(() => rollout.report()).toThrow(expect.objectContaining({ reason }));
  }
});
