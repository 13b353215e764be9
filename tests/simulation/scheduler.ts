import type { SeededRandom } from './seeded-random.js';

/** Whose events are done only while it lives, and later while it sleeps. */
export interface EventOwner {
  readonly isAlive: boolean;
  /** Nothing of it happens before, in milliseconds of the simulation. */
  readonly asleepUntil: number;
}

interface Event {
  due: number;
  readonly order: number;
  readonly label: string;
  readonly owner: EventOwner | undefined;
  run: (() => void) | undefined;
}

/** Events of the trace that are kept to be shown. */
const KEPT = 80;
/** Turns of the event loop after which work that waits for no event is taken to have come to rest. */
const TURNS = 2;
const LAST_TURNS = 50;

const isAtDisk = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Does one event after another, in the order of a time that it alone moves. Whatever the simulated processes wait for is an event here,
 * with a delay that chance chose; so chance alone chooses what happens before what.
 */
export class Scheduler {
  readonly random: SeededRandom;
  /** Milliseconds since the simulation began. */
  now = 0;
  /** Events that were done. */
  steps = 0;
  readonly #heap: Event[] = [];
  #order = 0;
  #hash = 0x811c9dc5;
  readonly #recent: string[] = [];

  constructor(random: SeededRandom) {
    this.random = random;
  }

  /** Schedules; the function that is returned takes it back. */
  after(ms: number, label: string, run: () => void, owner?: EventOwner): () => void {
    const event: Event = { due: this.now + ms, order: this.#order++, label, owner, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** As `after`, as a promise. */
  wait(ms: number, label: string, owner?: EventOwner): Promise<void> {
    return new Promise((resolve) => this.after(ms, label, resolve, owner));
  }

  /** Does the next event and lets everything come to rest that it led to; false where nothing is to come. */
  async step(): Promise<boolean> {
    const event = this.#next() ?? (await this.#afterRest());
    if (event === undefined) return false;
    const { run, label } = event;
    event.run = undefined;
    this.now = Math.max(this.now, event.due);
    this.steps += 1;
    this.#trace(label);
    run?.();
    await this.#rest();
    return true;
  }

  /** Until everything has come to rest, and nothing is asked of the machine's own disk (receipts are kept there). */
  async #rest(): Promise<void> {
    for (let i = 0; i < TURNS; i++) await turn();
    while (isAtDisk()) for (let i = 0; i < TURNS; i++) await turn();
  }

  /** Notes in the trace what is no event. */
  note(text: string): void {
    this.#trace(text);
  }

  /** A number that any other order of events would have changed. */
  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  /** The last events, oldest first. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  #trace(label: string): void {
    const line = `${this.now.toFixed(3)} ${label}`;
    for (let i = 0; i < line.length; i++) this.#hash = Math.imul(this.#hash ^ line.charCodeAt(i), 0x01000193);
    this.#recent.push(line);
    if (this.#recent.length > 2 * KEPT) this.#recent.splice(0, KEPT);
  }

  async #afterRest(): Promise<Event | undefined> {
    for (let i = 0; i < LAST_TURNS; i++) {
      await turn();
      const event = this.#next();
      if (event !== undefined) return event;
    }
    return undefined;
  }

  /** What was taken back, or is of a process that died, never happens. */
  #next(): Event | undefined {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return undefined;
      const { owner } = event;
      if (event.run === undefined || owner?.isAlive === false) continue;
      if (owner !== undefined && owner.asleepUntil > event.due) {
        event.due = owner.asleepUntil;
        this.#push(event);
        continue;
      }
      return event;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [left, right] = [this.#heap[a], this.#heap[b]];
    if (left === undefined || right === undefined) return false;
    return left.due < right.due || (left.due === right.due && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#heap[a], this.#heap[b]];
    if (left === undefined || right === undefined) return;
    this.#heap[a] = right;
    this.#heap[b] = left;
  }

  #push(event: Event): void {
    let at = this.#heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #pop(): Event | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = this.#isBefore(left, at) ? left : at;
      if (this.#isBefore(right, least)) least = right;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }
}
