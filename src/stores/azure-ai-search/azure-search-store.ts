import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreServer } from '../server-store.js';
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
  const resolved = resolveOptions(options);
  return new ServerStore('azure_ai_search', capabilitiesOf(resolved), new AzureSearchServer(resolved));
}

class AzureSearchServer implements StoreServer<FoundCollection> {
  readonly connection: AzureSearchConnection;
  readonly #options: ResolvedAzureOptions;

  constructor(options: ResolvedAzureOptions) {
    this.#options = options;
    this.connection = new AzureSearchConnection(options);
  }

  async find(name: string): Promise<FoundCollection | undefined> {
    const found = await this.connection.find(
      { action: `open collection "${name}"` },
      (clients, { abortSignal }) => clients.indexes.getIndex(this.#indexOf(name), { abortSignal }),
    );
    return found && { spec: specOfIndex(name, found) };
  }

  async make(spec: CollectionSpec): Promise<FoundCollection> {
    const definition = indexDefinition(this.#indexOf(spec.name), spec);
    try {
      await this.connection.call({ action: `make collection "${spec.name}"` }, (clients, { abortSignal }) =>
        clients.indexes.createIndex(definition, { abortSignal }),
      );
    } catch (error) {
      // Which spec another process gave it decides.
      const found = await this.find(spec.name).catch(() => undefined);
      if (found === undefined) throw error;
      return found;
    }
    return { spec: specOfIndex(spec.name, definition) };
  }

  async collectionOf({ spec }: FoundCollection): Promise<VectorCollection> {
    const index = this.#indexOf(spec.name);
    const { visibleWithinMs, exhaustive } = this.#options;
    const requests = new DocumentRequests(
      this.connection,
      { index, collection: spec.name },
      { visibleWithinMs, exhaustive, bytes: () => this.#bytes(index) },
    );
    return new ServerCollection(spec, requests, { connection: this.connection, maxTopK: MAX_TOP_K });
  }

  async drop(name: string): Promise<void> {
    await this.connection.find({ action: `drop collection "${name}"` }, (clients, { abortSignal }) =>
      clients.indexes.deleteIndex(this.#indexOf(name), { abortSignal }),
    );
  }

  async tell(): Promise<string> {
    const { counters } = await this.connection.call(
      { action: 'tell its state' },
      (clients, { abortSignal }) => clients.indexes.getServiceStatistics({ abortSignal }),
    );
    return `Azure AI Search at ${this.connection.address}, ${counters.indexCounter.usage} indexes`;
  }

  #indexOf(collection: string): string {
    return indexNameOf(this.#options.namespace, collection);
  }

  async #bytes(index: string): Promise<number> {
    const { storageSize } = await this.connection.call(
      { action: 'read statistics' },
      (clients, { abortSignal }) => clients.indexes.getIndexStatistics(index, { abortSignal }),
    );
    return storageSize;
  }
}
