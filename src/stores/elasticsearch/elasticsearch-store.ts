import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { assertCollectionName, assertSameSpec, assertSpec } from '../store-checks.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from '../vector-store.js';
import { addStatistics } from './add-statistics.js';
import {
  type CollectionDescription,
  describeIndex,
  indexDefinition,
  MAPPING_ANSWER,
  namesOf,
  SCHEMA_VERSION,
} from './collection-index.js';
import { CollectionRequests } from './collection-requests.js';
import { type Dialect, ELASTICSEARCH, OPENSEARCH } from './dialect.js';
import { IndexedChunks } from './indexed-chunks.js';
import { ServerConnection } from './server-connection.js';
import { type ServerAddress, serverAddress } from './server-driver.js';
import { answerError } from './server-errors.js';
import { assertServerOptions, type SearchServerOptions } from './server-options.js';

const MAX_TOP_K = 5_000;

const capabilitiesOf = ({ vectorIndex = 'hnsw' }: SearchServerOptions): StoreCapabilities =>
  Object.freeze({
    filterOperators: ALL_FILTER_OPERATORS,
    lexical: 'bm25',
    maxTopK: MAX_TOP_K,
    consistency: 'immediate',
    persistent: true,
    exactVectorSearch: vectorIndex === 'flat',
    keepsDeleted:
      'the search server keeps deleted documents in its segments until it merges them, and 12 hours more for its replicas; `POST INDEX/_forcemerge?max_num_segments=1` merges them after that; snapshots are yours to delete',
  });

/**
 * Collections as indexes of an Elasticsearch server, version 8.11 or newer. Filters are exact; vector search is by graph
 * unless `vectorIndex` is `flat`; text is ranked by exact BM25, of each tenant's chunks alone.
 *
 * Needs the optional package `@elastic/elasticsearch`, loaded with the first call (`PACKAGE_MISSING`). Throws
 * `CONFIG_INVALID` for options that no server could have.
 */
export function createElasticsearchStore(options: SearchServerOptions): VectorStore {
  return new SearchServerStore(ELASTICSEARCH, options);
}

/**
 * Collections as indexes of an OpenSearch server, version 2.4 or newer, with its k-NN plugin. The same as
 * `createElasticsearchStore` in all else; needs the optional package `@opensearch-project/opensearch`.
 */
export function createOpenSearchStore(options: SearchServerOptions): VectorStore {
  return new SearchServerStore(OPENSEARCH, options);
}

const ANYTHING = z.unknown();
const HEALTH_ANSWER = z.object({ status: z.string(), number_of_nodes: z.int() });
const INDEXES_ANSWER = z.record(z.string(), z.unknown());

class SearchServerStore implements VectorStore {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  readonly #dialect: Dialect;
  readonly #options: SearchServerOptions;
  readonly #address: ServerAddress;
  #connecting: Promise<ServerConnection> | undefined;
  #isClosed = false;

  constructor(dialect: Dialect, options: SearchServerOptions) {
    assertServerOptions(options);
    this.name = dialect.name;
    this.capabilities = capabilitiesOf(options);
    this.#dialect = dialect;
    this.#options = options;
    this.#address = serverAddress(options);
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    const connection = await this.#connect();
    assertSpec(spec);
    const stored = (await this.#describe(connection, spec.name)) ?? (await this.#create(connection, spec));
    assertSameSpec(stored.spec, spec);
    const { alias } = this.#namesOf(spec.name);
    const requests = new CollectionRequests(connection, alias, spec.name);
    if (stored.schemaVersion < SCHEMA_VERSION) await addStatistics(requests, stored);
    const { candidates = 800 } = this.#options;
    const chunks = new IndexedChunks(
      stored,
      { requests, dialect: this.#dialect },
      { candidates, isClosed: () => this.#isClosed },
    );
    return new ServerCollection(stored.spec, chunks, MAX_TOP_K);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    assertCollectionName(name);
    return (await this.#describe(await this.#connect(), name))?.spec;
  }

  async drop(name: string): Promise<void> {
    assertCollectionName(name);
    const connection = await this.#connect();
    const { alias, index } = this.#namesOf(name);
    const call = { action: `drop collection "${name}"` };
    // An alias cannot be deleted through; and an operator may have moved it to another index.
    const found = await connection.find(
      INDEXES_ANSWER,
      { method: 'GET', path: pathOf(alias, index), query: { ignore_unavailable: true } },
      call,
    );
    const indexes = Object.keys(found ?? {});
    if (indexes.length > 0)
      await connection.find(ANYTHING, { method: 'DELETE', path: pathOf(...indexes) }, call);
  }

  async health(): Promise<{ ok: boolean; detail: string }> {
    if (this.#isClosed) return { ok: false, detail: 'closed' };
    try {
      const connection = await this.#connect();
      const request = { method: 'GET', path: '/_cluster/health' } as const;
      const health = await connection.request(HEALTH_ANSWER, request, { action: 'tell its health' });
      const { title, address } = connection.name;
      const detail = `${title} at ${address}: cluster ${health.status}, ${health.number_of_nodes} node(s)`;
      return { ok: health.status !== 'red', detail };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    await connection?.close();
  }

  #connect(): Promise<ServerConnection> {
    if (this.#isClosed)
      return Promise.reject(
        new RAGError('STORE_UNAVAILABLE', `The ${this.#dialect.title} store is closed; create a new one.`),
      );
    this.#connecting ??= this.#startConnection();
    return this.#connecting;
  }

  async #startConnection(): Promise<ServerConnection> {
    try {
      const driver = await this.#dialect.connect(this.#address, this.#options);
      const name = { title: this.#dialect.title, address: this.#address.url };
      return new ServerConnection(name, driver, this.#options.timeoutMs ?? 30_000);
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  #namesOf(collection: string) {
    return namesOf(this.#options.indexPrefix ?? 'ragstone-', collection);
  }

  async #describe(connection: ServerConnection, name: string): Promise<CollectionDescription | undefined> {
    const names = this.#namesOf(name);
    const request = { method: 'GET', path: `${pathOf(names.alias)}/_mapping` } as const;
    const answer = await connection.find(MAPPING_ANSWER, request, { action: `open collection "${name}"` });
    return answer === undefined ? undefined : describeIndex(answer, names);
  }

  async #create(connection: ServerConnection, spec: CollectionSpec): Promise<CollectionDescription> {
    const { title, maxDimensions } = this.#dialect;
    if (spec.dimensions > maxDimensions)
      throw new RAGError(
        'CONFIG_INVALID',
        `${title} holds vectors of at most ${maxDimensions} dimensions, the embedding model makes ${spec.dimensions}.`,
      );
    const { vectorIndex = 'hnsw', shards, replicas } = this.#options;
    const names = this.#namesOf(spec.name);
    const description = { spec: { ...spec }, vectorIndex, schemaVersion: SCHEMA_VERSION };
    const body = indexDefinition(this.#dialect, description, {
      alias: names.alias,
      ...(shards === undefined ? {} : { shards }),
      ...(replicas === undefined ? {} : { replicas }),
    });
    const call = { action: `make collection "${spec.name}"` };
    const answer = await connection.ask({ method: 'PUT', path: pathOf(names.index), body }, call);
    const isMade = answer.status >= 200 && answer.status < 300;
    // Another process may have made it first; which spec it gave decides.
    const stored = await this.#describe(connection, spec.name);
    if (stored === undefined) throw answerError(connection.name, call.action, answer);
    if (!isMade && !/resource_already_exists_exception/.test(JSON.stringify(answer.body)))
      throw answerError(connection.name, call.action, answer);
    return stored;
  }
}

const pathOf = (...names: readonly string[]): string => `/${names.map(encodeURIComponent).join(',')}`;
