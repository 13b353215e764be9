import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { madeWhenAsked } from '../core/made-once.js';
import { isUnfinished } from '../features/forgetting/receipts.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LockRequest, LockSubject } from '../ledger/lock.js';
import type { IndexRequest } from '../operations/engine.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { nothingIndexed } from '../resources/open-collection.js';
import { type AskedIndexing, tracedBeginning } from '../resources/traced-indexing.js';
import { askedPush, type EngineWrite, type WriteOutcome } from './asked-writes.js';
import type { HeldIndex } from './index-requests.js';
import { anySignal, OpenWork } from './open-work.js';
import { ReadAhead } from './read-ahead.js';
import { WriteGroups } from './write-groups.js';

/** Loaded when it is first needed, as all that a search does without. */
const groupedWrites = madeWhenAsked(() => import('./grouped-writes.js'));

/** Which lock a call waits for. */
interface LockedCall {
  readonly options?: IndexRequest['options'];
  readonly signal: AbortSignal;
  /** @default 'whole' */
  readonly subject?: LockSubject;
  readonly isBrief?: boolean;
  readonly indexing?: AskedIndexing;
}

/** Other writers are waited for this long by work that takes long itself, in milliseconds. */
export const PATIENT_WAIT_MS = 600_000;

/** What the operations of one engine share: its resources, what is under way, and the lock of its index. */
export class EngineCore implements EngineHost {
  readonly config: ResolvedConfig;
  readonly work: OpenWork;
  readonly readAhead: ReadAhead;
  readonly #opened: EngineResources;
  readonly #writes: WriteGroups<EngineWrite, WriteOutcome>;
  #closing: Promise<void> | undefined;

  constructor(
    resources: EngineResources,
    readonly cwd: string,
  ) {
    this.config = resources.config;
    this.#opened = resources;
    this.readAhead = new ReadAhead(resources);
    this.work = new OpenWork(resources.config.own?.runtime);
    this.#writes = new WriteGroups(this.work, (writes, signal) =>
      this.withLock(
        {
          command: commandOf(writes),
          subject: 'items',
          waitMs: writes[0]?.waitMs,
          signal,
          indexing: askedBy(writes),
        },
        async (writing, held) => {
          const { writeTogether } = await groupedWrites();
          return writeTogether(writes, { ...held, signal: writing }, this);
        },
      ),
    );
  }

  /** Throws once the engine is closed: a ledger that was opened anew would stay open. */
  get resources(): EngineResources {
    if (this.#closing === undefined) return this.#opened;
    throw new RAGError('USAGE', 'This engine is closed. Open another one with createEngine.');
  }

  write(write: EngineWrite, given?: AbortSignal): Promise<WriteOutcome> {
    return this.work.run(given, (signal) => this.#writes.add(write, signal));
  }

  /** Work that somebody waits for, and that other work gives way to. */
  answering<T>(given: AbortSignal | undefined, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.readAhead.begin();
    return this.#opened.activeQueries.during(() => this.work.run(given, answer));
  }

  /** The ledger for writing, where there is one: a question about an index makes none. */
  async existingLedger(): Promise<Ledger> {
    if ((await this.resources.ledger.reading()) === undefined) throw nothingIndexed(this.config);
    return this.resources.ledger.writing({ check: false });
  }

  async finishForgetting(signal: AbortSignal): Promise<readonly string[]> {
    const { finishForgetting } = await import('../features/forgetting/forget.js');
    return finishForgetting(signal, this);
  }

  /** Work on the index of which this engine does one piece at a time. */
  async locked<T>(
    command: string,
    { options, subject = 'whole', ...call }: LockedCall,
    work: (signal: AbortSignal, held: HeldIndex) => Promise<T>,
  ): Promise<T> {
    this.#writes.separate();
    // Runs of one engine wait for each other; the lock is for other processes.
    return this.work.inTurn(call.signal, () =>
      this.withLock({ command: `ragstone ${command}`, waitMs: options?.waitMs, subject, ...call }, work),
    );
  }

  async withLock<T>(
    {
      command,
      signal,
      indexing,
      ...request
    }: LockRequest & { readonly signal: AbortSignal; readonly indexing?: AskedIndexing | undefined },
    work: (signal: AbortSignal, held: HeldIndex) => Promise<T>,
  ): Promise<T> {
    const lock = await tracedBeginning(indexing, () =>
      this.resources.ledger.lock({ ...request, signal, command }),
    );
    const { lost, isShared = false, giveWay } = lock;
    // Who loses the lock of the whole finds what it wrote claimed by others, too.
    const leaseMs = this.#opened.ledger.isShared ? this.config.rag.ledger.leaseMs : undefined;
    try {
      const writing = lost === undefined ? signal : anySignal(signal, lost);
      // What is half forgotten is forgotten before anything else is done. A failure is told by the status of the index.
      if (!isShared && isUnfinished(this.config.dataDir)) await this.finishForgetting(writing);
      return await this.readAhead.pausedFor(async () => {
        const done = await work(writing, { leaseMs, isShared, giveWay });
        this.resources.ledger.assertSame();
        await this.resources.results.dropOld();
        return done;
      });
    } catch (error) {
      throw lost?.aborted === true ? lost.reason : error;
    } finally {
      await lock.release();
    }
  }

  /** Stops what is under way, waits for it, and lets go of everything. */
  close(): Promise<void> {
    this.#closing ??= this.readAhead
      .stop()
      .then(() => this.work.end())
      .then(() => this.#opened.close());
    return this.#closing;
  }
}

/** What is said of pushes where they cannot begin. */
const askedBy = ([first]: readonly EngineWrite[]): AskedIndexing | undefined =>
  first !== undefined && 'push' in first.work ? askedPush(first.scope) : undefined;

/** As others are told who holds the index: no command of a person writes these. */
const commandOf = ([first]: readonly EngineWrite[]): string =>
  first !== undefined && 'push' in first.work ? 'a push of documents' : 'a deletion of documents';
