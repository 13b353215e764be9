import {
  type IndexResult,
  type IndexStatus,
  type RAGConfigInput,
  RAGError,
  RAGService,
  type RAGServicePlace,
  type SearchQuery,
} from '../../index.js';
import type { EnrichedContext } from './context-enrichment.js';
import type { DataSource } from './document-names.js';
import { EnrichContextStep } from './enrich-context-step.js';

/** Section 2.1: one part that a pipeline asks for everything. */
export interface IRAGOrchestrator {
  initialize(config: RAGConfigInput): Promise<void>;
  search(query: SearchQuery): Promise<EnrichedContext>;
  index(sources?: readonly DataSource[]): Promise<IndexResult>;
  reindex(): Promise<IndexResult>;
  getStatus(): Promise<IndexStatus>;
}

/**
 * A `RAGService` with the calls of section 2.1: `search` gives what `EnrichContextStep` gives for an item of that text. `RAGService` gives the
 * passages themselves.
 */
export class RAGOrchestrator implements IRAGOrchestrator {
  readonly #place: RAGServicePlace;
  #service: RAGService | undefined;

  constructor(place: RAGServicePlace = {}) {
    this.#place = place;
  }

  /** Opens the index; an index that is open already is closed first. Throws what `createEngine` throws. */
  async initialize(config: RAGConfigInput): Promise<void> {
    await this.close();
    this.#service = await RAGService.initialize(config, this.#place);
  }

  /** What the index knows of the query's text; its filters hold for all of it. */
  async search({ text, topK, options, filter, filters }: SearchQuery): Promise<EnrichedContext> {
    const step = new EnrichContextStep({
      engine: {
        search: (query) =>
          this.#opened.engine.search(
            typeof query === 'string' ? query : { ...query, ...(filters === undefined ? {} : { filters }) },
          ),
      },
      topK: topK ?? options?.topK,
      ...(filter === undefined ? {} : { filter: () => filter }),
    });
    return step.enrich({ title: text });
  }

  /** Brings sources in step: configured ones by their names, others by their configurations, and documents; without `sources` all that are configured. */
  index(sources?: readonly DataSource[]): Promise<IndexResult> {
    return this.#opened.index(sources === undefined ? {} : { sources });
  }

  /** Does all work again. */
  reindex(): Promise<IndexResult> {
    return this.#opened.reindex();
  }

  getStatus(): Promise<IndexStatus> {
    return this.#opened.getStatus();
  }

  async close(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.close();
  }

  get #opened(): RAGService {
    if (this.#service === undefined)
      throw new RAGError('USAGE', 'The orchestrator has no index yet: call `initialize(config)` first.');
    return this.#service;
  }
}
