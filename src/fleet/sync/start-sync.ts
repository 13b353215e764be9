import { messageOf, RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { type Runtime, runtime, sleep, withRuntime } from '../../core/runtime.js';
import { LOCAL_SCOPE, type Scope, scopeOf } from '../../core/scope.js';
import type { WriterLock } from '../../ledger/lock.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import type { IndexResult } from '../../operations/engine.js';
import { nextAttemptAt } from '../../operations/retry-policy.js';
import type { SourceTiming, SyncPlan } from '../../operations/sync-plan.js';
import {
  leftBehind,
  readSourceRecords,
  readSyncHolder,
  type SourceSync,
  type SyncTrigger,
  syncFolder,
  writeSourceRecords,
} from '../../operations/sync-state.js';
import { isoTime, type Moment, SourceTurns, type Turn } from './source-turns.js';
import type { Sync, Syncable, SyncOptions } from './sync.js';
import type { Happening } from './sync-events.js';
import { SourceWatch } from './watch/source-watch.js';

/** Clocks may be set, and machines sleep: turns are looked for at least this often, in milliseconds. */
const CHECK_MS = 30_000;
/** How often a sync that waits for another one looks whether it has ended, in milliseconds. */
const STANDBY_MS = 2_000;
/** How long a run waits for another writer of the index, in milliseconds. */
const WRITER_WAIT_MS = 60_000;

/**
 * Follows sources: reads each when the configuration says so (`watch`, `autoIndex`, `indexSchedule`, `updateSchedule`), one at a time,
 * until it is stopped. What fails is tried again, after longer and longer pauses, and never ends it. Of several processes with one data
 * folder one follows its sources; the others wait and take over.
 *
 * Stop it before the engine is closed.
 *
 * @throws RAGError `USAGE` where no source says when it is to be read, or a name is not one of theirs; `SCOPE_INVALID`
 */
export function startSync(engine: Syncable, options: SyncOptions = {}): Sync {
  const plan = engine.syncPlan();
  const timings = chosenTimings(plan, options.sources);
  return withRuntime(plan.runtime, () => new RunningSync(engine, { plan, timings, options }));
}

function chosenTimings(
  { timings, sources }: SyncPlan,
  names: readonly string[] | undefined,
): readonly SourceTiming[] {
  if (names === undefined && timings.length > 0) return timings;
  const unknown = names?.find((name) => !sources.includes(name));
  if (unknown !== undefined)
    throw new RAGError(
      'USAGE',
      `There is no enabled source "${unknown}" in the configuration. Enabled sources: ${sources.join(', ') || 'none'}.`,
    );
  const silent = names?.filter((name) => !timings.some(({ source }) => source === name)) ?? [];
  if (names === undefined || silent.length > 0)
    throw new RAGError(
      'USAGE',
      `${names === undefined ? 'No source of the configuration says' : `The configuration does not say of ${silent.map((name) => `"${name}"`).join(', ')}`} when it is to be read. Add \`watch: true\`, \`autoIndex: true\`, \`indexSchedule\` or \`updateSchedule\` to it, or read it now with \`ragstone sync\`.`,
    );
  return timings.filter(({ source }) => names.includes(source));
}

interface SyncParts {
  readonly plan: SyncPlan;
  readonly timings: readonly SourceTiming[];
  readonly options: SyncOptions;
}

class RunningSync implements Sync {
  readonly ended: Promise<void>;
  readonly #engine: Syncable;
  readonly #plan: SyncPlan;
  readonly #timings: readonly SourceTiming[];
  readonly #options: SyncOptions;
  readonly #scope: Scope;
  readonly #folder: string;
  readonly #clock: Runtime = runtime();
  readonly #stopping = new AbortController();
  #turns: readonly SourceTurns[] = [];
  #wake = (): void => undefined;
  #isKept = true;

  constructor(engine: Syncable, { plan, timings, options }: SyncParts) {
    this.#engine = engine;
    this.#plan = plan;
    this.#timings = timings;
    this.#options = options;
    this.#scope = scopeOf(options.scope ?? LOCAL_SCOPE);
    this.#folder = syncFolder(plan.dataDir, this.#scope.tenant);
    this.ended = this.#run();
    // A caller that asks is told; others are told by events.
    this.ended.catch(() => undefined);
  }

  states(): readonly SourceSync[] {
    return this.#turns.map((turns) => turns.state(this.#moment()));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new RAGError('ABORTED', 'The sync was stopped.'));
    this.#wake();
    await this.ended.catch(() => undefined);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #moment(): Moment {
    return { now: this.#clock.now(), elapsed: this.#clock.elapsed() };
  }

  #tell(event: Happening): void {
    this.#options.onEvent?.({ ...event, at: isoTime(this.#clock.now()) });
  }

  async #run(): Promise<void> {
    // The caller that starts it hears of everything.
    await Promise.resolve();
    const lock = await this.#ownTurn();
    if (lock === undefined) return this.#tell({ type: 'stopped' });
    const watches: SourceWatch[] = [];
    try {
      this.#readState();
      this.#tell({ type: 'started', sources: this.#timings.map(({ source }) => source) });
      await this.#startWatches(watches);
      this.#keep();
      await this.#follow();
    } finally {
      await Promise.all(watches.map((watch) => watch.stop()));
      this.#keep();
      await lock.release();
      this.#tell({ type: 'stopped' });
    }
  }

  /** One process follows the sources of a data folder; undefined where it was stopped before it was its turn. */
  async #ownTurn(): Promise<WriterLock | undefined> {
    const { signal } = this.#stopping;
    const holder = { command: this.#options.command ?? 'startSync' };
    for (let isTold = false; ; isTold = true) {
      try {
        throwIfAborted(signal);
        return await acquireWriterLock({ folder: this.#folder, holder, signal });
      } catch (error) {
        if (this.#isStopping) return undefined;
        if (!isLocked(error)) throw error;
        if (!isTold)
          this.#tell({ type: 'waiting', holder: readSyncHolder(this.#plan.dataDir, this.#scope.tenant) });
        await sleep(STANDBY_MS, signal).catch(() => undefined);
      }
    }
  }

  #readState(): void {
    const kept = readSourceRecords(this.#folder);
    const moment = this.#moment();
    this.#turns = this.#timings.map(
      (timing) =>
        new SourceTurns(timing, {
          settleMs: this.#plan.settleMs,
          kept: kept.get(timing.source),
          moment,
        }),
    );
  }

  async #startWatches(watches: SourceWatch[]): Promise<void> {
    for (const turns of this.#turns) {
      const { source, places } = turns.timing;
      if (places === undefined) continue;
      const { pollMs } = this.#plan;
      const watch = new SourceWatch({
        places,
        pollMs,
        onChange: (change) => {
          turns.noticed(change, this.#moment());
          this.#wake();
        },
        onPolling: (why) => {
          turns.watched('interval');
          this.#tell({ type: 'polling', source, everyMs: pollMs, why });
        },
      });
      watches.push(watch);
      await watch.start();
      if (this.#isStopping) return;
      if (watch.isPolling) continue;
      turns.watched('on');
      this.#tell({ type: 'watching', source, folders: watch.folders });
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isStopping) {
      const next = this.#nextTurn();
      if (next !== undefined && next.turn.inMs <= 0) await this.#read(next.turns, next.turn);
      else await this.#rest(Math.min(next?.turn.inMs ?? CHECK_MS, CHECK_MS));
    }
  }

  /** Who waits longest is first. */
  #nextTurn(): { readonly turns: SourceTurns; readonly turn: Turn } | undefined {
    const moment = this.#moment();
    return this.#turns
      .flatMap((turns) => {
        const turn = turns.next(moment);
        return turn === undefined ? [] : [{ turns, turn }];
      })
      .sort((a, b) => a.turn.inMs - b.turn.inMs || 0)[0];
  }

  /** Until a time has passed or something happens. */
  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.setTimer(() => this.#wake(), milliseconds);
      this.#wake = () => {
        cancel();
        this.#wake = () => undefined;
        resolve();
      };
    });
  }

  async #read(turns: SourceTurns, { trigger, inMs }: Turn): Promise<void> {
    const { source } = turns;
    const dueAt = this.#clock.now() + inMs - CLOCKS_APART_MS;
    const { handsOver = false, isShared = false } = this.#plan;
    turns.begin(trigger, this.#moment());
    this.#keep();
    this.#tell({ type: 'run-started', source, trigger });
    try {
      const result = await this.#engine.index(
        {
          sources: [source],
          options: {
            waitMs: WRITER_WAIT_MS,
            ...(handsOver ? { handOver: true } : {}),
            // Hosts with one schedule take one turn together; who sees a change alone knows that nobody has listed it.
            ...(isShared && PLANNED.has(trigger) ? { unlessListedSince: isoTime(dueAt) } : {}),
          },
          onProgress: this.#options.onProgress ?? (() => undefined),
          signal: this.#stopping.signal,
        },
        this.#scope,
      );
      const failure = failureOf(result, source);
      if (failure !== undefined) throw new RAGError(failure.reason, failure.message);
      turns.end(this.#moment());
      const nextAt = turns.nextAt(this.#moment());
      this.#tell({ type: 'run-finished', source, trigger, result, nextAt });
    } catch (error) {
      if (this.#isStopping) return turns.giveBack();
      const { reason, message } = toRAGError(error, 'INTERNAL', `The run failed: ${String(error)}`);
      turns.end(this.#moment(), message, await this.#retryAt(source, turns.failures + 1));
      const nextAt = turns.nextAt(this.#moment()) ?? isoTime(this.#clock.now());
      this.#tell({ type: 'run-failed', source, trigger, reason, message, failures: turns.failures, nextAt });
    } finally {
      this.#keep();
    }
  }

  /** What the ledger says of the source; where the failure did not reach it, by the same policy. */
  async #retryAt(source: string, failures: number): Promise<number> {
    const states = await this.#engine.sourceStates?.(this.#scope).catch(() => []);
    const stated = Date.parse(states?.find((state) => state.source === source)?.nextAttemptAt ?? '');
    return stated > this.#clock.now() ? stated : Date.parse(nextAttemptAt(this.#plan.retry, failures));
  }

  /** A disk that is full is no reason to stop reading. */
  #keep(): void {
    const moment = this.#moment();
    try {
      // What the configuration had followed before, or another process will again: this one does not.
      const others = [...readSourceRecords(this.#folder).values()]
        .filter(({ source }) => !this.#turns.some((turns) => turns.source === source))
        .map(leftBehind);
      writeSourceRecords(this.#folder, [...this.#turns.map((turns) => turns.kept(moment)), ...others]);
      this.#isKept = true;
    } catch (error) {
      if (!this.#isKept) return;
      this.#isKept = false;
      const why = messageOf(error);
      this.#tell({
        type: 'notice',
        message: `What was read when cannot be written down (${why}). If this process ends, the next one may do a run again.`,
      });
    }
  }
}

/** A listing that began so much before a turn was due counts for it: clocks of hosts are not quite the same. */
const CLOCKS_APART_MS = 1_000;

/** Turns that come to every host at the same moment. */
const PLANNED: ReadonlySet<SyncTrigger> = new Set(['schedule', 'missed']);

/** What a source failed of as a whole; documents of it may fail without it. */
const failureOf = (
  { stats }: IndexResult,
  name: string,
): IndexResult['stats']['errors'][number] | undefined =>
  stats.errors.find(({ source, item }) => source === name && item === undefined);

const isLocked = (error: unknown): boolean => RAGError.isInstance(error) && error.reason === 'INDEX_LOCKED';
