import {
  createEngine,
  type Engine,
  type IndexResult,
  type IndexStatus,
  type RAGConfigInput,
  RAGError,
  type RAGServicePlace,
  type SearchQuery,
} from '../index.js';
import type { EnrichedContext } from './context-enrichment.js';
import { EnrichContextStep } from './enrich-context-step.js';

/** Section 2.1: one part that a pipeline asks for everything. */
export interface IRAGOrchestrator {
  initialize(config: RAGConfigInput): Promise<void>;
  search(query: SearchQuery): Promise<EnrichedContext>;
  index(sources?: readonly string[]): Promise<IndexResult>;
  reindex(): Promise<IndexResult>;
  getStatus(): Promise<IndexStatus>;
}

/**
 * An engine with the calls of section 2.1: `search` gives what `EnrichContextStep` gives for an item of that text. `RAGService` gives the
 * passages themselves.
 */
export class RAGOrchestrator implements IRAGOrchestrator {
  readonly #place: RAGServicePlace;
  #engine: Engine | undefined;

  constructor(place: RAGServicePlace = {}) {
    this.#place = place;
  }

  /** Opens the index; an index that is open already is closed first. Throws what `createEngine` throws. */
  async initialize(config: RAGConfigInput): Promise<void> {
    await this.close();
    this.#engine = await createEngine({ ...this.#place, config });
  }

  /** What the index knows of the query's text; its filters hold for all of it. */
  async search({ text, topK, options, filter, filters }: SearchQuery): Promise<EnrichedContext> {
    const step = new EnrichContextStep({
      engine: {
        search: (query) =>
          this.#opened.search(
            typeof query === 'string' ? query : { ...query, ...(filters === undefined ? {} : { filters }) },
          ),
      },
      topK: topK ?? options?.topK,
      ...(filter === undefined ? {} : { filter: () => filter }),
    });
    return step.enrich({ title: text });
  }

  /** Brings configured sources in step; all of them where none is named. */
  index(sources?: readonly string[]): Promise<IndexResult> {
    return this.#opened.index(sources === undefined ? {} : { sources });
  }

  /** Does all work again. */
  reindex(): Promise<IndexResult> {
    return this.#opened.index({ options: { force: true } });
  }

  getStatus(): Promise<IndexStatus> {
    return this.#opened.status();
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.close();
  }

  get #opened(): Engine {
    if (this.#engine === undefined)
      throw new RAGError('USAGE', 'The orchestrator has no index yet: call `initialize(config)` first.');
    return this.#engine;
  }
}
