import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { anySignal, type OpenWork } from './open-work.js';

/** A write that may go together with others. */
export interface GroupedWrite {
  /** Only writes of one kind go together: what is done, by whom, and how. */
  readonly kind: string;
  /** What it writes: two writes that share any of it keep their order. */
  readonly touches: readonly string[];
  /** Bytes, about. */
  readonly size: number;
}

/** Writes and bytes that go together at most. */
const MOST_TOGETHER = 256;
const MOST_BYTES = 8 * 1024 * 1024;

/** Does a group of writes; for each its outcome, or why it is refused. What is thrown concerns all of them. */
export type DoTogether<Write, Outcome> = (
  writes: readonly Write[],
  signal: AbortSignal,
) => Promise<readonly (Outcome | RAGError)[]>;

/** A write that waits, or is under way. */
interface Entry<Write, Outcome> {
  readonly write: Write;
  readonly signal: AbortSignal;
  readonly epoch: number;
  readonly settle: (outcome: Outcome | RAGError) => void;
}

/**
 * Group commit: writes that come while another one is under way wait, and those that may go together go together in one. Each is told
 * its own outcome. A caller that gives up waiting leaves the others alone.
 */
export class WriteGroups<Write extends GroupedWrite, Outcome> {
  readonly #work: OpenWork;
  readonly #doTogether: DoTogether<Write, Outcome>;
  readonly #waiting = new Set<Entry<Write, Outcome>>();
  #epoch = 0;

  constructor(work: OpenWork, doTogether: DoTogether<Write, Outcome>) {
    this.#work = work;
    this.#doTogether = doTogether;
  }

  /** Nothing that comes later goes together with what waits now: other work stands between them. */
  separate(): void {
    this.#epoch += 1;
  }

  /** Does a write in its turn. Throws why it is refused, or `ABORTED` once the signal fires: what was under way may be done all the same. */
  add(write: Write, signal: AbortSignal): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      throwIfAborted(signal);
      const settle = (outcome: Outcome | RAGError): void => {
        signal.removeEventListener('abort', giveUp);
        if (RAGError.isInstance(outcome)) reject(outcome);
        else resolve(outcome);
      };
      const entry = { write, signal, epoch: this.#epoch, settle };
      const giveUp = (): void => {
        this.#waiting.delete(entry);
        settle(new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal.reason }));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(entry);
      // Of the engine and not of the caller: who gives up does not stop those that go with it.
      const turn = this.#work.run(undefined, (stop) => this.#work.inTurn(stop, () => this.#go(entry, stop)));
      turn.catch((error: unknown) => settle(toRAGError(error, 'INTERNAL', 'The write failed.')));
    });
  }

  async #go(entry: Entry<Write, Outcome>, stop: AbortSignal): Promise<void> {
    // It went with one before, or nobody waits for it.
    if (!this.#waiting.has(entry)) return;
    const group = this.#take(entry);
    const abandoned = abandonedBy(group);
    try {
      await this.#do(group, anySignal(stop, abandoned.signal));
    } finally {
      abandoned.forget();
    }
  }

  async #do(group: readonly Entry<Write, Outcome>[], signal: AbortSignal): Promise<void> {
    try {
      const outcomes = await this.#doTogether(
        group.map(({ write }) => write),
        signal,
      );
      for (const [i, { settle }] of group.entries()) settle(outcomes[i] ?? missing());
    } catch (error) {
      const failure = toRAGError(error, 'INTERNAL', 'The write failed.');
      // What one of them is refused for is no matter of the others.
      const isOfOne = group.length > 1 && failure.category === 'user' && !OF_ALL.has(failure.reason);
      if (isOfOne) for (const entry of group) await this.#do([entry], signal);
      else for (const { settle } of group) settle(failure);
    }
  }

  /** The oldest write that waits, and those after it that may go with it. */
  #take(first: Entry<Write, Outcome>): Entry<Write, Outcome>[] {
    const group: Entry<Write, Outcome>[] = [];
    const barred = new Set<string>();
    let bytes = 0;
    for (const entry of this.#waiting) {
      const { kind, touches, size } = entry.write;
      const isMate = entry.epoch === first.epoch && kind === first.write.kind;
      const fits = group.length === 0 || (group.length < MOST_TOGETHER && bytes + size <= MOST_BYTES);
      if (isMate && fits && !touches.some((name) => barred.has(name))) {
        group.push(entry);
        bytes += size;
      }
      // What it leaves behind is not overtaken, and nothing is written twice in one group.
      for (const name of touches) barred.add(name);
    }
    for (const entry of group) this.#waiting.delete(entry);
    return group;
  }
}

/** Reasons that hold for every write of a group. */
const OF_ALL: ReadonlySet<string> = new Set(['ABORTED', 'INDEX_LOCKED', 'INDEX_UNTRUSTED']);

const missing = (): RAGError => new RAGError('INTERNAL', 'A write was left without an outcome.');

/** Fires when nobody waits for any of the writes any more. */
function abandonedBy(group: readonly { readonly signal: AbortSignal }[]): {
  readonly signal: AbortSignal;
  readonly forget: () => void;
} {
  const controller = new AbortController();
  const check = (): void => {
    if (group.every(({ signal }) => signal.aborted)) controller.abort(group[0]?.signal.reason);
  };
  for (const { signal } of group) signal.addEventListener('abort', check, { once: true });
  check();
  return {
    signal: controller.signal,
    forget: () => {
      for (const { signal } of group) signal.removeEventListener('abort', check);
    },
  };
}
