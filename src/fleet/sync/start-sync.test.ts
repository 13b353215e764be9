import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../tests/wait-for.js';
import { RAGError } from '../../core/errors.js';
import type { IndexRequest, IndexResult } from '../../operations/engine.js';
import type { SourceTiming } from '../../operations/sync-plan.js';
import { readSyncStatus } from '../../operations/sync-state.js';
import { startSync } from './start-sync.js';
import type { Sync, SyncOptions } from './sync.js';
import type { SyncEvent } from './sync-events.js';
import { TestClock } from './test-clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const RESULT: IndexResult = {
  success: true,
  notices: [],
  dryRun: false,
  stats: {
    documentsProcessed: 0,
    documentsUnchanged: 0,
    documentsFailed: 0,
    documentsDeleted: 0,
    chunksCreated: 0,
    chunksUnchanged: 0,
    vectorsIndexed: 0,
    embeddingsComputed: 0,
    timeElapsed: 0,
    stages: {},
    errors: [],
  },
};

const cron = (expression: string, timezone = 'UTC') => ({ expression, timezone });
const timing = (source: string, more: Partial<SourceTiming>): SourceTiming => ({
  source,
  atStart: false,
  schedules: [],
  ...more,
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-sync-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Sources on a clock of the test: reading one is whatever `read` does, at once unless it waits. */
class Bench {
  readonly clock: TestClock;
  readonly dataDir: string;
  readonly runs: string[] = [];
  readonly events: SyncEvent[] = [];
  read: (source: string, signal: AbortSignal) => Promise<IndexResult> = async () => RESULT;
  timings: readonly SourceTiming[];
  readonly options: (IndexRequest['options'] | undefined)[] = [];
  isShared = false;
  #busy = 0;
  #isWaiting = false;

  constructor(start: string, timings: readonly SourceTiming[], dataDir = newFolder()) {
    this.clock = new TestClock(start);
    this.timings = timings;
    this.dataDir = dataDir;
  }

  start(options: SyncOptions = {}): Sync {
    const engine = {
      syncPlan: () => ({
        timings: this.timings,
        sources: this.timings.map(({ source }) => source),
        settleMs: 500,
        pollMs: MINUTE,
        retry: { attempts: 5, initialDelayMs: 10_000, maxDelayMs: 20 * MINUTE },
        dataDir: this.dataDir,
        ...(this.isShared ? { isShared: true, handsOver: true } : {}),
        runtime: this.clock.runtime,
      }),
      index: async (request: IndexRequest | readonly unknown[] = {}) => {
        const { sources = [], signal, options } = request as IndexRequest;
        this.options.push(options);
        const source = sources.join();
        this.runs.push(`${this.clock.time} ${source}`);
        this.#busy++;
        try {
          return await this.read(source, signal ?? new AbortController().signal);
        } finally {
          this.#busy--;
        }
      },
    };
    const sync = startSync(engine, { ...options, onEvent: (event) => this.events.push(event) });
    onTestFinished(() => sync.stop());
    return sync;
  }

  /** Resolves when nothing is under way but what waits for the clock. */
  readonly #settled = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise(setImmediate);
      quiet = this.#busy > 0 && !this.#isWaiting ? 0 : quiet + 1;
    }
  };

  advance = (milliseconds: number): Promise<void> => this.clock.advance(milliseconds, this.#settled);

  /** A run that takes so long by the clock. */
  takes(milliseconds: number): void {
    this.read = async (_, signal) => {
      this.#isWaiting = true;
      await new Promise<void>((resolve) => {
        this.clock.runtime.setTimer(resolve, milliseconds);
        signal.addEventListener('abort', () => resolve());
      });
      this.#isWaiting = false;
      signal.throwIfAborted();
      return RESULT;
    };
  }

  /** What was read since the last question. */
  taken(): string[] {
    return this.runs.splice(0);
  }

  triggers(): string[] {
    return this.events.flatMap((event) => (event.type === 'run-started' ? [event.trigger] : []));
  }
}

test('a day of two schedules, in their time zones', async () => {
  const bench = new Bench('2026-04-30T23:30:00Z', [
    timing('pipeline', { schedules: [cron('0 */6 * * *')] }),
    timing('wiki', { schedules: [cron('30 2 * * *', 'Europe/Berlin')] }),
  ]);
  bench.start();
  await bench.advance(24 * HOUR);
  expect(bench.taken()).toEqual([
    '2026-05-01T00:00 pipeline',
    '2026-05-01T00:30 wiki',
    '2026-05-01T06:00 pipeline',
    '2026-05-01T12:00 pipeline',
    '2026-05-01T18:00 pipeline',
  ]);
});

test('both settings of a source are turns of the same run', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [
    timing('both', { schedules: [cron('0 */12 * * *'), cron('0 6,12 * * *')] }),
  ]);
  bench.start();
  await bench.advance(13 * HOUR);
  expect(bench.taken()).toEqual(['2026-05-01T06:00 both', '2026-05-01T12:00 both']);
});

test('a turn that was missed while nothing ran is taken once, at the start', async () => {
  const timings = [
    timing('a', { schedules: [cron('0 2 * * *')] }),
    timing('b', { schedules: [cron('0 5 * * *')] }),
  ];
  const first = new Bench('2026-05-01T00:00:00Z', timings);
  const sync = first.start();
  await first.advance(3 * HOUR);
  expect(first.taken()).toEqual(['2026-05-01T02:00 a']);
  await sync.stop();
  const later = new Bench('2026-05-04T03:30:00Z', timings, first.dataDir);
  later.start();
  await later.advance(2 * HOUR);
  // Three turns of each were missed, and b waits longer.
  expect(later.taken()).toEqual(['2026-05-04T03:30 b', '2026-05-04T03:30 a', '2026-05-04T05:00 b']);
  expect(later.triggers()).toEqual(['missed', 'missed', 'schedule']);
});

test('nothing is missed by who starts again between two turns', async () => {
  const timings = [timing('a', { schedules: [cron('0 2 * * *')] })];
  const first = new Bench('2026-05-01T00:00:00Z', timings);
  const sync = first.start();
  await first.advance(3 * HOUR);
  await sync.stop();
  const later = new Bench('2026-05-01T20:00:00Z', timings, first.dataDir);
  later.start();
  await later.advance(HOUR);
  expect(later.taken()).toEqual([]);
});

test('a machine that slept over turns takes one of them when it wakes up', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [timing('a', { schedules: [cron('0 * * * *')] })]);
  bench.start();
  await bench.advance(90 * MINUTE);
  expect(bench.taken()).toEqual(['2026-05-01T01:00 a']);
  // Timers stand still meanwhile.
  bench.clock.set('2026-05-01T08:20:00Z');
  await bench.advance(MINUTE);
  expect(bench.taken()).toEqual(['2026-05-01T08:20 a']);
  await bench.advance(HOUR);
  expect(bench.taken()).toEqual(['2026-05-01T09:00 a']);
});

test('a clock that was years ahead and is set right: turns count from what it says', async () => {
  const bench = new Bench('2036-05-01T00:00:00Z', [timing('a', { schedules: [cron('0 2 * * *')] })]);
  const sync = bench.start();
  await bench.advance(3 * HOUR);
  expect(bench.taken()).toEqual(['2036-05-01T02:00 a']);
  bench.clock.set('2026-05-01T01:00:00Z');
  await bench.advance(2 * HOUR);
  expect(bench.taken()).toEqual(['2026-05-01T02:00 a']);
  await sync.stop();
  const later = new Bench('2020-01-01T00:00:00Z', bench.timings, bench.dataDir);
  later.start();
  await later.advance(24 * HOUR);
  expect(later.taken()).toEqual(['2020-01-01T02:00 a']);
});

test('a run that lasts over turns of its source is followed by one, and never by one beside it', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [timing('slow', { schedules: [cron('*/10 * * * *')] })]);
  bench.takes(35 * MINUTE);
  bench.start();
  await bench.advance(2 * HOUR);
  expect(bench.taken()).toEqual([
    '2026-05-01T00:10 slow',
    '2026-05-01T00:45 slow',
    '2026-05-01T01:20 slow',
    '2026-05-01T01:55 slow',
  ]);
});

test('at the start: what is to be indexed then, in the order of the configuration', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [
    timing('one', { atStart: true }),
    timing('two', { schedules: [cron('0 2 * * *')] }),
    timing('three', { atStart: true, schedules: [cron('0 1 * * *')] }),
  ]);
  const sync = bench.start();
  await bench.advance(MINUTE);
  expect(bench.taken()).toEqual(['2026-05-01T00:00 one', '2026-05-01T00:00 three']);
  expect(sync.states().map(({ source, state, nextAt }) => ({ source, state, nextAt }))).toEqual([
    { source: 'one', state: 'idle', nextAt: undefined },
    { source: 'two', state: 'idle', nextAt: '2026-05-01T02:00:00.000Z' },
    { source: 'three', state: 'idle', nextAt: '2026-05-01T01:00:00.000Z' },
  ]);
});

test('what fails is tried again after longer and longer pauses, up to a limit, and the others go on', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [
    timing('bad', { atStart: true }),
    timing('good', { schedules: [cron('0 * * * *')] }),
  ]);
  bench.read = async (source) => {
    if (source === 'bad') throw new RAGError('SOURCE_UNREADABLE', 'The service is down.');
    return RESULT;
  };
  const sync = bench.start();
  await bench.advance(2 * HOUR + MINUTE);
  const failed = bench.events.flatMap((event) => (event.type === 'run-failed' ? [event] : []));
  const pauses = failed.map(({ at, nextAt }) => (Date.parse(nextAt) - Date.parse(at)) / 1_000);
  // Any part of the wait by chance; the chance of this clock is one half.
  expect(pauses.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
  expect(Math.max(...pauses)).toBe(10 * 60);
  expect(failed[0]).toMatchObject({
    reason: 'SOURCE_UNREADABLE',
    message: 'The service is down.',
    failures: 1,
  });
  expect(bench.runs.filter((run) => run.endsWith('good'))).toHaveLength(2);
  expect(sync.states()[0]).toMatchObject({ state: 'failing', problem: 'The service is down.' });
  // It comes back, and is read at its next turn.
  bench.read = async () => RESULT;
  await bench.advance(15 * MINUTE);
  expect(sync.states()[0]).toMatchObject({
    state: 'idle',
    failures: 0,
    problem: undefined,
    nextAt: undefined,
  });
});

test('a source that failed as a whole has failed, a document of it that failed has not', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [
    timing('a', { atStart: true }),
    timing('b', { atStart: true }),
  ]);
  bench.read = async (source) => ({
    ...RESULT,
    success: false,
    stats: {
      ...RESULT.stats,
      errors: [
        { source, reason: 'SOURCE_UNREADABLE', message: 'no', ...(source === 'b' ? { item: 'x.md' } : {}) },
      ],
    },
  });
  const sync = bench.start();
  await bench.advance(1_000);
  expect(sync.states().map(({ failures }) => failures)).toEqual([1, 0]);
});

test('what failed last is tried at the next start, whatever its schedule', async () => {
  const timings = [timing('a', { schedules: [cron('0 2 * * *')] })];
  const bench = new Bench('2026-05-01T01:59:00Z', timings);
  bench.read = async () => Promise.reject(new Error('down'));
  const sync = bench.start();
  await bench.advance(2 * MINUTE);
  await sync.stop();
  const later = new Bench('2026-05-01T10:00:00Z', timings, bench.dataDir);
  later.start();
  await later.advance(MINUTE);
  expect(later.triggers()).toEqual(['retry']);
});

test('stop gives back what is under way: it is due at the next start', async () => {
  const timings = [timing('a', { schedules: [cron('0 2 * * *')] })];
  const bench = new Bench('2026-05-01T01:59:00Z', timings);
  bench.takes(HOUR);
  const sync = bench.start();
  await bench.advance(10 * MINUTE);
  expect(sync.states()[0]?.state).toBe('running');
  await sync.stop();
  expect(bench.events.map(({ type }) => type)).toEqual(['started', 'run-started', 'stopped']);
  const later = new Bench('2026-05-01T02:30:00Z', timings, bench.dataDir);
  later.start();
  await later.advance(MINUTE);
  expect(later.triggers()).toEqual(['missed']);
});

test('of two in one data folder one reads, and the other one takes over when it ends', async () => {
  const timings = [timing('a', { atStart: true })];
  const first = new Bench('2026-05-01T00:00:00Z', timings);
  const sync = first.start({ command: 'ragstone sync --daemon' });
  await first.advance(MINUTE);
  const second = new Bench('2026-05-01T00:00:00Z', timings, first.dataDir);
  second.start();
  await second.advance(MINUTE);
  expect(second.events).toEqual([
    expect.objectContaining({
      type: 'waiting',
      holder: expect.objectContaining({ pid: process.pid, command: 'ragstone sync --daemon' }) as object,
    }),
  ]);
  await sync.stop();
  await second.advance(MINUTE);
  expect([first.runs.length, second.runs.length]).toEqual([1, 1]);
});

test('one that waits for another one can be stopped', async () => {
  const timings = [timing('a', { atStart: true })];
  const first = new Bench('2026-05-01T00:00:00Z', timings);
  first.start();
  await first.advance(MINUTE);
  const second = new Bench('2026-05-01T00:00:00Z', timings, first.dataDir);
  const sync = second.start();
  await second.advance(1_000);
  await sync.stop();
  await expect(sync.ended).resolves.toBeUndefined();
});

test('names that are not there or say nothing of it are refused', () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [timing('a', { atStart: true })]);
  expect(() => bench.start({ sources: ['b'] })).toThrow('There is no enabled source "b"');
  bench.timings = [];
  expect(() => bench.start()).toThrow('`watch: true`');
});

test('a folder that cannot be written ends it, and says so', async () => {
  const bench = new Bench('2026-05-01T00:00:00Z', [timing('a', { atStart: true })], '/dev/null/x');
  await waitFor(() => expect(bench.start().ended).rejects.toMatchObject({ reason: expect.any(String) }));
});

test('beside other hosts leaves out turns of a schedule that one of them has taken, and hands its work over', async () => {
  const bench = new Bench('2026-03-02T00:00:30Z', [
    timing('notes', { atStart: true, schedules: [cron('*/10 * * * *')] }),
  ]);
  bench.isShared = true;
  bench.start();
  await bench.advance(10 * MINUTE);
  const waitMs = MINUTE;
  expect(bench.options).toEqual([
    { waitMs, handOver: true },
    { waitMs, handOver: true, unlessListedSince: '2026-03-02T00:09:59.000Z' },
  ]);
});

test('a source whose schedule was removed has no next run, whatever was written down of it', async () => {
  const both = [
    timing('gone', { schedules: [cron('0 2 * * *')] }),
    timing('kept', { schedules: [cron('0 3 * * *')] }),
  ];
  const bench = new Bench('2026-05-01T00:00:00Z', both);
  const before = bench.start();
  await bench.advance(1_000);
  await before.stop();
  bench.timings = both.slice(1);
  bench.start();
  await bench.advance(1_000);
  const next = readSyncStatus(bench.dataDir, 'default')?.sources.map(({ source, nextAt }) => [
    source,
    nextAt,
  ]);
  expect(next).toEqual([
    ['kept', '2026-05-01T03:00:00.000Z'],
    ['gone', undefined],
  ]);
});
