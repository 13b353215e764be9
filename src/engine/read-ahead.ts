import { headingPathOf, titleOf } from '../core/chunk-metadata.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { runtime, sleep } from '../core/runtime.js';
import type { ReadingProgress } from '../operations/index-status.js';
import type { Reranker } from '../reranking/reranker.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { listPages } from '../stores/list-pages.js';

const PAGE = 200;
/** What is written or asked in short is over by then, in milliseconds. */
const FIRST_REST_MS = 10_000;
/** More passages than that would push older vectors out of the cache, and take an hour. */
const MOST = 30_000;
/** Reading waits for searches no longer than this, in milliseconds. */
const PATIENCE_MS = 250;
/** Looking through the index again takes at most a tenth of the time. */
const REST = 9;

type ReadingReranker = Reranker & Required<Pick<Reranker, 'readAhead'>>;

/** Whether what is read ahead reaches searches: those of other processes have it from the cache of vectors. */
const keepsWhatItReads = ({ config, processes }: EngineResources): boolean =>
  config.rag.retrieval.rerank.enabled &&
  config.rag.retrieval.rerank.model === 'reader' &&
  config.own?.reranker === undefined &&
  (processes === undefined || (config.rag.embedding.cache.enabled && config.keepsNoText !== true));

/** Lets the reader read the live index while nobody searches; a command that ends at once reads nothing. */
export class ReadAhead {
  readonly #resources: EngineResources;
  readonly #isOn: boolean;
  #stopping = new AbortController();
  #pauses = 0;
  #reading: Promise<void> | undefined;
  #hasBegun = false;
  #isStale = false;
  #progress: ReadingProgress | undefined;

  constructor(resources: EngineResources) {
    this.#resources = resources;
    this.#isOn = keepsWhatItReads(resources);
  }

  /** How far it is with the live index; undefined before it begins, and where nothing is read ahead. */
  get progress(): ReadingProgress | undefined {
    return this.#progress;
  }

  /** Searches are asked of the index. */
  begin(): void {
    if (!this.#hasBegun) this.#startAnew();
  }

  /** Does work that writes. Nothing is read meanwhile, lest what it forgets is kept again; afterwards the index may hold new passages. */
  async pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pauses += 1;
    try {
      await this.#halt();
      return await work();
    } finally {
      this.#pauses -= 1;
      this.#startAnew();
    }
  }

  async stop(): Promise<void> {
    this.#pauses += 1;
    await this.#halt();
  }

  async #halt(): Promise<void> {
    this.#stopping.abort(new RAGError('ABORTED', 'Reading ahead stopped.'));
    await this.#reading;
  }

  #startAnew(): void {
    if (!this.#isOn || this.#pauses > 0) return;
    this.#hasBegun = true;
    this.#isStale = true;
    if (this.#reading !== undefined) return;
    this.#stopping = new AbortController();
    // What fails here fails, and is told, where it is searched.
    this.#reading = this.#read(this.#stopping.signal)
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #read(signal: AbortSignal): Promise<void> {
    await sleep(FIRST_REST_MS, signal, { isBackground: true });
    const reranker = await this.#resources.models.reranker.open();
    if (!readsAhead(reranker)) return;
    while (this.#isStale) {
      this.#isStale = false;
      const begun = runtime().elapsed();
      await this.#pass(reranker, signal);
      await sleep(REST * (runtime().elapsed() - begun), signal, { isBackground: true });
    }
  }

  async #pass(reranker: ReadingReranker, signal: AbortSignal): Promise<void> {
    const { collection } = await this.#resources.stores.collection();
    const passages = Math.min(MOST, (await collection.stats()).chunks);
    let read = 0;
    for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal })) {
      for (const chunk of chunks) {
        if (read === MOST) return;
        const { content } = chunk;
        await this.#resources.activeQueries.quiet(PATIENCE_MS, signal);
        await reranker.readAhead(
          { content, title: titleOf(chunk), headingPath: headingPathOf(chunk) },
          signal,
        );
        read += 1;
        this.#progress = { passages: Math.max(passages, read), read };
      }
    }
    this.#progress = { passages: read, read };
  }
}

const readsAhead = (reranker: Reranker): reranker is ReadingReranker => reranker.readAhead !== undefined;
