import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { AzureSearchConnection } from './azure-connection.js';
import { indexNameOf } from './azure-names.js';
import { type AzureSearchStoreOptions, type ResolvedAzureOptions, resolveOptions } from './azure-options.js';
import { DocumentRequests } from './document-requests.js';
import { indexDefinition, specOfIndex } from './index-schema.js';

/** Most results of one vector search, which the service gives in one answer. */
const MAX_TOP_K = 1_000;

const capabilitiesOf = ({ exhaustive, visibleWithinMs }: ResolvedAzureOptions): StoreCapabilities =>
  Object.freeze({
    filterOperators: ALL_FILTER_OPERATORS,
    // The service's BM25 counts the chunks of all tenants, of each shard by itself.
    lexical: 'none',
    maxTopK: MAX_TOP_K,
    consistency: Object.freeze({ eventualMs: visibleWithinMs }),
    persistent: true,
    exactVectorSearch: exhaustive,
    keepsDeleted:
      'Azure AI Search removes deleted documents from its files when it merges them, by itself; removing the index removes everything at once',
  });

/**
 * Collections as indexes of an Azure AI Search service. Filters are exact; vector search is by graph (HNSW, m = 4, efConstruction = 400,
 * efSearch = 500, cosine) unless `exhaustive` is set. Writes are seen some seconds later, which is declared: `optimize` waits for
 * it. Needs `@azure/search-documents`, and `@azure/identity` where there is no key.
 *
 * Throws `CONFIG_INVALID` for options that no service could have.
 */
export function createAzureSearchStore(options: AzureSearchStoreOptions): VectorStore {
  return new AzureSearchVectorStore(resolveOptions(options));
}

class AzureSearchVectorStore implements VectorStore {
  readonly name = 'azure_ai_search';
  readonly capabilities: StoreCapabilities;
  readonly #options: ResolvedAzureOptions;
  readonly #connection: AzureSearchConnection;
  #isClosed = false;

  constructor(options: ResolvedAzureOptions) {
    this.#options = options;
    this.capabilities = capabilitiesOf(options);
    this.#connection = new AzureSearchConnection(options);
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#connection.begin();
    assertSpec(spec);
    const stored = (await this.describe(spec.name)) ?? (await this.#make(spec));
    assertSameSpec(stored, spec);
    const index = this.#indexOf(spec.name);
    const names = { index, collection: spec.name };
    const { visibleWithinMs, exhaustive } = this.#options;
    const requests = new DocumentRequests(this.#connection, names, {
      visibleWithinMs,
      exhaustive,
      bytes: () => this.#bytes(index),
    });
    return new ServerCollection(stored, requests, MAX_TOP_K);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#connection.begin();
    assertCollectionName(name);
    const found = await this.#connection.find(
      { action: `open collection "${name}"` },
      (clients, { abortSignal }) => clients.indexes.getIndex(this.#indexOf(name), { abortSignal }),
    );
    return found === undefined ? undefined : specOfIndex(name, found);
  }

  async drop(name: string): Promise<void> {
    this.#connection.begin();
    assertCollectionName(name);
    await this.#connection.find({ action: `drop collection "${name}"` }, (clients, { abortSignal }) =>
      clients.indexes.deleteIndex(this.#indexOf(name), { abortSignal }),
    );
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    try {
      const { counters } = await this.#connection.call(
        { action: 'tell its state' },
        (clients, { abortSignal }) => clients.indexes.getServiceStatistics({ abortSignal }),
      );
      return {
        ok: true,
        detail: `Azure AI Search at ${this.#connection.address}, ${counters.indexCounter.usage} indexes`,
      };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection.close();
  }

  #indexOf(collection: string): string {
    return indexNameOf(this.#options.namespace, collection);
  }

  async #bytes(index: string): Promise<number> {
    const { storageSize } = await this.#connection.call(
      { action: 'read statistics' },
      (clients, { abortSignal }) => clients.indexes.getIndexStatistics(index, { abortSignal }),
    );
    return storageSize;
  }

  async #make(spec: CollectionSpec): Promise<CollectionSpec> {
    const definition = indexDefinition(this.#indexOf(spec.name), spec);
    try {
      await this.#connection.call({ action: `make collection "${spec.name}"` }, (clients, { abortSignal }) =>
        clients.indexes.createIndex(definition, { abortSignal }),
      );
    } catch (error) {
      // Another process, or a first attempt whose answer was lost, may have made it; which spec it gave decides.
      const stored = await this.describe(spec.name).catch(() => undefined);
      if (stored === undefined) throw error;
      return stored;
    }
    return specOfIndex(spec.name, definition);
  }
}
