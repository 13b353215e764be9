import * as z from 'zod';
import type { RAGConfigInput, RAGSettingsInput } from '../config/schema/index.js';
import { RAGError } from '../core/errors.js';
import type { Metadata } from '../core/metadata.js';
import { plainCopy } from '../core/plain-copy.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type {
  Engine,
  IndexRequest,
  IndexResult,
  IndexStatus,
  SearchQuery,
  SearchResult,
} from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import { assertShape, type Refusal, refusing } from '../operations/requests/check-shape.js';
import { checkedSearch } from '../operations/search.js';
import { createEngine } from './create-engine.js';

/** A document as the seed's examples hand it over. */
export interface RAGDocument {
  readonly id: string;
  readonly content: string;
  readonly metadata?: Metadata & { readonly title?: string; readonly url?: string };
}

type SourceInput = NonNullable<RAGSettingsInput['sources']>[number];

/** What `RAGService.index` takes: names of configured sources, source configurations, or documents. */
export interface RAGIndexRequest {
  readonly sources?: readonly (string | SourceInput | RAGDocument)[];
  readonly options?: IndexRequest['options'];
}

/** Where a service keeps its index, and the folder that relative paths start from. */
export type RAGServicePlace = Pick<CreateEngineOptions, 'dataDir' | 'cwd'>;

/**
 * An engine for programs that are written for a `RAGService`: its calls, with plain results. `createEngine` gives more (the envelope of a
 * search, verification, pushing documents).
 */
export class RAGService {
  #config: RAGConfigInput;
  readonly #place: RAGServicePlace;
  #engine: Engine;

  private constructor(config: RAGConfigInput, place: RAGServicePlace, engine: Engine) {
    this.#config = config;
    this.#place = place;
    this.#engine = engine;
  }

  /** Opens a service with a configuration object: the content of `rag:`, or a whole file. */
  static async initialize(config: RAGConfigInput, place: RAGServicePlace = {}): Promise<RAGService> {
    return new RAGService(config, place, await createEngine({ ...place, config }));
  }

  /** Ranked passages, by the configured retrieval settings. */
  search(query: string | SearchQuery): Promise<SearchResult[]> {
    return this.#search(query, {});
  }

  /** As `search`, with the reranker even where the configuration leaves it off. */
  searchWithReranking(query: string | SearchQuery): Promise<SearchResult[]> {
    return this.#search(query, { rerank: true });
  }

  /** As `search`, with all lanes whatever the query's own mode says. */
  hybridSearch(query: string | SearchQuery): Promise<SearchResult[]> {
    return this.#search(query, { mode: 'hybrid' });
  }

  async #search(
    query: string | SearchQuery,
    options: NonNullable<SearchQuery['options']>,
  ): Promise<SearchResult[]> {
    const asked = checkedSearch(query);
    const { results } = await this.#engine.search({ ...asked, options: { ...asked.options, ...options } });
    return [...results];
  }

  /** Brings the index in step. Without `sources`: everything that is configured. */
  async index(request: RAGIndexRequest = {}): Promise<IndexResult> {
    const { sources, options } = checkedRequest(request);
    const withOptions = withoutUndefined({ options });
    if (sources === undefined) return this.#engine.index(withOptions);
    const documents = sources.filter(isDocument);
    const configurations = sources.filter(
      (source): source is SourceInput => !isDocument(source) && typeof source === 'object',
    );
    const names = sources.filter((source) => typeof source === 'string');
    await this.#configure(configurations);
    return this.#engine.index({
      ...withOptions,
      sources: [...names, ...configurations.map(({ name }) => name)],
      ...(documents.length === 0 ? {} : { documents: documents.map(toPushed) }),
    });
  }

  /** Source configurations join those the service was made with. */
  async #configure(sources: readonly SourceInput[]): Promise<void> {
    if (sources.length === 0) return;
    const config = settingsOf(this.#config);
    const names = new Set(sources.map(({ name }) => name));
    const merged = [...(config.sources ?? []).filter(({ name }) => !names.has(name)), ...sources];
    const withSources = { ...config, sources: merged };
    const engine = await createEngine({ ...this.#place, config: withSources });
    await this.#engine.close();
    this.#engine = engine;
    this.#config = withSources;
  }

  /** What it works with now; another one takes its place when source configurations are indexed. */
  get engine(): Engine {
    return this.#engine;
  }

  /** Does all work again, for everything that is indexed. */
  async reindex(): Promise<IndexResult> {
    return this.#engine.index({ options: { force: true } });
  }

  getStatus(): Promise<IndexStatus> {
    return this.#engine.status();
  }

  /** Deletes the whole index. */
  clear(): Promise<void> {
    return this.#engine.clear();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

const INDEXING: Refusal = { what: 'What to index', reason: 'USAGE' };

/** What the engine does not look at itself. Throws `USAGE`. */
const requestSchema = z.object({
  sources: z
    .array(
      z.custom(
        (source) => typeof source === 'string' || (typeof source === 'object' && source !== null),
        'a name, a configuration or a document',
      ),
    )
    .optional(),
});

function checkedRequest(request: RAGIndexRequest): RAGIndexRequest {
  const copy = plainCopy(request, refusing(INDEXING));
  assertShape(requestSchema, copy, INDEXING);
  return copy;
}

const isDocument = (source: string | SourceInput | RAGDocument): source is RAGDocument =>
  typeof source === 'object' && 'content' in source;

function toPushed({
  id,
  content,
  metadata = {},
}: RAGDocument): NonNullable<IndexRequest['documents']>[number] {
  if (typeof id !== 'string' || typeof content !== 'string' || Object(metadata) !== metadata)
    throw new RAGError(
      'DOCUMENT_INVALID',
      'A document needs a text `id` and a text `content`, and its `metadata` is an object.',
    );
  const { title, url, ...rest } = metadata;
  return {
    id,
    text: content,
    ...withoutUndefined({ title, url }),
    metadata: rest,
  };
}

const settingsOf = (config: RAGConfigInput): RAGSettingsInput =>
  'rag' in config && typeof config.rag === 'object' ? config.rag : (config as RAGSettingsInput);
