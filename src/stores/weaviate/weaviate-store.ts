import * as z from 'zod';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreServer } from '../server-store.js';
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
  return new ServerStore('weaviate', CAPABILITIES, new WeaviateServer(resolveOptions(options)));
}

class WeaviateServer implements StoreServer<FoundCollection> {
  readonly connection: WeaviateConnection;
  readonly #options: ResolvedWeaviateOptions;
  readonly #gates = new Map<string, ReadWriteGate>();

  constructor(options: ResolvedWeaviateOptions) {
    this.#options = options;
    this.connection = new WeaviateConnection(options);
  }

  async find(name: string): Promise<FoundCollection | undefined> {
    const className = this.#classOf(name);
    const call = { action: `open collection "${name}"` };
    const answer = await this.connection.ask({ method: 'GET', path: `/schema/${className}` }, call);
    if (answer.status === 404) return undefined;
    return { spec: specOfClass(className, this.connection.parse(CLASS_ANSWER, answer, call)) };
  }

  async make(spec: CollectionSpec): Promise<FoundCollection> {
    const body = classDefinition(this.#classOf(spec.name), spec, this.#options.efSearch);
    const call = { action: `make collection "${spec.name}"` };
    const answer = await this.connection.ask({ method: 'POST', path: '/schema', body }, call);
    // Which spec another process gave it decides.
    const found = await this.find(spec.name);
    if (found === undefined) throw answerError(this.connection.address, call.action, answer);
    return found;
  }

  async collectionOf({ spec }: FoundCollection): Promise<VectorCollection> {
    const requests = new ClassRequests(
      { connection: this.connection, gate: this.#gateOf(spec.name) },
      { className: this.#classOf(spec.name), collection: spec.name },
    );
    const { maxTopK } = CAPABILITIES;
    return new ServerCollection(spec, requests, { connection: this.connection, maxTopK });
  }

  async drop(name: string): Promise<void> {
    const request = { method: 'DELETE', path: `/schema/${this.#classOf(name)}` } as const;
    await this.connection.request(ANYTHING, request, { action: `drop collection "${name}"` });
  }

  async tell(): Promise<string> {
    const call = { action: 'tell its version' };
    const { version } = await this.connection.request(META, { method: 'GET', path: '/meta' }, call);
    return `Weaviate ${version} at ${this.connection.address}`;
  }

  #classOf(collection: string): string {
    return classNameOf(this.#options.namespace, collection);
  }

  #gateOf(collection: string): ReadWriteGate {
    const gate = this.#gates.get(collection) ?? new ReadWriteGate();
    this.#gates.set(collection, gate);
    return gate;
  }
}
