import { runtime } from '../core/runtime.js';
import type { AgentLimits, AgentStopReason } from './agent.js';

/** What a call of a language model may take, before it is made. */
export interface PlannedCall {
  readonly tokens: number;
  /** Undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** Counts what a run takes. A call is asked for before it is made, so that no limit is passed by making it. */
export class RunLimits {
  readonly limits: AgentLimits;
  readonly #since = runtime().elapsed();
  #steps = 0;
  #tokens = 0;
  #cost: number | undefined;

  constructor(limits: AgentLimits) {
    this.limits = limits;
  }

  /** Milliseconds since the run began. */
  get ms(): number {
    return runtime().elapsed() - this.#since;
  }

  get msLeft(): number {
    return Math.max(0, this.limits.deadlineMs - this.ms);
  }

  get tokensLeft(): number {
    return Math.max(0, this.limits.maxTokens - this.#tokens);
  }

  get costLeft(): number {
    return Math.max(0, this.limits.maxCost - (this.#cost ?? 0));
  }

  get steps(): number {
    return this.#steps;
  }

  get used(): {
    readonly steps: number;
    readonly tokens: number;
    readonly cost?: number;
    readonly ms: number;
  } {
    return {
      steps: this.#steps,
      tokens: this.#tokens,
      ...(this.#cost === undefined ? {} : { cost: this.#cost }),
      ms: Math.round(this.ms),
    };
  }

  /** The limit that forbids another step; undefined where there is room. */
  stepForbidden(): AgentStopReason | undefined {
    if (this.#steps >= this.limits.maxSteps) return 'steps';
    return this.msLeft <= 0 ? 'deadline' : undefined;
  }

  /** The limit that a call of the model would pass. */
  callForbidden({ tokens, cost }: PlannedCall): AgentStopReason | undefined {
    if (this.msLeft <= 0) return 'deadline';
    if (tokens > this.tokensLeft) return 'tokens';
    return cost !== undefined && cost > this.costLeft ? 'cost' : undefined;
  }

  beginStep(): number {
    this.#steps += 1;
    return this.#steps;
  }

  countCall({ tokens, cost }: PlannedCall): void {
    this.#tokens += tokens;
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }
}
