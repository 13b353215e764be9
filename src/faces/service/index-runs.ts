import { type IndexProgress, type IndexResult, RAGError, SYSTEM_RUNTIME } from '../../index.js';

/** What failed of a source in a run, for one reason. */
export interface FailedSource {
  readonly source: string;
  readonly reason: string;
  /** Documents that failed; absent where the source failed as a whole. */
  readonly documents?: number;
}

/** An index run of this process. */
export interface IndexRun {
  readonly id: string;
  /** `sync`: the service follows the sources, and this one's turn came. */
  readonly by: 'request' | 'sync';
  /** Those that were asked for; absent where all were. */
  readonly sources?: readonly string[] | undefined;
  /** What failed is tried again. */
  readonly retry?: boolean | undefined;
  /** ISO-8601 UTC. */
  readonly startedAt: string;
  readonly progress?: IndexProgress | undefined;
  /** Absent while it is under way. */
  readonly finishedAt?: string | undefined;
  readonly success?: boolean | undefined;
  readonly stats?: IndexResult['stats'] | undefined;
  readonly failed?: readonly FailedSource[] | undefined;
  /** Why it ended, where that was by an error. */
  readonly error?: { readonly reason: string } | undefined;
}

/** Whose runs they are: a caller of a project sees none of the whole tenant. */
export interface RunOwner {
  readonly tenant: string;
  readonly project?: string | undefined;
}

export type AskedRun = Pick<IndexRun, 'by' | 'sources' | 'retry'>;

/** Told how a run goes. */
export interface RunReport {
  readonly run: () => IndexRun;
  progress(progress: IndexProgress): void;
  end(result: Pick<IndexResult, 'success' | 'stats'>): void;
  fail(error: unknown): void;
}

interface OwnersRuns {
  /** Newest first. */
  runs: readonly IndexRun[];
  /** Grows with every change. */
  version: number;
  readonly waiting: Set<() => void>;
}

const MOST_FINISHED = 10;
const MOST_WAITING = 10;
/** So often a stream says something, so that no proxy takes it for dead. */
const REPEATED_MS = 15_000;

/** The index runs of a process, as they go: those that requests begin, and those of the sync. */
export class IndexRuns {
  readonly #byOwner = new Map<string, OwnersRuns>();
  readonly #stops = new Map<string, AbortController>();
  readonly #open = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** Makes a run known that is done elsewhere. */
  begin({ tenant, project }: RunOwner, asked: AskedRun): RunReport {
    const of = this.#of({ tenant, project });
    let run: IndexRun = { id: SYSTEM_RUNTIME.uniqueName(), ...asked, startedAt: now() };
    const change = (changed: Partial<IndexRun>): void => {
      run = { ...run, ...changed };
      this.#put(of, run);
    };
    change({});
    return {
      run: () => run,
      progress: (progress) => change({ progress }),
      end: ({ success, stats }) =>
        change({ finishedAt: now(), success, stats, failed: failedSources(stats.errors) }),
      fail: (error) =>
        change({
          finishedAt: now(),
          success: false,
          error: { reason: RAGError.isInstance(error) ? error.reason : 'INTERNAL' },
        }),
    };
  }

  /**
   * Does a run, which goes on when its caller has gone. Where the same one is under way or waits, it is that one.
   *
   * @throws RAGError `RATE_LIMITED` where too many wait
   */
  start(
    owner: RunOwner,
    asked: Omit<AskedRun, 'by'>,
    work: (options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: IndexProgress) => void;
    }) => Promise<IndexResult>,
  ): IndexRun {
    const open = this.of(owner).filter(({ by, finishedAt }) => by === 'request' && finishedAt === undefined);
    const same = open.find(
      ({ sources, retry }) => keyOf(sources, retry) === keyOf(asked.sources, asked.retry),
    );
    if (same !== undefined) return same;
    if (open.length >= MOST_WAITING)
      throw new RAGError('RATE_LIMITED', 'Too many runs wait for each other. Try again when one has ended.');
    const report = this.begin(owner, { by: 'request', ...asked });
    const { id } = report.run();
    const stop = new AbortController();
    this.#stops.set(id, stop);
    const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
    const done = work({ signal, onProgress: report.progress })
      .then(report.end, report.fail)
      .finally(() => {
        this.#stops.delete(id);
        this.#open.delete(done);
      });
    this.#open.add(done);
    return report.run();
  }

  /** Stops what requests began; says how many. What was written stays. */
  stop(owner: RunOwner): number {
    const stops = this.of(owner).flatMap(({ id }) => this.#stops.get(id) ?? []);
    for (const stop of stops) stop.abort(new RAGError('ABORTED', 'The run was stopped.'));
    return stops.length;
  }

  /** Those under way and the last that ended, newest first. */
  of(owner: RunOwner): readonly IndexRun[] {
    return this.#byOwner.get(keyOf(owner.tenant, owner.project))?.runs ?? [];
  }

  /** How they stand now, and whenever that changes, until the signal fires or the process stops. */
  async *follow(owner: RunOwner, signal: AbortSignal): AsyncGenerator<readonly IndexRun[]> {
    const of = this.#of(owner);
    const end = AbortSignal.any([signal, this.#closing.signal]);
    while (!end.aborted) {
      const { version } = of;
      yield of.runs;
      if (of.version === version) await somethingHappens(of.waiting, end);
    }
  }

  /** Stops all of them, and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new RAGError('SERVICE_UNAVAILABLE', 'The service stops.'));
    await Promise.all(this.#open);
  }

  #of({ tenant, project }: RunOwner): OwnersRuns {
    const key = keyOf(tenant, project);
    const known = this.#byOwner.get(key) ?? { runs: [], version: 0, waiting: new Set() };
    this.#byOwner.set(key, known);
    return known;
  }

  #put(of: OwnersRuns, run: IndexRun): void {
    const all = of.runs.some(({ id }) => id === run.id)
      ? of.runs.map((one) => (one.id === run.id ? run : one))
      : [run, ...of.runs];
    const ended = all.filter(({ finishedAt }) => finishedAt !== undefined);
    const forgotten = new Set(ended.slice(MOST_FINISHED));
    of.runs = all.filter((one) => !forgotten.has(one));
    of.version += 1;
    for (const wake of of.waiting) wake();
  }
}

const now = (): string => new Date(SYSTEM_RUNTIME.now()).toISOString();

const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts.map((part) => part ?? null));

/** Until it is woken, the signal fires, or it is time to say the same again. */
function somethingHappens(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = SYSTEM_RUNTIME.setTimer(wake, REPEATED_MS, { isBackground: true });
    waiting.add(wake);
    signal.addEventListener('abort', wake);
  });
}

/**
 * Failures of a run by source and reason, so that a source with many bad documents does not fill the answer. The messages are left out:
 * they name folders of the machine.
 */
export function failedSources(errors: IndexResult['stats']['errors']): FailedSource[] {
  const found = new Map<string, FailedSource>();
  for (const { source, item, reason } of errors) {
    const key = JSON.stringify([source, reason, item === undefined]);
    const documents = (found.get(key)?.documents ?? 0) + 1;
    found.set(key, item === undefined ? { source, reason } : { source, reason, documents });
  }
  return [...found.values()];
}
