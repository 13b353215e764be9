import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreHealth, type StoreServer } from '../server-store.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { CollectionRegistry } from './collection-registry.js';
import { FreshNamespace } from './fresh-namespace.js';
import { IndexDirectory, type PineconeIndex } from './index-directory.js';
import { MAX_HITS, NamespaceRequests } from './namespace-requests.js';
import { PineconeConnection } from './pinecone-connection.js';
import {
  type PineconeStoreOptions,
  type ResolvedPineconeOptions,
  resolveOptions,
} from './pinecone-options.js';

const capabilitiesOf = (eventualMs: number): StoreCapabilities =>
  Object.freeze({
    filterOperators: ALL_FILTER_OPERATORS,
    // Its sparse vectors would be weighed by statistics of ours, which no two writers could keep in step.
    lexical: 'none',
    maxTopK: MAX_HITS,
    consistency: { eventualMs },
    persistent: true,
    exactVectorSearch: false,
    keepsDeleted:
      'Pinecone removes deleted records from its storage some time later, by itself; backups keep what was there when they were made',
  });

/**
 * Collections as namespaces of a serverless Pinecone index. Every filter is exact and run by the service. A chunk that is larger than a record may
 * be (40 KB) is cut into parts. Needs the package `@pinecone-database/pinecone`, which is loaded on first use.
 *
 * The service shows a write some seconds later. Reads through this store wait until they see what was written through it, and `optimize`, at the
 * end of each run, until everybody does.
 *
 * Throws `CONFIG_INVALID` for options that cannot be.
 */
export function createPineconeStore(options: PineconeStoreOptions): VectorStore {
  const resolved = resolveOptions(options);
  return new ServerStore('pinecone', capabilitiesOf(resolved.eventualMs), new PineconeServer(resolved));
}

class PineconeServer implements StoreServer<FoundCollection> {
  readonly connection: PineconeConnection;
  readonly #options: ResolvedPineconeOptions;
  readonly #indexes: IndexDirectory;
  readonly #namespaces = new Map<string, FreshNamespace>();

  constructor(options: ResolvedPineconeOptions) {
    this.#options = options;
    this.connection = new PineconeConnection(options);
    this.#indexes = new IndexDirectory(this.connection, options);
  }

  async find(name: string): Promise<FoundCollection | undefined> {
    const main = await this.#indexes.main();
    const spec = main && (await this.#registryOf(main).find(name));
    return spec && { spec };
  }

  async make(spec: CollectionSpec): Promise<FoundCollection> {
    // Before the collection is known, for this may fail.
    const index = await this.#indexes.for(spec.dimensions);
    const registry = this.#registryOf((await this.#indexes.main()) ?? index);
    await registry.add(spec);
    // Another process may have made it at the same time; what is seen then decides.
    const stored = (await registry.find(spec.name)) ?? spec;
    return { spec: stored };
  }

  async collectionOf({ spec }: FoundCollection): Promise<VectorCollection> {
    const index = await this.#indexes.for(spec.dimensions);
    const requests = new NamespaceRequests(
      this.#namespace(index, this.#nameOf(spec.name)),
      this.#namespace(index, this.#partsOf(spec.name)),
      spec.name,
    );
    return new ServerCollection(spec, requests, { connection: this.connection, maxTopK: MAX_HITS });
  }

  async drop(name: string): Promise<void> {
    const main = await this.#indexes.main();
    if (main === undefined) return;
    const registry = this.#registryOf(main);
    // What cannot be read may be dropped; its vectors are where the index of the configuration is.
    const spec = await registry.find(name).catch(() => undefined);
    const index = spec === undefined ? main : await this.#indexes.for(spec.dimensions);
    const call = { action: `drop collection "${name}"` };
    for (const namespace of [this.#nameOf(name), this.#partsOf(name)]) {
      const place = this.#namespace(index, namespace);
      await place.write(call, (target) => target.deleteAll());
      await place.settle(call);
    }
    // Last, so that a death leaves a collection that is known and can be dropped again.
    await registry.remove(name);
    await registry.settle();
  }

  async tell(): Promise<StoreHealth> {
    const { index, createIfNotExists } = this.#options;
    const { value } = await this.connection.control({ action: `describe index "${index}"` }, (client) =>
      client.describeIndex(index),
    );
    const state =
      value === undefined ? 'is not there' : `${value.status.state}, ${value.dimension ?? '?'} dimensions`;
    return {
      ok: value !== undefined || createIfNotExists,
      detail: `Pinecone at ${this.connection.address}, index "${index}" ${state}`,
    };
  }

  // No collection has an empty name, nor a `/` in it, so that no two of these are the same namespace.
  #nameOf(collection: string): string {
    return `${this.#options.namespace}/${collection}`;
  }

  #partsOf(collection: string): string {
    return `${this.#nameOf(collection)}/parts`;
  }

  #registryOf(main: PineconeIndex): CollectionRegistry {
    return new CollectionRegistry(this.#namespace(main, this.#nameOf('')), main.dimensions);
  }

  /** One for each namespace, for it knows what was written there. */
  #namespace({ host, dimensions }: PineconeIndex, namespace: string): FreshNamespace {
    const key = `${host} ${namespace}`;
    const known = this.#namespaces.get(key);
    if (known !== undefined) return known;
    const { eventualMs } = this.#options;
    const made = new FreshNamespace(this.connection, { host, namespace }, { dimensions, eventualMs });
    this.#namespaces.set(key, made);
    return made;
  }
}
