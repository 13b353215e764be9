import { type CronSchedule, nextTurn } from '../../core/cron-schedule.js';
import type { SourceTiming } from '../../operations/sync-plan.js';
import type { SourceRecord, SourceSync, SyncTrigger } from '../../operations/sync-state.js';

/** Both clocks at one moment: the wall's, by which schedules go, and the one that is never set. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

/** When a source is read next; negative where it waits already. */
export interface Turn {
  readonly inMs: number;
  readonly trigger: SyncTrigger;
}

/** Changes that never end are read after so many times the quiet that is waited for. */
const MOST_SETTLES = 10;

/** When one source is to be read, from all that says so. It decides and does nothing. */
export class SourceTurns {
  readonly timing: SourceTiming;
  readonly #settleMs: number;
  /** Turns of schedules up to this moment are dealt with. */
  #considered: number;
  readonly #found = new Map<CronSchedule, { readonly after: number; readonly at: number | undefined }>();
  /** Turns before this moment came while nothing followed the source. */
  #followedSince: number;
  #startDue: boolean;
  #intervalDue = false;
  #changed: { readonly first: number; readonly last: number } | undefined;
  #failures: number;
  /** By the clock that is never set. */
  #retryAt: number | undefined;
  #running: { readonly considered: number; readonly trigger: SyncTrigger } | undefined;
  #watch: SourceSync['watch'];
  #last: Pick<SourceSync, 'lastStartedAt' | 'lastFinishedAt' | 'lastTrigger' | 'problem'>;

  constructor(
    timing: SourceTiming,
    {
      settleMs,
      kept,
      moment: { now, elapsed },
    }: { readonly settleMs: number; readonly kept?: SourceRecord | undefined; readonly moment: Moment },
  ) {
    this.timing = timing;
    this.#settleMs = settleMs;
    this.#considered = Math.min(kept?.considered ?? now, now);
    this.#followedSince = now;
    this.#startDue = timing.atStart;
    this.#failures = kept?.failures ?? 0;
    // What failed last is tried again now: a new start may have mended it.
    this.#retryAt = this.#failures > 0 ? elapsed : undefined;
    const { lastStartedAt, lastFinishedAt, lastTrigger, problem } = kept ?? {};
    this.#last = { lastStartedAt, lastFinishedAt, lastTrigger, problem };
  }

  get source(): string {
    return this.timing.source;
  }

  get failures(): number {
    return this.#failures;
  }

  watched(watch: SourceSync['watch']): void {
    this.#watch = watch;
  }

  /** Its files changed, or an interval passed. */
  noticed(change: 'changed' | 'gone' | 'returned' | 'interval', { elapsed }: Moment): void {
    if (change === 'interval') this.#intervalDue = true;
    else this.#changed = { first: this.#changed?.first ?? elapsed, last: elapsed };
  }

  /** Its next turn; undefined where only a change leads to one. */
  next(moment: Moment): Turn | undefined {
    if (this.#running !== undefined) return undefined;
    const turns = [...this.#plannedTurns(moment), ...this.#changeTurns(moment)];
    return turns.sort((a, b) => a.inMs - b.inMs)[0];
  }

  #plannedTurns({ now, elapsed }: Moment): Turn[] {
    if (this.#startDue) return [{ inMs: Number.NEGATIVE_INFINITY, trigger: 'start' }];
    // A clock that was set back: turns count from what it says now.
    this.#considered = Math.min(this.#considered, now);
    this.#followedSince = Math.min(this.#followedSince, now);
    const planned = this.timing.schedules.flatMap((schedule): Turn[] => {
      const at = this.#turnOf(schedule);
      if (at === undefined) return [];
      return [{ inMs: at - now, trigger: at < this.#followedSince ? 'missed' : 'schedule' }];
    });
    const { failures } = this;
    if (failures > 0) planned.push({ inMs: (this.#retryAt ?? elapsed) - elapsed, trigger: 'retry' });
    return planned;
  }

  /** To find it takes a while, and it is asked for often. */
  #turnOf(schedule: CronSchedule): number | undefined {
    const known = this.#found.get(schedule);
    if (known?.after === this.#considered) return known.at;
    const at = nextTurn(schedule, this.#considered);
    this.#found.set(schedule, { after: this.#considered, at });
    return at;
  }

  #changeTurns({ elapsed }: Moment): Turn[] {
    // An interval is no reason to ask what fails. A change is: it may be what mends it.
    const turns: Turn[] = this.#intervalDue
      ? [{ inMs: (this.#retryAt ?? elapsed) - elapsed, trigger: 'interval' }]
      : [];
    if (this.#changed === undefined) return turns;
    const { first, last } = this.#changed;
    const quietAt = Math.min(last + this.#settleMs, first + MOST_SETTLES * this.#settleMs);
    return [...turns, { inMs: quietAt - elapsed, trigger: 'watch' }];
  }

  /** It is being read: what is noticed from now on leads to another run. */
  begin(trigger: SyncTrigger, { now }: Moment): void {
    this.#running = { considered: now, trigger };
    this.#startDue = false;
    this.#intervalDue = false;
    this.#changed = undefined;
    this.#last = { ...this.#last, lastStartedAt: isoTime(now), lastTrigger: trigger };
  }

  /** It was read, or was not because of a problem: then it waits at least until `retryAt`, by the wall clock. */
  end({ now, elapsed }: Moment, problem?: string, retryAt: number = now): void {
    this.#considered = this.#running?.considered ?? now;
    this.#running = undefined;
    this.#failures = problem === undefined ? 0 : this.#failures + 1;
    this.#retryAt = problem === undefined ? undefined : elapsed + Math.max(0, retryAt - now);
    this.#last = { ...this.#last, lastFinishedAt: isoTime(now), problem };
  }

  /** The run was given back: the next process finds it due. */
  giveBack(): void {
    this.#running = undefined;
  }

  /** When it is read next, unless it changes before. */
  nextAt(moment: Moment): string | undefined {
    const next = this.next(moment);
    return next === undefined ? undefined : isoTime(moment.now + Math.max(0, next.inMs));
  }

  state(moment: Moment): SourceSync {
    const turn = this.next(moment);
    const isDue = turn !== undefined && turn.inMs <= 0;
    return {
      source: this.source,
      state:
        this.#running !== undefined ? 'running' : isDue ? 'due' : this.#failures > 0 ? 'failing' : 'idle',
      watch: this.#watch,
      nextAt: this.nextAt(moment),
      ...this.#last,
      failures: this.#failures,
    };
  }

  kept(moment: Moment): SourceRecord {
    return { ...this.state(moment), considered: this.#considered };
  }
}

export const isoTime = (at: number): string => new Date(at).toISOString();
