import { RAGError, toRAGError } from '../../core/errors.js';
import { isoNow, repeat, runtime, sleep, withRuntime } from '../../core/runtime.js';
import type { PendingBatch } from '../../ledger/pending-work.js';
import type { BatchOutcome, QueueConsumer, WorkQueue } from '../../ledger/queue/work-queue.js';
import type { WorkPlan } from '../../operations/engine.js';
import type { FinishedBatch, WorkerEvent } from './worker-events.js';

/** Between two looks whether the queue lacks what the ledger has pending, in milliseconds. */
const REFILL_MS = 10_000;
/** A server that has not answered by then is told of, in milliseconds. */
const FIRST_ANSWER_MS = 3_000;
/** Batches that one look adds at most; the next one adds more. */
const REFILLED_AT_ONCE = 10_000;
const PROGRESS_MS = 5_000;
/** A batch whose items another process holds is looked at again after that, in milliseconds. */
const HELD_MS = 2_000;
/** After a batch of a source that this worker does not have, or has other settings for, it leaves others the next one. */
const FOREIGN_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 60_000;
const GRACE_MS = 20_000;

/** What works on batches: an engine. */
export interface Workable {
  workPlan(): WorkPlan;
}

export interface WorkersOptions {
  /** Batches at once. @default 1 */
  readonly concurrency?: number | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
  /** How long `stop` lets batches go on before it gives them back, in milliseconds. @default 20_000 */
  readonly graceMs?: number | undefined;
}

/** A process that does what listings leave to workers. */
export interface Workers {
  /** Takes no more batches, finishes those that it has, and gives back what takes too long. */
  stop(): Promise<void>;
  /** Resolves after `stop`. Rejects where the worker cannot go on: what it needs is not there, and waiting does not bring it. */
  readonly ended: Promise<void>;
}

/**
 * Works on what listings leave to workers (`rag.queue`), until it is stopped. Any number of processes on any number of hosts do so at once.
 * What does not answer is waited for, and told. Stop it before the engine is closed.
 *
 * @throws RAGError `USAGE` for a concurrency below 1
 */
export function startWorkers(engine: Workable, options: WorkersOptions = {}): Workers {
  const { concurrency = 1 } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new RAGError('USAGE', 'The concurrency of a worker is a whole number from 1 up.');
  const plan = engine.workPlan();
  return withRuntime(plan.runtime, () => new RunningWorkers(plan, { ...options, concurrency }));
}

type Happening = WorkerEvent extends infer Event
  ? Event extends WorkerEvent
    ? Omit<Event, 'at'>
    : never
  : never;

class RunningWorkers implements Workers {
  readonly ended: Promise<void>;
  readonly #plan: WorkPlan;
  readonly #options: WorkersOptions & { readonly concurrency: number };
  /** Fires when no more is to be taken. */
  readonly #stopping = new AbortController();
  /** Fires when what is under way is to be given back. */
  readonly #givingBack = new AbortController();
  readonly #fatal: { readonly promise: Promise<never>; readonly reject: (error: RAGError) => void };
  readonly #told = new Set<string>();
  #underWay = 0;
  #failures = 0;
  #done = { batches: 0, items: 0, failed: 0 };
  #reported = { items: 0, at: runtime().elapsed() };

  constructor(plan: WorkPlan, options: WorkersOptions & { readonly concurrency: number }) {
    this.#plan = plan;
    this.#options = options;
    this.#fatal = rejectable();
    this.ended = this.#run();
    // A caller that asks is told; others are told by events.
    this.ended.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(stopped());
    await this.ended.catch(() => undefined);
  }

  #tell(event: Happening): void {
    this.#options.onEvent?.({ ...event, at: isoNow() });
  }

  async #run(): Promise<void> {
    // The caller that starts it hears of everything.
    await Promise.resolve();
    const queue = await this.#open();
    if (queue === undefined) return;
    const { concurrency } = this.#options;
    this.#tell({ type: 'started', concurrency });
    const consumer = queue.consume((batch) => this.#work(batch), { concurrency });
    const refilling = this.#watch(queue);
    try {
      await Promise.race([aborted(this.#stopping.signal), this.#fatal.promise]);
    } finally {
      this.#stopping.abort(stopped());
      for (const end of refilling) end();
      await this.#finish(consumer);
      this.#plan.release?.();
      this.#tell({ type: 'stopped', ...this.#done });
    }
  }

  /** What is missing now and may come is waited for; undefined where it was stopped before. */
  async #open(): Promise<WorkQueue | undefined> {
    const { signal } = this.#stopping;
    for (let failures = 1; ; failures++) {
      try {
        const queue = await this.#plan.queue();
        await this.#plan.prepare();
        return queue;
      } catch (error) {
        const failure = toRAGError(error, 'INTERNAL', `The worker cannot start: ${String(error)}`);
        if (!failure.retryable || signal.aborted) throw failure;
        this.#tell({ type: 'notice', message: failure.message });
        await sleep(pauseAfter(failures), signal).catch(() => undefined);
        if (signal.aborted) return undefined;
      }
    }
  }

  /** Fills the queue again where it has lost anything, and tells how far the work is. */
  #watch(queue: WorkQueue): (() => void)[] {
    const refill = once(() => this.#refill(queue));
    let isTold = true;
    const change = (isUp: boolean): void => {
      if (isUp !== isTold) this.#tell({ type: isUp ? 'queue-up' : 'queue-down' });
      isTold = isUp;
      if (isUp) refill();
    };
    queue.onChange(change);
    if (queue.isUp) refill();
    const report = once(() => this.#report());
    const early = runtime().setTimer(() => change(queue.isUp), FIRST_ANSWER_MS);
    return [early, repeat(refill, REFILL_MS), repeat(report, PROGRESS_MS)];
  }

  /** The ledger knows what is pending. Where the queue holds fewer batches, all are added, and those that it holds stay as they are. */
  async #refill(queue: WorkQueue): Promise<void> {
    if (!queue.isUp || this.#stopping.signal.aborted) return;
    try {
      const pending = await this.#plan.pendingWork();
      const batches = (await pending?.batchCount()) ?? 0;
      if (pending === undefined || batches === 0) return;
      const { waiting, active } = await queue.counts();
      if (waiting + active >= batches) return;
      await queue.add(await pending.batches(REFILLED_AT_ONCE));
      this.#tell({ type: 'refilled', batches: batches - waiting - active });
    } catch (error) {
      this.#notice(toRAGError(error, 'INTERNAL', 'The queue could not be compared with the ledger.'));
    }
  }

  async #report(): Promise<void> {
    const { items, at } = this.#reported;
    if (this.#done.items === items) return;
    try {
      const left = (await (await this.#plan.pendingWork())?.counts()) ?? [];
      const now = runtime().elapsed();
      const itemsPerSecond = Math.round(((this.#done.items - items) * 10_000) / Math.max(1, now - at)) / 10;
      this.#reported = { items: this.#done.items, at: now };
      this.#tell({ type: 'progress', ...this.#done, itemsPerSecond, left });
    } catch (error) {
      this.#notice(toRAGError(error, 'INTERNAL', 'What is left could not be counted.'));
    }
  }

  /** Each trouble is told once, until the work goes on. */
  #notice({ message }: RAGError): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#tell({ type: 'notice', message });
  }

  async #work(batch: PendingBatch): Promise<BatchOutcome> {
    const { tenant, source } = batch;
    if (this.#stopping.signal.aborted) return { isDone: false, againInMs: 0 };
    const startedAt = runtime().elapsed();
    this.#underWay++;
    try {
      const report = await this.#plan.work(batch, this.#givingBack.signal);
      this.#failures = 0;
      this.#told.clear();
      if ('isUnknown' in report)
        return this.#leave(
          `No source of this configuration is called "${source}": its batches are left to other workers.`,
        );
      const { items, left, isForeign, isLast, result } = report;
      const { documentsProcessed, documentsDeleted, documentsFailed, vectorsIndexed, errors } = result.stats;
      this.#done = {
        batches: this.#done.batches + 1,
        items: this.#done.items + items,
        failed: this.#done.failed + documentsFailed,
      };
      const counted: FinishedBatch = {
        ...{ tenant, source, items, documentsProcessed, documentsDeleted, isLast, errors },
        chunks: vectorsIndexed,
        ms: Math.round(runtime().elapsed() - startedAt),
        notices: result.notices,
      };
      if (items > 0 || isLast) this.#tell({ type: 'batch-finished', ...counted });
      if (isForeign)
        return this.#leave(
          `"${source}" was listed by a configuration that processes it in another way than this one: its batches are left to other workers. Give all hosts the same configuration and version.`,
        );
      return left > 0 ? { isDone: false, againInMs: HELD_MS } : { isDone: true };
    } catch (error) {
      return await this.#failed(batch, toRAGError(error, 'INTERNAL', `The batch failed: ${String(error)}`));
    } finally {
      this.#underWay--;
    }
  }

  #leave(message: string): BatchOutcome {
    this.#notice(new RAGError('USAGE', message));
    return { isDone: false, againInMs: 0, restMs: FOREIGN_MS };
  }

  /** A store or a model that does not answer is not the documents' fault: they are handed to another worker, and this one rests. */
  async #failed({ tenant, source }: PendingBatch, failure: RAGError): Promise<BatchOutcome> {
    if (this.#stopping.signal.aborted) return { isDone: false, againInMs: 0 };
    const { reason, message } = failure;
    const pause = pauseAfter(++this.#failures);
    this.#tell({ type: 'batch-failed', tenant, source, reason, message, againInMs: pause });
    if (ENDS.has(failure.category)) this.#fatal.reject(failure);
    await sleep(pause, this.#stopping.signal).catch(() => undefined);
    return { isDone: false, againInMs: 0 };
  }

  async #finish(consumer: QueueConsumer): Promise<void> {
    if (this.#underWay > 0) this.#tell({ type: 'stopping', batches: this.#underWay });
    const cancel = runtime().setTimer(
      () => this.#givingBack.abort(stopped()),
      this.#options.graceMs ?? GRACE_MS,
    );
    try {
      await consumer.close();
    } finally {
      cancel();
    }
  }
}

/** Of failures that no waiting mends. */
const ENDS: ReadonlySet<RAGError['category']> = new Set(['config']);

const stopped = (): RAGError => new RAGError('ABORTED', 'The worker was stopped.');

/** A random part of a wait that doubles, so that workers do not come back together. */
const pauseAfter = (failures: number): number =>
  (0.5 + runtime().random() / 2) * Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));

/** Work that is not begun again while it goes on. */
function once(work: () => Promise<void>): () => void {
  let isOn = false;
  return () => {
    if (isOn) return;
    isOn = true;
    void work().finally(() => {
      isOn = false;
    });
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function rejectable(): { readonly promise: Promise<never>; readonly reject: (error: RAGError) => void } {
  let reject: (error: RAGError) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // The caller that waits for the end reports it.
  promise.catch(() => undefined);
  return { promise, reject };
}
