import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult, type IBackoff } from 'cockatiel';
import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { countDown, withDeadline } from '../../core/with-deadline.js';

/** `well`: it is asked. `out`: it is left alone for now. `trying`: one search finds out whether it is back. */
export type PartState = 'well' | 'out' | 'trying';

export interface BreakerOptions {
  /** Searches in a row that it failed after which the part is left alone. */
  readonly failures: number;
  /** Milliseconds for which it is left alone before one search tries it again. */
  readonly retryAfterMs: number;
  /** Milliseconds after which a request is given up with `lateError`. @default no limit but that of the request itself */
  readonly limitMs?: number | undefined;
  /** `limitMs` is that of all requests of a search together. @default false */
  readonly isLimitOfAll?: boolean | undefined;
  /** Milliseconds; what takes longer counts as a failure, whatever comes of it. @default no time does */
  readonly slowMs?: number | undefined;
  /** Whether an error says that the part is out, not that it was asked for something wrong. */
  readonly isOutage: (error: unknown) => boolean;
  readonly lateError: () => RAGError;
  /** What is thrown in place of asking a part that is left alone. */
  readonly refusal: (lastFailure: string) => RAGError;
}

/** It is up to `Breaker` when a part is tried again: by the clock of the runtime, which is not the one of the package. */
const AT_ANY_TIME: IBackoff<unknown> = {
  duration: Number.NEGATIVE_INFINITY,
  next: () => AT_ANY_TIME,
};

/** What one search asks of a part: however often, in the end it answered or failed. */
export interface Session {
  /**
   * What the work gives.
   *
   * @param isAnswer whether what it gave came from the part, and not from what is kept of its answers. @default it did
   * @throws RAGError `lateError`, and what the work throws
   */
  ask<Result>(work: () => Promise<Result>, isAnswer?: () => boolean): Promise<Result>;
  /** Something failed or was slow. */
  readonly hasFailed: boolean;
  /** The error says that the part was waited for in vain, so that nothing else of the search need wait for it. */
  isLate(error: unknown): boolean;
  /** Says that it was waited for in vain. */
  fail(error: RAGError): void;
  end(): void;
}

interface Verdict {
  readonly isFailure: boolean;
}

/**
 * Stops asking a part that fails, and finds out by one search at a time when it is back (cockatiel's circuit breaker). Searches that fail
 * side by side are one failure. While one finds out, others are refused at once and wait for nothing.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #policy;
  #leftAloneSince = Number.NEGATIVE_INFINITY;
  /** Searches so far, and how many of them there were when a failure was last counted. */
  #begun = 0;
  #begunBeforeFailure = 0;
  #lastFailure = '';
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#policy = circuitBreaker(
      handleWhenResult((verdict) => (verdict as Verdict).isFailure),
      { halfOpenAfter: AT_ANY_TIME, breaker: new ConsecutiveBreaker(options.failures) },
    );
    this.#policy.onBreak(() => {
      this.#leftAloneSince = runtime().elapsed();
    });
  }

  get state(): PartState {
    const { state } = this.#policy;
    if (state === CircuitState.Closed) return 'well';
    return state === CircuitState.HalfOpen ? 'trying' : 'out';
  }

  /** When it last answered, as `runtime().elapsed()` counts; the beginning of time where it never did. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** It answered outside of any search. */
  noteAnswer(): void {
    this.#answeredAt = runtime().elapsed();
  }

  /** A search would be refused now. */
  get refuses(): boolean {
    const { state } = this;
    if (state === 'out') return runtime().elapsed() - this.#leftAloneSince < this.#options.retryAfterMs;
    return state === 'trying';
  }

  /** What `begin` throws where it refuses. */
  refusal(): RAGError {
    return this.#options.refusal(this.#lastFailure);
  }

  /** The next search tries a part that is left alone, however short a time that is. */
  tryNext(): void {
    this.#leftAloneSince = Number.NEGATIVE_INFINITY;
  }

  /** @throws RAGError `refusal` where the part is left alone */
  begin(): Session {
    if (this.refuses) throw this.refusal();
    const number = ++this.#begun;
    const isTrial = this.state === 'out';
    const seen: Seen = {
      failed: false,
      answered: false,
      askedMs: 0,
      underWay: 0,
      since: 0,
      late: new WeakSet(),
    };
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const judged = this.#policy.execute(async (): Promise<Verdict> => {
      await over;
      // A call that was given up says nothing of the part, and what began before the last failure nothing new.
      const saysNothing = seen.failed ? number <= this.#begunBeforeFailure : !seen.answered;
      if (saysNothing && !isTrial) throw new SaysNothing();
      const isFailure = seen.failed || saysNothing;
      if (isFailure) this.#begunBeforeFailure = this.#begun;
      return { isFailure };
    });
    judged.catch(() => undefined);
    return {
      ask: (work, isAnswer) => this.#ask(work, { seen, isAnswer }),
      get hasFailed() {
        return seen.failed;
      },
      isLate: (error) => typeof error === 'object' && error !== null && seen.late.has(error),
      fail: (error) => this.#fail(error, seen),
      end,
    };
  }

  async #ask<Result>(
    work: () => Promise<Result>,
    { seen, isAnswer = () => true }: { readonly seen: Seen; readonly isAnswer?: (() => boolean) | undefined },
  ): Promise<Result> {
    const { slowMs } = this.#options;
    const lateError = (): RAGError => {
      const error = this.#options.lateError();
      seen.late.add(error);
      return error;
    };
    const limitMs = this.#limitOf(seen);
    if (seen.underWay++ === 0) seen.since = runtime().elapsed();
    // At once: the caller may go before the end.
    const stop =
      slowMs === undefined ? () => undefined : countDown(slowMs, () => this.#fail(lateError(), seen));
    try {
      const value = await (limitMs === undefined
        ? work()
        : withDeadline({ timeoutMs: limitMs, lateError }, work));
      if (isAnswer()) {
        seen.answered = true;
        this.noteAnswer();
      }
      return value;
    } catch (error) {
      if (this.#options.isOutage(error)) this.#fail(error, seen);
      else if (!isAborted(error)) seen.answered = true;
      throw error;
    } finally {
      stop();
      if (--seen.underWay === 0) seen.askedMs += runtime().elapsed() - seen.since;
    }
  }

  /** What is left to a request. */
  #limitOf({ askedMs }: Seen): number | undefined {
    const { limitMs, isLimitOfAll = false } = this.#options;
    return limitMs === undefined || !isLimitOfAll ? limitMs : Math.max(1, limitMs - askedMs);
  }

  #fail(error: unknown, seen: { failed: boolean }): void {
    seen.failed = true;
    this.#lastFailure = RAGError.isInstance(error) ? error.message : 'It failed for an unexpected reason.';
  }
}

/** What a search has seen of a part. */
interface Seen {
  failed: boolean;
  answered: boolean;
  /** Milliseconds in which requests were under way and are over. */
  askedMs: number;
  underWay: number;
  /** When those that are under way began. */
  since: number;
  /** Errors of requests that were given up. */
  readonly late: WeakSet<object>;
}

/** Ends a search past the policy, which counts neither a success nor a failure. */
class SaysNothing extends Error {}

const isAborted = (error: unknown): boolean =>
  (RAGError.isInstance(error) && error.reason === 'ABORTED') ||
  (error instanceof Error && error.name === 'AbortError');
