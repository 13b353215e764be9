import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { RAGError } from './errors.js';
import { runtime } from './runtime.js';

interface Timed {
  /** Milliseconds; there at the end. */
  tookMs?: number;
}

/**
 * The seam for telemetry: each operation is published on the tracing channel `ragstone:` and its name below
 * (`tracing:ragstone:search:start`, `:asyncEnd`, `:error`; see `node:diagnostics_channel`). One object goes through all events
 * of an operation; fields that may be absent are there at the end. No text of a query, a document or an answer is in it, nor a
 * secret; `error` has the public message of what was thrown, without its cause.
 */
export interface TelemetryPayloads {
  /** One search, from the question to the passages that are shown. An answer may need several. */
  readonly search: Timed & {
    readonly mode: 'hybrid' | 'dense' | 'lexical';
    /** As asked for; absent where the configuration says. */
    readonly topK: number | undefined;
    results?: number;
    degradationLevel?: number;
  };
  /** What one lane of a search does: the embedding of the query, the calls of the store, the reading of what is reranked. */
  readonly lane: Timed & {
    readonly lane: 'dense' | 'lexical' | 'identifier' | 'expansion' | 'rerank';
    candidates?: number;
  };
  /** A call of an embedding model. */
  readonly embed: Timed & {
    readonly kind: 'query' | 'document';
    readonly model: string;
    readonly texts: number;
  };
  /** A call of a reranker, without the wait for its turn. */
  readonly rerank: Timed & { readonly model: string; readonly candidates: number };
  /** One answer, its searches included. */
  readonly answer: Timed & {
    readonly mode: 'naive' | 'enhanced';
    answerer?: 'chat' | 'extractive' | 'none';
    degradationLevel?: number;
  };
  /** A step of a search or an answer that has no channel of its own. */
  readonly stage: Timed & {
    readonly stage: 'understand' | 'fuse' | 'refine' | 'rewrite' | 'pack' | 'write';
  };
}

export type TelemetryChannel = keyof TelemetryPayloads;

type Channels = { readonly [Name in TelemetryChannel]: TracingChannel<unknown, TelemetryPayloads[Name]> };

const CHANNELS: Channels = {
  search: tracingChannel('ragstone:search'),
  lane: tracingChannel('ragstone:lane'),
  embed: tracingChannel('ragstone:embed'),
  rerank: tracingChannel('ragstone:rerank'),
  answer: tracingChannel('ragstone:answer'),
  stage: tracingChannel('ragstone:stage'),
};

/** An operation that was begun. */
export interface Span {
  /** Runs a part of it, so that operations inside are published as its children. */
  run<Result>(work: () => Result): Result;
  /** Ends it; `error` is what it failed with. Only the first call counts. */
  end(error?: unknown): void;
}

/** Publishes the beginning of an operation that is no single promise (a stream); see `traced`. */
export function openSpan<Name extends TelemetryChannel>(name: Name, payload: TelemetryPayloads[Name]): Span {
  const channel: TracingChannel<unknown, TelemetryPayloads[Name]> = CHANNELS[name];
  const clock = clocks.getStore();
  const start = runtime().elapsed();
  const isHeard = channel.hasSubscribers;
  let isOver = false;
  // What subscribers bind to `start` (a span of theirs) holds for all that runs inside.
  const inside = isHeard ? channel.start.runStores(payload, () => AsyncLocalStorage.snapshot()) : undefined;
  if (isHeard) channel.end.publish(payload);
  return {
    run: (work) => (inside === undefined ? work() : inside(work)),
    end: (error) => {
      if (isOver) return;
      isOver = true;
      payload.tookMs = runtime().elapsed() - start;
      clock?.add(stageOf(payload, name), payload.tookMs);
      if (!isHeard) return;
      if (error !== undefined) channel.error.publish(Object.assign(payload, { error: publicError(error) }));
      channel.asyncStart.publish(payload);
      channel.asyncEnd.publish(payload);
    },
  };
}

/** Does work and publishes its beginning, its end and what it threw. */
export async function traced<Name extends TelemetryChannel, Result>(
  name: Name,
  payload: TelemetryPayloads[Name],
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const span = openSpan(name, payload);
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** The cause of an error may hold what was sent to a provider. */
const publicError = (error: unknown): RAGError =>
  RAGError.isInstance(error)
    ? new RAGError(error.reason, error.message, { details: error.details })
    : new RAGError('INTERNAL', 'It failed for an unexpected reason.');

/** The name under which the time of an operation is added up; none for what is made of stages. */
function stageOf(payload: object, name: TelemetryChannel): string | undefined {
  // The lane of the reranker counts already, with the reading of what is reranked.
  if (name === 'search' || name === 'answer' || name === 'rerank') return undefined;
  if ('lane' in payload) return String(payload.lane);
  return 'stage' in payload ? String(payload.stage) : name;
}

const clocks = new AsyncLocalStorage<StageClock>();

/** Milliseconds by stage. Stages that run side by side, or one inside another (`embed` in `dense`), overlap. */
export type StageTimes = Readonly<Record<string, number>>;

/** Adds up the time of the stages that run inside it. A clock inside another one counts for both. */
export class StageClock {
  readonly #outer = clocks.getStore();
  readonly #times = new Map<string, number>();

  run<Result>(work: () => Result): Result {
    return clocks.run(this, work);
  }

  add(stage: string | undefined, milliseconds: number): void {
    if (stage === undefined) return;
    this.#times.set(stage, (this.#times.get(stage) ?? 0) + milliseconds);
    this.#outer?.add(stage, milliseconds);
  }

  get times(): StageTimes {
    return Object.fromEntries(Array.from(this.#times, ([stage, time]) => [stage, rounded(time)]));
  }
}

/** To hundredths of a millisecond. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
