import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
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
  return new PineconeStore(resolveOptions(options));
}

class PineconeStore implements VectorStore {
  readonly name = 'pinecone';
  readonly capabilities: StoreCapabilities;
  readonly #options: ResolvedPineconeOptions;
  readonly #connection: PineconeConnection;
  readonly #indexes: IndexDirectory;
  readonly #namespaces = new Map<string, FreshNamespace>();
  #isClosed = false;

  constructor(options: ResolvedPineconeOptions) {
    this.#options = options;
    this.capabilities = capabilitiesOf(options.eventualMs);
    this.#connection = new PineconeConnection(options);
    this.#indexes = new IndexDirectory(this.#connection, options);
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#connection.begin();
    assertSpec(spec);
    const known = await this.describe(spec.name);
    if (known !== undefined) assertSameSpec(known, spec);
    const index = await this.#indexes.for(spec.dimensions);
    const stored = known ?? (await this.#make(spec));
    const requests = new NamespaceRequests(
      this.#namespace(index, this.#nameOf(spec.name)),
      this.#namespace(index, this.#partsOf(spec.name)),
      spec.name,
    );
    return new ServerCollection(stored, requests, this.capabilities.maxTopK);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#connection.begin();
    assertCollectionName(name);
    const main = await this.#indexes.main();
    return main === undefined ? undefined : this.#registryOf(main).find(name);
  }

  async drop(name: string): Promise<void> {
    this.#connection.begin();
    assertCollectionName(name);
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

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    const { index } = this.#options;
    try {
      const { value } = await this.#connection.control({ action: `describe index "${index}"` }, (client) =>
        client.describeIndex(index),
      );
      const state =
        value === undefined ? 'is not there' : `${value.status.state}, ${value.dimension ?? '?'} dimensions`;
      const isUsable = value !== undefined || this.#options.createIfNotExists;
      return { ok: isUsable, detail: `Pinecone at ${this.#connection.address}, index "${index}" ${state}` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection.close();
  }

  async #make(spec: CollectionSpec): Promise<CollectionSpec> {
    const main = (await this.#indexes.main()) ?? (await this.#indexes.for(spec.dimensions));
    const registry = this.#registryOf(main);
    await registry.add(spec);
    // Another process may have made it at the same time; what is seen then decides.
    const stored = (await registry.find(spec.name)) ?? spec;
    assertSameSpec(stored, spec);
    return stored;
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
    const made = new FreshNamespace(this.#connection, { host, namespace }, { dimensions, eventualMs });
    this.#namespaces.set(key, made);
    return made;
  }
}
