import type { ContextEstimate } from '../chunking/contextual/chunk-contextualiser.js';
import { throwIfAborted } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { TimeLeft } from '../core/time-left.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { type EmbeddingEstimate, sumOfCosts, sumOfEstimates } from '../embedding/embedder.js';
import type { IndexProgress, IndexResult } from '../operations/engine.js';
import { IndexTally } from './index-tally.js';

const PROGRESS_INTERVAL_MS = 100;

/** Which of several requests that are done in one run an item is of. */
export type RequestOfItem = (itemId: string) => number | undefined;

/** Below this share of the bytes, the time that is left would be a guess from a few small files. */
const MIN_SHARE_FOR_ETA = 0.02;

/** How far one stage of one source is. */
export class StageProgress {
  readonly #startedAt = runtime().elapsed();
  readonly #timeLeft = new TimeLeft();
  itemsTotal = 0;
  itemsDone = 0;
  #bytesTotal = 0;
  #bytesDone = 0;

  expect(items: number, bytes: number): void {
    this.itemsTotal += items;
    this.#bytesTotal += bytes;
  }

  done(bytes: number): void {
    this.itemsDone += 1;
    this.#bytesDone += bytes;
    this.#timeLeft.add(bytes);
  }

  get itemsPerSecond(): number {
    const elapsed = runtime().elapsed() - this.#startedAt;
    return elapsed === 0 ? 0 : (this.itemsDone * 1000) / elapsed;
  }

  /** Milliseconds left by bytes done; undefined until it can be told. */
  get etaMs(): number | undefined {
    if (this.#bytesDone < this.#bytesTotal * MIN_SHARE_FOR_ETA) return undefined;
    return this.#timeLeft.of(this.#bytesTotal - this.#bytesDone);
  }
}

/** Stage times and progress of one `index` run, and what it counted: of each request that it does, and of none in particular. */
export class IndexRun extends IndexTally {
  readonly #requests = new Map<number, IndexTally>();
  readonly #stages = new Map<string, number>();
  readonly #startedAt = runtime().elapsed();
  #indexingSince: number | undefined;
  #lastReport = 0;
  #stage: IndexProgress['stage'] = 'listing';
  #source: string | undefined;
  #items = { total: 0, done: 0 };
  #sources = { total: 0, seen: new Set<string>() };
  #progress = new StageProgress();
  readonly #skipped = new Map<string, Readonly<Record<string, number>>>();
  #contexts: ContextEstimate | undefined;
  #embedding: EmbeddingEstimate | undefined;

  constructor(
    private readonly onProgress: ((progress: IndexProgress) => void) | undefined,
    private readonly signal: AbortSignal | undefined,
    private readonly requestOf: RequestOfItem = () => undefined,
  ) {
    super();
  }

  /** Where an item is counted. */
  of(itemId: string): IndexTally {
    const request = this.requestOf(itemId);
    return request === undefined ? this : this.#tallyOf(request);
  }

  #tallyOf(request: number): IndexTally {
    const known = this.#requests.get(request) ?? new IndexTally();
    this.#requests.set(request, known);
    return known;
  }

  /** Everything that was counted. */
  total(): IndexTally {
    const total = new IndexTally();
    for (const tally of [this, ...this.#requests.values()]) total.add(tally);
    return total;
  }

  /** Times synchronous work under a stage's name. */
  readonly timed = <T>(stage: string, work: () => T): T => {
    const start = runtime().elapsed();
    try {
      return work();
    } finally {
      this.#addTime(stage, runtime().elapsed() - start);
    }
  };

  /** Times asynchronous work under a stage's name. */
  async timedAsync<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const start = runtime().elapsed();
    try {
      return await work();
    } finally {
      this.#addTime(stage, runtime().elapsed() - start);
    }
  }

  /** Adds what other threads spent, by stage: together more than the time that went by. */
  addTimes(times: Readonly<Record<string, number>>): void {
    for (const [stage, ms] of Object.entries(times)) this.#addTime(stage, ms);
  }

  #addTime(stage: string, ms: number): void {
    this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + ms);
  }

  checkAborted(): void {
    throwIfAborted(this.signal);
  }

  /** What a listing left out by rule, by kind. */
  countSkipped(source: string, counts: Readonly<Record<string, number>>): void {
    if (Object.keys(counts).length > 0) this.#skipped.set(source, counts);
  }

  /** A dry run: what writing contexts will cost. */
  addContexts(estimate: ContextEstimate): void {
    const { chunks = 0, inputTokens = 0, outputTokens = 0 } = this.#contexts ?? {};
    this.#contexts = {
      chunks: chunks + estimate.chunks,
      inputTokens: inputTokens + estimate.inputTokens,
      outputTokens: outputTokens + estimate.outputTokens,
      ...sumOfCosts(this.#contexts, estimate),
    };
  }

  /** A dry run: what embedding will cost. */
  addEmbedding(estimate: EmbeddingEstimate): void {
    this.#embedding = sumOfEstimates(this.#embedding, estimate);
  }

  #estimate(): Pick<IndexResult, 'estimate'> {
    const contexts = this.#contexts;
    const embedding = this.#embedding;
    if (contexts === undefined && embedding === undefined) return {};
    return {
      estimate: withoutUndefined({ contexts, embedding }),
    };
  }

  enter(stage: IndexProgress['stage'], source?: string): void {
    // What another writer had is listed and indexed once more: its counts go on.
    if (stage !== this.#stage || source !== this.#source) this.#progress = new StageProgress();
    this.#stage = stage;
    this.#source = source;
    if (source !== undefined) this.#sources.seen.add(source);
    if (stage === 'indexing') this.#indexingSince ??= runtime().elapsed();
    this.#report(true);
  }

  /** How many sources the run is over. */
  over(sources: number): void {
    this.#sources.total = sources;
  }

  /** One item of a listing. */
  itemListed(): void {
    this.#progress.done(0);
    this.#report(false);
  }

  /** What of the present source is to be read. */
  expect(items: number, bytes: number): void {
    this.#items.total += items;
    this.#progress.expect(items, bytes);
    this.#report(false);
  }

  itemDone(bytes: number): void {
    this.#items.done++;
    this.#progress.done(bytes);
    this.#report(false);
  }

  #report(always: boolean): void {
    if (this.onProgress === undefined) return;
    const now = runtime().elapsed();
    if (!always && now - this.#lastReport < PROGRESS_INTERVAL_MS) return;
    this.#lastReport = now;
    const elapsed = this.#indexingSince === undefined ? 0 : now - this.#indexingSince;
    const { itemsTotal, itemsDone, itemsPerSecond, etaMs } = this.#progress;
    const isListing = this.#stage === 'listing';
    this.onProgress({
      stage: this.#stage,
      ...withoutUndefined({ source: this.#source }),
      sourcesTotal: this.#sources.total,
      sourceNumber: this.#sources.seen.size,
      itemsTotal: this.#items.total,
      itemsDone: this.#items.done,
      sourceItemsTotal: isListing ? 0 : itemsTotal,
      sourceItemsDone: isListing ? 0 : itemsDone,
      itemsListed: isListing ? itemsDone : 0,
      itemsPerSecond,
      chunksWritten: this.total().vectorsIndexed,
      chunksPerSecond: elapsed === 0 ? 0 : (this.total().vectorsIndexed * 1000) / elapsed,
      ...withoutUndefined({ etaMs }),
    });
  }

  stats(tally = this.total()): IndexResult['stats'] {
    return {
      ...tally.counts(),
      timeElapsed: round(runtime().elapsed() - this.#startedAt),
      stages: Object.fromEntries([...this.#stages].map(([stage, ms]) => [stage, round(ms)])),
      ...tally.renewed(),
      ...tally.moved(),
      ...tally.redactions(),
      ...tally.unread(),
      ...tally.forgotten(),
      ...tally.retention(),
      ...(tally.handedOver === 0 ? {} : { itemsHandedOver: tally.handedOver }),
      ...(this.#skipped.size === 0 ? {} : { skipped: Object.fromEntries(this.#skipped) }),
      errors: tally.errors,
    };
  }

  result(dryRun: boolean): IndexResult {
    return { ...this.#resultOf(this.total()), dryRun, ...this.#estimate() };
  }

  /** What came of one of several requests: its own items, and what concerns none in particular. */
  resultOf(request: number): IndexResult {
    const tally = new IndexTally();
    tally.add(this);
    tally.add(this.#tallyOf(request));
    return { ...this.#resultOf(tally), dryRun: false };
  }

  #resultOf(tally: IndexTally): Omit<IndexResult, 'dryRun'> {
    return { success: tally.errors.length === 0, stats: this.stats(tally), notices: tally.notices() };
  }
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
