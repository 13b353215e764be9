import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { RAGError } from './errors.js';
import { runtime } from './runtime.js';

interface Timed {
  /** Milliseconds; there at the end. */
  tookMs?: number;
  /** When it began, in milliseconds since 1970: of what another process did and is told of afterwards. Absent: now. */
  startedAt?: number;
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
    readonly mode: 'hybrid' | 'dense' | 'lexical' | 'graph';
    /** As asked for; absent where the configuration says. */
    readonly topK: number | undefined;
    results?: number;
    degradationLevel?: number;
    /** A store answered in place of the one that is asked first (`rag.failover`). */
    isFailover?: boolean;
    /** Whether the query cache had it; `semantic` where it had what an earlier question found, `off` where none is kept for this search. */
    cache?: 'hit' | 'miss' | 'semantic' | 'off';
  };
  /** A look into a cache. */
  readonly cache: Timed & {
    /** `embedding`: vectors of questions. `document-embedding`: vectors of what is indexed. `query`: results of searches. `semantic`: results of questions that mean the same. */
    readonly cache: 'embedding' | 'document-embedding' | 'query' | 'semantic';
    /** What was looked for. */
    readonly keys: number;
    /** What of it was there. */
    hits?: number;
    /** What this process holds in memory now. */
    entries?: number;
  };
  /** What one lane of a search does: the embedding of the query, the calls of the store, the reading of what is reranked. */
  readonly lane: Timed & {
    readonly lane: 'dense' | 'lexical' | 'identifier' | 'expansion' | 'graph' | 'rerank';
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
    readonly mode: 'naive' | 'enhanced' | 'agentic' | 'graph';
    answerer?: 'chat' | 'extractive' | 'none';
    degradationLevel?: number;
  };
  /** An item of a pipeline that is rolled out (`rag.rollout`), done on its side; its searches are inside. */
  readonly rollout: Timed & {
    /** Which way its answer was made: from the index, or as before there was one. */
    side?: 'rag' | 'legacy';
    /** Why it was the old way; `fallback` where the new way failed. */
    reason?: 'flag' | 'percentage' | 'shadow' | 'disabled' | 'fallback';
    /** With the reason `shadow`: whether both ways found the same, or the new one failed. */
    comparison?: 'agreed' | 'differed' | 'failed';
  };
  /** A call of a language model, until its answer is whole. */
  readonly chat: Timed & {
    /** `provider:model`. */
    readonly model: string;
    inputTokens?: number;
    outputTokens?: number;
    /** Why the answer ended, as providers say it: `stop`, `length`. */
    finishReason?: string;
  };
  /** Writing the index: a run over sources, documents that are pushed, a batch of a worker. Counts are there at the end, also of what fails. */
  readonly index: Timed & {
    readonly kind: 'run' | 'push' | 'batch' | 'delete' | 'forget';
    readonly tenant: string;
    /** Names of the sources it is over. */
    readonly sources: readonly string[];
    documentsProcessed?: number;
    documentsUnchanged?: number;
    documentsFailed?: number;
    documentsDeleted?: number;
    chunksCreated?: number;
    /** What failed: documents, and sources as a whole. */
    errors?: number;
    /** Those of `sources` of which something failed and nothing was written. */
    failedSources?: readonly string[];
    /** Milliseconds of each stage, those of all threads together. */
    stages?: StageTimes;
  };
  /** A look at whether the parts of an engine answer. */
  readonly health: Timed & {
    parts?: readonly { readonly part: string; readonly ok: boolean }[];
    /** Absent where there is one store. `lag`: writes that it lacks. */
    stores?: readonly { readonly name: string; readonly isReady: boolean; readonly lag: number }[];
    /** What is kept for stores that lack it, in bytes; absent where there is one store. */
    journalBytes?: number;
    /** Chunks in the store, of all tenants; absent where they were not counted. */
    chunks?: number;
    /** What is left to workers, of all tenants; absent where there is no queue, or where it was not counted. */
    work?: {
      /** Documents that nobody works on now. */
      readonly waiting: number;
      /** Documents that a worker holds. */
      readonly active: number;
      /** How long the oldest of them has waited, in seconds. */
      readonly oldestSeconds: number;
    };
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
  rollout: tracingChannel('ragstone:rollout'),
  cache: tracingChannel('ragstone:cache'),
  chat: tracingChannel('ragstone:chat'),
  index: tracingChannel('ragstone:index'),
  health: tracingChannel('ragstone:health'),
};

/** Names of all channels. */
// The keys of an object that has every channel.
export const TELEMETRY_CHANNELS = Object.keys(CHANNELS) as readonly TelemetryChannel[];

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

/** What is made of stages, or is inside of one, or is no part of a question. */
const UNCLOCKED: ReadonlySet<TelemetryChannel> = new Set<TelemetryChannel>([
  'search',
  'answer',
  'rerank',
  'chat',
  'index',
  'health',
  'rollout',
]);

/** The name under which the time of an operation is added up; none for what is made of stages. */
function stageOf(payload: object, name: TelemetryChannel): string | undefined {
  // The lane of the reranker counts already, with the reading of what is reranked; the chat inside of `rewrite` and `write`.
  if (UNCLOCKED.has(name)) return undefined;
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
