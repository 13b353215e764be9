import { AsyncLocalStorage } from 'node:async_hooks';
import { RAGError } from '../../src/core/errors.js';
import type { Runtime, SourceFiles } from '../../src/core/runtime.js';
import type { Faults } from './faults.js';
import type { EventOwner, Scheduler } from './scheduler.js';

/** The longest that a call takes that arrives, in milliseconds; less than a lease. */
const SLOWEST_MS = 3_000;
/** Usual times of a call, one way. */
const USUAL_MS = [0.1, 3] as const;
/** How long a process stands still, in milliseconds: its leases hold for 4 s and are made longer every third of it. */
const PAUSE_MS = [3_000, 12_000] as const;
/** The same where it does so at one call alone: others take over what it had, and come to their end meanwhile. */
const LONG_PAUSE_MS = [6_000, 14_000] as const;
/** How often a process falters at calls that only read, of those times that it does at others. */
const AMONG_READS = 0.01;
/** Share of the answers that come with the arrival of the call. */
const AT_ONCE = 0.6;
/** A call of a process that died is done within this time, or never. */
const LAST_WORDS_MS = 500;

export interface CallOptions {
  /** What is thrown where no answer comes. */
  readonly silence: () => RAGError;
  /** It is one of several calls that write something together. @default false */
  readonly isWrite?: boolean;
  /** What is called, without an address. */
  readonly method?: string;
  /** It may be sent again where no answer comes. @default false */
  readonly isRepeatable?: boolean;
  /** Who waits for it may give up; it is done all the same. */
  readonly signal?: AbortSignal | undefined;
  /** The call itself goes wrong: a probability. @default that of lost calls */
  readonly failure?: number;
}

/** A call that was sent and has not arrived. */
interface Sent {
  readonly label: string;
  readonly arrive: () => void;
  takeBack: () => void;
}

/** One process: its time, its chance, and its calls to what is outside of it. Once it is dead nothing of it goes on. */
export class SimulatedProcess implements EventOwner {
  isAlive = true;
  /** Its calls are done at once: when nothing else happens and nothing breaks. */
  isAlone = false;
  asleepUntil = 0;
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #faults: () => Faults;
  readonly #epoch: number;
  readonly #kill: (process: SimulatedProcess) => void;
  readonly #mayPause: () => boolean;
  readonly #sent = new Set<Sent>();

  /** @param epoch what its clock says at the beginning of the simulation, in milliseconds since 1970 */
  constructor(name: string, { scheduler, faults, epoch, kill, mayPause }: ProcessWorld) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#faults = faults;
    this.#epoch = epoch;
    this.#kill = kill;
    this.#mayPause = mayPause;
  }

  runtime(files: SourceFiles): Runtime {
    const scheduler = this.#scheduler;
    return {
      now: () => Math.floor(this.#epoch + scheduler.now),
      elapsed: () => scheduler.now,
      random: () => scheduler.random.number(),
      uniqueName: () => scheduler.random.hex(32),
      setTimer: (callback, ms) =>
        // As those of Node, it calls back for whom it was set.
        scheduler.after(ms, `${this.name} timer ${ms}`, AsyncLocalStorage.bind(callback), this),
      prepare: async (work) => {
        if (!this.isAlone && scheduler.random.chance(0.3))
          await scheduler.wait(scheduler.random.between(0, 20), `${this.name} prepares`, this);
        return work();
      },
      files,
    };
  }

  get isAwake(): boolean {
    return this.isAlive && this.asleepUntil <= this.#scheduler.now;
  }

  sleep(ms: number): void {
    this.asleepUntil = this.#scheduler.now + ms;
  }

  /** Between two calls it may stand still for longer than its leases hold, or end: more often in the middle of a write. */
  #falter({ pauses, pausesAt, crashes }: Faults, { isWrite, method }: CallOptions): void {
    const { random } = this.#scheduler;
    const often = isWrite === true ? 1 : AMONG_READS;
    const isPlace = pausesAt === undefined || pausesAt === method;
    if (isPlace && random.chance(often * pauses) && this.#mayPause()) {
      const [least, most] = pausesAt === undefined ? PAUSE_MS : LONG_PAUSE_MS;
      const ms = random.between(least, most);
      this.#scheduler.note(`${this.name} stands still for ${ms.toFixed(0)} ms`);
      this.sleep(ms);
    }
    if (random.chance(often * crashes))
      this.#scheduler.after(random.between(0, 5), `${this.name} crashes`, () => this.#kill(this), this);
  }

  /** Of what it has sent some still arrives, soon. */
  die(): void {
    this.isAlive = false;
    const { random } = this.#scheduler;
    for (const sent of this.#sent) {
      sent.takeBack();
      if (random.chance(0.5))
        this.#scheduler.after(random.between(0, LAST_WORDS_MS), `${sent.label} of the dead`, sent.arrive);
    }
    this.#sent.clear();
  }

  /** Calls what is outside of the process: the call arrives later, or never, and so does the answer. */
  call<T>(name: string, work: () => Promise<T>, options: CallOptions): Promise<T> {
    const { silence, isRepeatable = false, signal, failure } = options;
    const scheduler = this.#scheduler;
    const { random } = scheduler;
    if (this.isAlone) return signal?.aborted === true ? Promise.reject(cancelled(signal)) : work();
    const faults = this.#faults();
    const label = `${this.name} ${name}`;
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const answer = (tell: () => void): void => {
        const end = (): void => {
          isOver = true;
          signal?.removeEventListener('abort', giveUp);
          tell();
        };
        if (isOver) return;
        // Some answers come at once: more is done in as many events.
        if (this.isAwake && random.chance(AT_ONCE)) end();
        else scheduler.after(this.#delay(faults), `${label} answered`, end, this);
      };
      const giveUp = (): void => {
        if (isOver) return;
        isOver = true;
        reject(cancelled(signal));
      };
      if (signal?.aborted === true) return giveUp();
      signal?.addEventListener('abort', giveUp, { once: true });
      const isDoubled = isRepeatable && random.chance(faults.doubled);
      const isUnanswered = random.chance(faults.unanswered);
      const arrive = (): void => {
        work().then(
          (result) => {
            if (isDoubled) this.#send(`${label} again`, () => repeat(result), faults);
            else if (isUnanswered) answer(() => reject(silence()));
            else answer(() => resolve(result));
          },
          (error: unknown) => answer(() => reject(asError(error))),
        );
      };
      const repeat = (result: T): void => {
        work().then(
          () => answer(() => resolve(result)),
          (error: unknown) => answer(() => reject(asError(error))),
        );
      };
      if (random.chance(failure ?? faults.lost)) answer(() => reject(silence()));
      else this.#send(label, arrive, faults);
      this.#falter(faults, options);
    });
  }

  #send(label: string, arrive: () => void, faults: Faults): void {
    const sent: Sent = { label, arrive, takeBack: () => undefined };
    this.#sent.add(sent);
    // What was sent is under way whatever becomes of who sent it.
    sent.takeBack = this.#scheduler.after(this.#delay(faults), label, () => {
      this.#sent.delete(sent);
      arrive();
    });
  }

  #delay({ slow }: Faults): number {
    const { random } = this.#scheduler;
    return random.chance(slow) ? random.between(20, SLOWEST_MS / 2) : random.between(...USUAL_MS);
  }
}

export interface ProcessWorld {
  readonly scheduler: Scheduler;
  /** As they are now. */
  readonly faults: () => Faults;
  readonly epoch: number;
  /** Ends a process. */
  readonly kill: (process: SimulatedProcess) => void;
  /** Somebody goes on meanwhile. */
  readonly mayPause: () => boolean;
}

const cancelled = (signal: AbortSignal | undefined): RAGError =>
  new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal?.reason });

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
