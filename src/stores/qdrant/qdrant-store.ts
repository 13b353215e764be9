import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { type FoundCollection, ServerStore, type StoreServer } from '../server-store.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import {
  COLLECTION_ANSWER,
  type CollectionInfo,
  collectionBody,
  limitsOf,
  specOf,
} from './collection-info.js';
import { CollectionRequests } from './collection-requests.js';
import { PAYLOAD_INDEXES } from './point-payload.js';
import { QdrantConnection } from './qdrant-connection.js';
import { collectionNameOf } from './qdrant-names.js';
import { type QdrantStoreOptions, type ResolvedQdrantOptions, resolveOptions } from './qdrant-options.js';

const CAPABILITIES: StoreCapabilities = Object.freeze({
  filterOperators: ALL_FILTER_OPERATORS,
  // Its sparse vectors are weighed by statistics of the whole collection, those of other tenants among them.
  lexical: 'none',
  maxTopK: 10_000,
  consistency: 'immediate',
  persistent: true,
  exactVectorSearch: false,
  keepsDeleted:
    'the Qdrant server marks deleted points and removes them, with their text, when its vacuum rewrites the segment (from a fifth of it on), by itself; snapshots keep what was there when they were made',
});

/** Of version 1: the first with all that is asked for. */
const OLDEST_MINOR = 17;

const ACCEPTED = z.object({ result: z.unknown() });
const VERSION = z.object({ version: z.string() });

/**
 * Collections on a Qdrant server, version 1.17 or later (whose collections keep metadata, and whose payload indexes need no graphs). Every filter is exact and run by the
 * server; fields that filters name have payload indexes, so that its strict mode may be on. Vectors are compared one by
 * one in small collections and by graph in large ones, with a graph of its own for each large tenant. Talks REST. Needs the
 * package `@qdrant/js-client-rest`, which is loaded on first use.
 *
 * Throws `CONFIG_INVALID` for options that no server could have.
 */
export function createQdrantStore(options: QdrantStoreOptions = {}): VectorStore {
  return new ServerStore('qdrant', CAPABILITIES, new QdrantServer(resolveOptions(options)));
}

interface Found extends FoundCollection {
  readonly info: CollectionInfo;
}

class QdrantServer implements StoreServer<Found> {
  readonly connection: QdrantConnection;
  readonly #options: ResolvedQdrantOptions;

  constructor(options: ResolvedQdrantOptions) {
    this.#options = options;
    this.connection = new QdrantConnection(options);
  }

  async find(name: string): Promise<Found | undefined> {
    const info = await this.#info(name);
    return info && { spec: specOf(this.#nameOf(name), info), info };
  }

  async make(spec: CollectionSpec): Promise<Found> {
    await this.#assertVersion();
    const call = { action: `make collection "${spec.name}"` };
    const body = { collection_name: this.#nameOf(spec.name), ...collectionBody(spec) };
    const failure = await this.connection
      .request(ACCEPTED, call, (api, init) => api.createCollection(body, init))
      .then(() => undefined)
      .catch((error: unknown) => error);
    // Which spec another process gave it decides.
    const found = await this.find(spec.name);
    if (found === undefined) throw failure;
    return found;
  }

  async collectionOf({ spec, info }: Found): Promise<VectorCollection> {
    await this.#makeIndexes(spec.name, info);
    const names = { collectionName: this.#nameOf(spec.name), name: spec.name };
    const requests = new CollectionRequests(this.connection, names, {
      limits: limitsOf(info),
      efSearch: this.#options.efSearch,
      describeIndex: async () => describeIndex(await this.#info(spec.name)),
    });
    const { maxTopK } = CAPABILITIES;
    return new ServerCollection(spec, requests, { connection: this.connection, maxTopK });
  }

  async drop(name: string): Promise<void> {
    const call = { action: `drop collection "${name}"` };
    await this.connection.find(ACCEPTED, call, (api, init) =>
      api.deleteCollection({ collection_name: this.#nameOf(name) }, init),
    );
  }

  async tell(): Promise<string> {
    return `Qdrant ${await this.#version()} at ${this.connection.address}`;
  }

  #nameOf(collection: string): string {
    return collectionNameOf(this.#options.namespace, collection);
  }

  async #info(name: string): Promise<CollectionInfo | undefined> {
    const call = { action: `open collection "${name}"` };
    const answer = await this.connection.find(COLLECTION_ANSWER, call, (api, init) =>
      api.getCollection({ collection_name: this.#nameOf(name) }, init),
    );
    return answer?.result;
  }

  async #version(): Promise<string> {
    const call = { action: 'tell its version' };
    const { version } = await this.connection.request(VERSION, call, (api, init) => api.root({}, init));
    return version;
  }

  async #assertVersion(): Promise<void> {
    const version = await this.#version();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > 1 || (major === 1 && minor >= OLDEST_MINOR)) return;
    throw new RAGError(
      'CONFIG_INVALID',
      `Qdrant at ${this.connection.address} is version ${version}; this store needs 1.${OLDEST_MINOR} or later. Update the server.`,
    );
  }

  /** Makes the indexes that the collection lacks: all of a new one, and those that a death left out. */
  async #makeIndexes(name: string, { payload_schema: present }: CollectionInfo): Promise<void> {
    const call = { action: `index the payload of collection "${name}"` };
    for (const { field, schema } of PAYLOAD_INDEXES.filter((index) => !Object.hasOwn(present, index.field)))
      await this.connection.request(ACCEPTED, call, (api, init) =>
        api.createFieldIndex(
          { collection_name: this.#nameOf(name), wait: true, field_name: field, field_schema: schema },
          init,
        ),
      );
  }
}

function describeIndex(info: CollectionInfo | undefined): string {
  const indexed = info?.indexed_vectors_count ?? 0;
  const state = info === undefined || info.status === 'green' ? '' : `, status ${info.status}`;
  return indexed === 0
    ? `compared one by one; HNSW from a size that the server sets${state}`
    : `HNSW, 16 neighbours, over ${indexed} of ${info?.points_count ?? indexed} vectors${state}`;
}
