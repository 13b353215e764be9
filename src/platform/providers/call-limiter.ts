import { RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';

/** What calls to one hosted model may use; a part that is absent is not limited. */
export interface CallLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** US dollars from the opening of the model to its end. */
  readonly maxCost?: number | undefined;
}

/** What a call will use at most, as far as it can be told before. */
export interface CallEstimate {
  readonly tokens: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}

interface Clock {
  readonly now: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

const MINUTE_MS = 60_000;

const SYSTEM_CLOCK: Clock = {
  now: () => runtime().elapsed(),
  wait: sleep,
};

/** Holds calls back so that no sliding minute has more than the limits allow, and refuses those that would cost too much. */
export class CallLimiter {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  #calls: { readonly at: number; readonly tokens: number }[] = [];
  #queue: Promise<void> = Promise.resolve();
  #spent = 0;

  constructor(limits: CallLimits = {}, clock: Clock = SYSTEM_CLOCK) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** US dollars of all calls that were admitted and not given back. */
  get spent(): number {
    return this.#spent;
  }

  /**
   * Waits for the call's turn and books its estimated cost. Callers are served in their order.
   *
   * @returns a function that replaces the estimate by what the call really cost; 0 where it was not billed.
   * @throws RAGError `SPEND_LIMIT_REACHED`; `ABORTED` when the signal fires.
   */
  async admit(estimate: CallEstimate, signal?: AbortSignal): Promise<(cost: number) => void> {
    const booked = estimate.cost ?? 0;
    this.#book(booked);
    const turn = this.#queue.then(() => this.#waitForRoom(estimate.tokens, signal));
    this.#queue = turn.catch(() => undefined);
    try {
      await turn;
    } catch (error) {
      this.#spent -= booked;
      throwIfAborted(signal);
      throw error;
    }
    let isSettled = false;
    return (cost) => {
      if (!isSettled) this.#spent += cost - booked;
      isSettled = true;
    };
  }

  #book(cost: number): void {
    const { maxCost } = this.#limits;
    if (maxCost !== undefined && this.#spent + cost > maxCost) {
      throw new RAGError(
        'SPEND_LIMIT_REACHED',
        `The next call may cost ${dollars(cost)}, after ${dollars(this.#spent)} in this run: more than the limit of ${dollars(maxCost)} (limits.maxCost). Raise the limit, or do less in one run; what is done is kept.`,
        { details: { spent: this.#spent, next: cost, limit: maxCost } },
      );
    }
    this.#spent += cost;
  }

  async #waitForRoom(tokens: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      throwIfAborted(signal);
      const now = this.#clock.now();
      this.#calls = this.#calls.filter(({ at }) => now - at < MINUTE_MS);
      const first = this.#calls[0];
      // A single call above the token limit goes alone: waiting would never make it smaller.
      if (first === undefined || this.#hasRoomFor(tokens)) {
        this.#calls.push({ at: now, tokens });
        return;
      }
      await this.#clock.wait(Math.max(1, first.at + MINUTE_MS - now), signal);
    }
  }

  #hasRoomFor(tokens: number): boolean {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.#limits;
    const used = this.#calls.reduce((sum, call) => sum + call.tokens, 0);
    return this.#calls.length < requestsPerMinute && used + tokens <= tokensPerMinute;
  }
}

const dollars = (amount: number): string => `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
