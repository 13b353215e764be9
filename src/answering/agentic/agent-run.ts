import { neutraliseLine } from '../../context/neutralise.js';
import type { ScoredChunk } from '../../core/chunk.js';
import { DegradationLevel } from '../../core/degradation.js';
import { RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { distinctNotices, type Notice, statedNotices, toldNotices } from '../../core/notice.js';
import { runtime } from '../../core/runtime.js';
import { withDeadline } from '../../core/with-deadline.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type {
  AgentLimits,
  AgentReport,
  AgentRequest,
  AgentStep,
  AgentStopReason,
  AgentToolName,
  AgentToolResult,
  Gathered,
} from './agent.js';
import { RunLimits } from './run-limits.js';

/** A step to do. */
export interface PlannedStep {
  readonly tool: AgentToolName;
  readonly why: string;
  readonly query: string;
  /** What the model took to choose it. */
  readonly chosen?: { readonly tokens: number; readonly ms: number };
  readonly call: (signal: AbortSignal) => Promise<AgentToolResult>;
}

/** What became of a step. */
export interface StepOutcome {
  readonly ranked: readonly ScoredChunk[];
  readonly new: number;
  readonly told?: string;
  readonly problem?: string;
}

/** Probability of relevance below which the best passage tells that the index has nothing. */
const LIKELY = 0.1;

const NOTHING: AgentToolResult = { ranked: [], degradationLevel: DegradationLevel.FULL_RAG, notices: [] };

/** The run of one question: does steps within its limits, and keeps what they found and the trace of them. */
export class AgentRun {
  readonly limits: RunLimits;
  readonly #request: AgentRequest;
  readonly #steps: AgentStep[] = [];
  readonly #lists: (readonly ScoredChunk[])[] = [];
  readonly #seen = new Set<string>();
  readonly #calls = new Map<string, StepOutcome>();
  readonly #notices: Notice[] = [];
  #degradationLevel: DegradationLevel = DegradationLevel.FULL_RAG;

  constructor(request: AgentRequest, limits: AgentLimits) {
    this.#request = request;
    this.limits = new RunLimits(limits);
  }

  /** Everything that was found, best first. */
  get evidence(): readonly ScoredChunk[] {
    return mergeEvidence(this.#lists, this.#seen.size);
  }

  get steps(): readonly AgentStep[] {
    return this.#steps;
  }

  /** Nothing was found that is likely to be relevant: what there is, is only the nearest. */
  get hasNothing(): boolean {
    return !this.#lists.some((ranked) => ranked.some(({ score }) => score >= LIKELY));
  }

  note(notice: Notice): void {
    this.#notices.push(notice);
  }

  /**
   * Does a step, unless a limit forbids it: then it says which. A call that was made before is not made again. What a tool throws becomes a
   * problem of the step; only the first step, without which there is nothing, throws.
   */
  async do(step: PlannedStep): Promise<StepOutcome | AgentStopReason> {
    throwIfAborted(this.#request.signal);
    const forbidden = this.limits.stepForbidden();
    if (forbidden !== undefined) return forbidden;
    const number = this.limits.beginStep();
    const since = runtime().elapsed();
    const key = `${step.tool}\0${step.query}`;
    const earlier = this.#calls.get(key);
    const outcome: StepOutcome | 'deadline' =
      earlier === undefined ? await this.#call(step, number) : { ...earlier, new: 0 };
    const { ranked, new: fresh, told, problem } = outcome === 'deadline' ? LATE : outcome;
    this.#steps.push({
      step: number,
      tool: step.tool,
      why: step.why,
      query: neutraliseLine(step.query),
      found: ranked.length,
      new: fresh,
      tokens: step.chosen?.tokens ?? 0,
      ms: Math.round(runtime().elapsed() - since + (step.chosen?.ms ?? 0)),
      ...(earlier === undefined ? {} : { isRepeated: true }),
      ...withoutUndefined({ told, problem }),
    });
    if (outcome !== 'deadline') this.#calls.set(key, outcome);
    return outcome;
  }

  async #call(step: PlannedStep, number: number): Promise<StepOutcome | 'deadline'> {
    const { signal } = this.#request;
    let result: AgentToolResult = NOTHING;
    let problem: string | undefined;
    try {
      result = await withDeadline(
        { timeoutMs: this.limits.msLeft, signal, lateError: () => new LateError() },
        step.call,
      );
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof LateError) return 'deadline';
      if (number === 1) throw error;
      problem = error instanceof RefusedStep ? error.message : this.#noteFailure(error);
    }
    const fresh = result.ranked.filter(({ chunk }) => !this.#seen.has(chunk.id));
    for (const { chunk } of fresh) this.#seen.add(chunk.id);
    this.#lists.push(result.ranked);
    this.#degradationLevel = Math.max(this.#degradationLevel, result.degradationLevel);
    this.#notices.push(...statedNotices(result));
    return {
      ranked: result.ranked,
      new: fresh.length,
      ...withoutUndefined({ told: result.told, problem }),
    };
  }

  /** What failed inside stands in a notice, which not everybody is shown; the trace has only the reason. */
  #noteFailure(error: unknown): string {
    const { reason, message } = toRAGError(error, 'SEARCH_FAILED', 'The tool failed.');
    this.note({ kind: 'search-degraded', text: `A step of the search failed: ${message}` });
    return `The step failed (${reason}).`;
  }

  end(by: AgentReport['by'], stopped: AgentStopReason): Gathered {
    const { limits } = this;
    return {
      ranked: mergeEvidence(this.#lists, this.#request.topK),
      degradationLevel: this.#degradationLevel,
      ...toldNotices(distinctNotices(this.#notices)),
      report: { by, steps: this.#steps, stopped, limits: limits.limits, used: limits.used },
      left: { tokens: limits.tokensLeft, cost: limits.costLeft, ms: () => limits.msLeft },
    };
  }
}

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009) with the constant of its authors. */
const RANK_CONSTANT = 60;
/** What a passage counts for when one of its document is taken already: two documents are wanted before two passages of one. */
const SECOND_OF_DOCUMENT = 0.5;

/**
 * One list of what all steps found: passages by the sum of their reciprocal ranks, those of a document that is there already counting less.
 * A passage keeps the best score that a search gave it.
 */
export function mergeEvidence(lists: readonly (readonly ScoredChunk[])[], topK: number): ScoredChunk[] {
  const found = new Map<string, { scored: ScoredChunk; sum: number }>();
  for (const ranked of lists) {
    for (const [rank, scored] of ranked.entries()) {
      const before = found.get(scored.chunk.id);
      const best = before !== undefined && before.scored.score >= scored.score ? before.scored : scored;
      const sum = (before?.sum ?? 0) + 1 / (RANK_CONSTANT + rank + 1);
      found.set(scored.chunk.id, { scored: best, sum });
    }
  }
  return takenInTurn([...found.values()], topK);
}

function takenInTurn(
  candidates: { readonly scored: ScoredChunk; readonly sum: number }[],
  topK: number,
): ScoredChunk[] {
  const left = [...candidates].sort((a, b) => b.sum - a.sum);
  const taken: ScoredChunk[] = [];
  const perDocument = new Map<string, number>();
  const worth = ({ scored, sum }: (typeof left)[number]): number =>
    sum * SECOND_OF_DOCUMENT ** (perDocument.get(scored.chunk.documentId) ?? 0);
  while (taken.length < topK && left.length > 0) {
    let best = 0;
    for (let at = 1; at < left.length; at += 1) {
      const [candidate, leader] = [left[at], left[best]];
      if (candidate !== undefined && leader !== undefined && worth(candidate) > worth(leader)) best = at;
    }
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    taken.push(next.scored);
    const { documentId } = next.scored.chunk;
    perDocument.set(documentId, (perDocument.get(documentId) ?? 0) + 1);
  }
  return taken;
}

/** A step that cannot be done as it was chosen, in words that anybody may read. */
export class RefusedStep extends RAGError {
  constructor(message: string) {
    super('REQUEST_INVALID', message);
  }
}

class LateError extends RAGError {
  constructor() {
    super('SEARCH_FAILED', 'The time for finding evidence was over.');
  }
}

const LATE: StepOutcome = { ranked: [], new: 0, problem: 'The time was over before it answered.' };
