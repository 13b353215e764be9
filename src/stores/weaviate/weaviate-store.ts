import * as z from 'zod';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { ClassRequests } from './class-requests.js';
import { CLASS_ANSWER, classDefinition, specOfClass } from './collection-class.js';
import { ReadWriteGate } from './read-write-gate.js';
import { WeaviateConnection } from './weaviate-connection.js';
import { answerError } from './weaviate-errors.js';
import { classNameOf } from './weaviate-names.js';
import {
  type ResolvedWeaviateOptions,
  resolveOptions,
  type WeaviateStoreOptions,
} from './weaviate-options.js';

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  // The server's BM25 visits blocks and misses some of the best where few are asked for.
  lexical: 'none',
  maxTopK: 5_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: false,
  keepsDeleted:
    'the Weaviate server marks deleted objects and removes them when it merges its segments and cleans up its graph, by itself',
});

const ANYTHING = z.unknown();
const META = z.object({ version: z.string() });

/**
 * Collections as classes of a Weaviate server, version 1.34 or later (for the filter operator `Not`), with the server's own
 * multi-tenancy: each tenant has a shard with indexes of its own. A filter that names its tenants asks only their shards, any
 * other asks all. Every filter is exact. Vector search compares all where up to 40,000 chunks of a tenant match
 * (`flatSearchCutoff`), and goes by graph beyond. Talks REST and GraphQL, and needs no package.
 *
 * The server has no moment at which a chunk with a changed vector replaces the old one: `get`, `list` and `count` of the same
 * store wait for such a write, but a search, or another process, may miss that chunk for some milliseconds. Chunks replaced
 * with the same vector are never missed.
 *
 * Throws `CONFIG_INVALID` for options that no server could have.
 */
export function createWeaviateStore(options: WeaviateStoreOptions = {}): VectorStore {
  return new WeaviateStore(resolveOptions(options));
}

class WeaviateStore implements VectorStore {
  readonly name = 'weaviate';
  readonly capabilities = CAPABILITIES;
  readonly #options: ResolvedWeaviateOptions;
  readonly #connection: WeaviateConnection;
  readonly #gates = new Map<string, ReadWriteGate>();
  #isClosed = false;

  constructor(options: ResolvedWeaviateOptions) {
    this.#options = options;
    this.#connection = new WeaviateConnection(options);
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#connection.begin();
    assertSpec(spec);
    const stored = (await this.describe(spec.name)) ?? (await this.#make(spec));
    assertSameSpec(stored, spec);
    const requests = new ClassRequests(
      { connection: this.#connection, gate: this.#gateOf(spec.name) },
      { className: this.#classOf(spec.name), collection: spec.name },
    );
    return new ServerCollection(stored, requests, CAPABILITIES.maxTopK);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#connection.begin();
    assertCollectionName(name);
    const className = this.#classOf(name);
    const call = { action: `open collection "${name}"` };
    const answer = await this.#connection.ask({ method: 'GET', path: `/schema/${className}` }, call);
    if (answer.status === 404) return undefined;
    return specOfClass(className, this.#connection.parse(CLASS_ANSWER, answer, call));
  }

  async drop(name: string): Promise<void> {
    this.#connection.begin();
    assertCollectionName(name);
    const request = { method: 'DELETE', path: `/schema/${this.#classOf(name)}` } as const;
    await this.#connection.request(ANYTHING, request, { action: `drop collection "${name}"` });
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    try {
      const call = { action: 'tell its version' };
      const { version } = await this.#connection.request(META, { method: 'GET', path: '/meta' }, call);
      return { ok: true, detail: `Weaviate ${version} at ${this.#connection.address}` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection.close();
  }

  #classOf(collection: string): string {
    return classNameOf(this.#options.namespace, collection);
  }

  #gateOf(collection: string): ReadWriteGate {
    const gate = this.#gates.get(collection) ?? new ReadWriteGate();
    this.#gates.set(collection, gate);
    return gate;
  }

  async #make(spec: CollectionSpec): Promise<CollectionSpec> {
    const body = classDefinition(this.#classOf(spec.name), spec, this.#options.efSearch);
    const call = { action: `make collection "${spec.name}"` };
    const answer = await this.#connection.ask({ method: 'POST', path: '/schema', body }, call);
    // Another process, or a first attempt whose answer was lost, may have made it; which spec it gave decides.
    const stored = await this.describe(spec.name);
    if (stored === undefined) throw answerError(this.#connection.address, call.action, answer);
    return stored;
  }
}
