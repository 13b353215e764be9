import type { Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { RAGError } from '../../core/errors.js';
import { loadDriver } from '../../core/load-driver.js';
import { runtime, sleep } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import { resultWithin } from '../../core/with-deadline.js';
import type { PendingBatch } from '../pending-work.js';
import type { BatchHandler, QueueConsumer, QueueCounts, WorkQueue } from './work-queue.js';

export interface BullmqQueueOptions {
  /** `redis://` or `rediss://`, with user and password where it asks for them. Never shown in errors. */
  readonly url: string;
  /** Before every key. Indexes that share a server state different ones. */
  readonly prefix: string;
  /** Which index of these: batches of one are never handed to a worker of another. */
  readonly name: string;
  /** How long a worker that has died keeps its batches from others, in milliseconds. */
  readonly lockMs: number;
}

const CONNECT_MS = 5_000;
/** Who adds or counts waits no longer, in milliseconds. */
const COMMAND_MS = 10_000;
/** Between two attempts to reach the server, in milliseconds. */
const RETRY_MS = 1_000;
/** How long the end of a connection is waited for, in milliseconds. */
const CLOSE_MS = 2_000;
/** Batches that one call adds. */
const ADDED_AT_ONCE = 500;

/**
 * A queue of BullMQ on a Redis or Valkey server. It holds names of batches and nothing of their documents. What it says of failed jobs
 * and attempts counts for nothing: that is the ledger's.
 *
 * @throws RAGError `PACKAGE_MISSING` without `bullmq` or `ioredis`, `CONFIG_INVALID` for an address that is none
 */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<WorkQueue> {
  if (!/^rediss?:\/\/[^/]/.test(options.url) || !URL.canParse(options.url))
    throw new RAGError(
      'CONFIG_INVALID',
      '`rag.queue.url` must be an address such as redis://127.0.0.1:6379 or rediss://user:password@host:6380.',
      { details: { key: 'rag.queue.url' } },
    );
  const bullmq = await loadDriver(() => import('bullmq'), { store: 'the queue', install: 'bullmq@6.7.0' });
  const ioredis = await loadDriver(() => import('ioredis'), {
    store: 'the queue',
    install: 'ioredis@6.0.0',
  });
  return new BullmqQueue(options, {
    Queue: bullmq.Queue,
    Worker: bullmq.Worker,
    Delayed: bullmq.DelayedError,
    Redis: ioredis.Redis,
  });
}

interface Drivers {
  readonly Queue: typeof Queue;
  readonly Worker: typeof Worker;
  /** Says that a job was put back. */
  readonly Delayed: new () => Error;
  readonly Redis: typeof Redis;
}

type Client = Redis;

class BullmqQueue implements WorkQueue {
  readonly #options: BullmqQueueOptions;
  readonly #drivers: Drivers;
  readonly #adding: Client;
  readonly #queue: Queue<PendingBatch>;
  readonly #consumers: Consumer[] = [];
  readonly #listeners: ((isUp: boolean) => void)[] = [];
  #isUp = false;

  constructor(options: BullmqQueueOptions, drivers: Drivers) {
    this.#options = options;
    this.#drivers = drivers;
    // Who adds is told at once that nobody answers; the ledger knows what is to be added later.
    this.#adding = new drivers.Redis(options.url, {
      connectTimeout: CONNECT_MS,
      commandTimeout: COMMAND_MS,
      maxRetriesPerRequest: 1,
      retryStrategy: () => RETRY_MS,
    });
    this.#adding.on('ready', () => this.#change(true));
    this.#adding.on('close', () => this.#change(false));
    ignoreErrors(this.#adding);
    this.#queue = new drivers.Queue<PendingBatch>(options.name, {
      connection: this.#adding,
      prefix: options.prefix,
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    ignoreErrors(this.#queue);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  onChange(told: (isUp: boolean) => void): void {
    this.#listeners.push(told);
  }

  #change(isUp: boolean): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    for (const told of this.#listeners) told(isUp);
  }

  async add(batches: readonly PendingBatch[]): Promise<void> {
    for (const some of slicesOf(batches, ADDED_AT_ONCE))
      await answered(() =>
        this.#queue.addBulk(
          some.map((batch) => ({
            name: 'batch',
            data: batch,
            // One that is there is left alone; one that is done leaves no trace, so that it can be added again.
            opts: { jobId: `b${batch.batch}`, removeOnComplete: true, removeOnFail: true },
          })),
        ),
      );
  }

  async counts(): Promise<QueueCounts> {
    const { active = 0, ...others } = await answered(() =>
      this.#queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized'),
    );
    return { active, waiting: Object.values(others).reduce((sum, count) => sum + count, 0) };
  }

  consume(handler: BatchHandler, { concurrency }: { readonly concurrency: number }): QueueConsumer {
    const consumer = new Consumer(this.#options, this.#drivers, { handler, concurrency });
    this.#consumers.push(consumer);
    return consumer;
  }

  async close(): Promise<void> {
    for (const consumer of this.#consumers) await consumer.close();
    this.#adding.removeAllListeners('close');
    await within(CLOSE_MS, this.#queue.close());
    this.#adding.disconnect();
  }
}

/** One worker of BullMQ with a connection of its own. */
class Consumer implements QueueConsumer {
  readonly #client: Client;
  readonly #worker: Worker<PendingBatch>;
  readonly #handler: BatchHandler;
  readonly #Delayed: Drivers['Delayed'];
  readonly #busy = new Set<Promise<unknown>>();
  /** Fires when it is closed. */
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(
    { url, prefix, name, lockMs }: BullmqQueueOptions,
    { Worker, Redis, Delayed }: Drivers,
    { handler, concurrency }: { readonly handler: BatchHandler; readonly concurrency: number },
  ) {
    this.#handler = handler;
    this.#Delayed = Delayed;
    this.#client = new Redis(url, {
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_MS,
      retryStrategy: () => RETRY_MS,
    });
    ignoreErrors(this.#client);
    this.#worker = new Worker<PendingBatch>(name, (job, token) => this.#process(job, token), {
      connection: this.#client,
      prefix,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: Math.max(1_000, lockMs / 2),
      // How often a batch may be begun is the ledger's to say.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: RETRY_MS,
      drainDelay: 1,
      skipVersionCheck: true,
    });
    ignoreErrors(this.#worker);
  }

  async #process(job: Job<PendingBatch>, token: string | undefined): Promise<void> {
    const handling = this.#handler(job.data);
    this.#busy.add(handling);
    try {
      const outcome = await handling;
      if (outcome.isDone) return;
      await job.moveToDelayed(runtime().now() + Math.max(1, outcome.againInMs), token);
      await sleep(outcome.restMs ?? 0, this.#ending.signal).catch(() => undefined);
      throw new this.#Delayed();
    } finally {
      this.#busy.delete(handling);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    const closing = this.#worker.close();
    await Promise.allSettled(this.#busy);
    // A server that does not answer is no reason to stay: it gives the batches to others when their locks end.
    await within(CLOSE_MS, closing);
    this.#client.disconnect();
  }
}

/** What is wrong is told by the state alone: the words of a driver may hold the address. */
function ignoreErrors(emitter: { on(event: 'error', listener: () => void): unknown }): void {
  emitter.on('error', () => undefined);
}

const within = (milliseconds: number, work: Promise<unknown>): Promise<unknown> =>
  resultWithin(
    milliseconds,
    work.catch(() => undefined),
  );

async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new RAGError(
      'QUEUE_UNAVAILABLE',
      'The server of the queue (`rag.queue.url`) does not answer. Nothing is lost: what waits is kept in the ledger.',
      {
        cause: error,
      },
    );
  }
}
