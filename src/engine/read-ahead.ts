import { headingPathOf, titleOf } from '../core/chunk-metadata.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING } from '../core/filter.js';
import { runtime, sleep } from '../core/runtime.js';
import type { PassageText, Reranker } from '../reranking/reranker.js';
import { listPages } from '../stores/list-pages.js';
import type { EngineResources } from './engine-resources.js';

const PAGE = 200;
const FIRST_REST_MS = 1_000;
/** A search waits no longer than that for a passage that is read ahead, in milliseconds. */
const SLICE_MS = 30;
/** Reading waits for searches no longer than this, in milliseconds. */
const PATIENCE_MS = 250;
/** Looking through the index again takes at most a tenth of the time. */
const REST = 9;

type ReadingReranker = Reranker & Required<Pick<Reranker, 'readAhead'>>;

/** Whether the configured reranker keeps what it reads. Searches of other processes keep their own. */
const keepsWhatItReads = ({ config, processes }: EngineResources): boolean =>
  config.rag.retrieval.rerank.enabled &&
  config.rag.retrieval.rerank.model === 'reader' &&
  config.own?.reranker === undefined &&
  processes === undefined;

/** Lets the reader read the live index while nobody searches; a command that ends at once reads nothing. */
export class ReadAhead {
  readonly #resources: EngineResources;
  readonly #isOn: boolean;
  readonly #stopping = new AbortController();
  #reading: Promise<void> | undefined;
  #hasBegun = false;
  #isStale = false;

  constructor(resources: EngineResources) {
    this.#resources = resources;
    this.#isOn = keepsWhatItReads(resources);
  }

  /** Searches are asked of the index. */
  begin(): void {
    if (!this.#hasBegun) this.startAnew();
  }

  /** The index may hold passages that nobody has read. */
  startAnew(): void {
    if (!this.#isOn || this.#stopping.signal.aborted) return;
    this.#hasBegun = true;
    this.#isStale = true;
    // What fails here fails, and is told, where it is searched.
    this.#reading ??= this.#read(this.#stopping.signal)
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new RAGError('ABORTED', 'The engine is closed.'));
    await this.#reading;
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
    for await (const chunks of listPages(collection, { filter: EVERYTHING, limit: PAGE, signal })) {
      const passages = chunks.map(
        (chunk): PassageText => ({
          content: chunk.content,
          title: titleOf(chunk),
          headingPath: headingPathOf(chunk),
        }),
      );
      for (let left = passages.length; left > 0; ) {
        await this.#resources.traffic.quiet(PATIENCE_MS, signal);
        left = await reranker.readAhead(passages, SLICE_MS, signal);
      }
    }
  }
}

const readsAhead = (reranker: Reranker): reranker is ReadingReranker => reranker.readAhead !== undefined;
