import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { AgentLimits, AgentStopReason, LimitCounter, PlannedCall, StatedLimits } from './agent.js';

/** Counts what a run takes. A call is asked for before it is made, so that no limit is passed by making it. */
export class RunLimits implements LimitCounter {
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

/** The lowest value of each: a run does its first step at least. */
const LEAST: AgentLimits = { maxSteps: 1, maxTokens: 0, maxCost: 0, deadlineMs: 1 };

/**
 * Limits as they were stated, over those that hold otherwise.
 *
 * @throws RAGError `USAGE` for a limit that does not exist or is out of its range
 */
export function checkedLimits(stated: StatedLimits, otherwise: AgentLimits): AgentLimits {
  const limits = { ...otherwise };
  for (const [name, value] of Object.entries(stated)) {
    if (value === undefined) continue;
    if (!isLimit(name))
      throw new RAGError('USAGE', `There is no limit "${name}"; use ${Object.keys(LEAST).join(', ')}.`);
    if (!(Number.isFinite(value) && value >= LEAST[name]))
      throw new RAGError('USAGE', `The limit "${name}" must be a number from ${LEAST[name]} up.`);
    limits[name] = value;
  }
  return limits;
}

const isLimit = (name: string): name is keyof AgentLimits => Object.hasOwn(LEAST, name);
