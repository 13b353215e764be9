import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { ALL_FILTER_OPERATORS } from '../../core/filter.js';
import { ServerCollection } from '../server-collection.js';
import { ServerStore, type StoreHealth, type StoreServer } from '../server-store.js';
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
import { serverAddress } from './server-driver.js';
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
  return storeOf(ELASTICSEARCH, options);
}

/**
 * Collections as indexes of an OpenSearch server, version 2.4 or newer, with its k-NN plugin. The same as
 * `createElasticsearchStore` in all else; needs the optional package `@opensearch-project/opensearch`.
 */
export function createOpenSearchStore(options: SearchServerOptions): VectorStore {
  return storeOf(OPENSEARCH, options);
}

const ANYTHING = z.unknown();
const HEALTH_ANSWER = z.object({ status: z.string(), number_of_nodes: z.int() });
const INDEXES_ANSWER = z.record(z.string(), z.unknown());

function storeOf(dialect: Dialect, options: SearchServerOptions): VectorStore {
  assertServerOptions(options);
  return new ServerStore(dialect.name, capabilitiesOf(options), new SearchServer(dialect, options));
}

class SearchServer implements StoreServer<CollectionDescription> {
  readonly connection: ServerConnection;
  readonly #dialect: Dialect;
  readonly #options: SearchServerOptions;

  constructor(dialect: Dialect, options: SearchServerOptions) {
    this.#dialect = dialect;
    this.#options = options;
    const address = serverAddress(options);
    this.connection = new ServerConnection(
      { title: dialect.title, address: address.url },
      { connect: () => dialect.connect(address, options), timeoutMs: options.timeoutMs ?? 30_000 },
    );
  }

  async find(name: string): Promise<CollectionDescription | undefined> {
    const names = this.#namesOf(name);
    const request = { method: 'GET', path: `${pathOf(names.alias)}/_mapping` } as const;
    const call = { action: `open collection "${name}"` };
    const answer = await this.connection.find(MAPPING_ANSWER, request, call);
    return answer && describeIndex(answer, names);
  }

  async collectionOf(found: CollectionDescription): Promise<VectorCollection> {
    const { spec, schemaVersion } = found;
    const requests = new CollectionRequests(this.connection, this.#namesOf(spec.name).alias, spec.name);
    if (schemaVersion < SCHEMA_VERSION) await addStatistics(requests, found);
    const { candidates = 800 } = this.#options;
    const chunks = new IndexedChunks(found, { requests, dialect: this.#dialect }, candidates);
    return new ServerCollection(spec, chunks, { connection: this.connection, maxTopK: MAX_TOP_K });
  }

  async drop(name: string): Promise<void> {
    const { alias, index } = this.#namesOf(name);
    const call = { action: `drop collection "${name}"` };
    // An alias cannot be deleted through; and an operator may have moved it to another index.
    const found = await this.connection.find(
      INDEXES_ANSWER,
      { method: 'GET', path: pathOf(alias, index), query: { ignore_unavailable: true } },
      call,
    );
    const indexes = Object.keys(found ?? {});
    if (indexes.length > 0)
      await this.connection.find(ANYTHING, { method: 'DELETE', path: pathOf(...indexes) }, call);
  }

  async tell(): Promise<StoreHealth> {
    const request = { method: 'GET', path: '/_cluster/health' } as const;
    const health = await this.connection.request(HEALTH_ANSWER, request, { action: 'tell its health' });
    const { title, address } = this.connection;
    const detail = `${title} at ${address}: cluster ${health.status}, ${health.number_of_nodes} node(s)`;
    return { ok: health.status !== 'red', detail };
  }

  #namesOf(collection: string) {
    return namesOf(this.#options.indexPrefix ?? 'ragstone-', collection);
  }

  async make(spec: CollectionSpec): Promise<CollectionDescription> {
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
    const answer = await this.connection.ask({ method: 'PUT', path: pathOf(names.index), body }, call);
    const isMade = answer.status >= 200 && answer.status < 300;
    // Another process may have made it first; which spec it gave decides.
    const stored = await this.find(spec.name);
    if (stored === undefined) throw answerError(this.connection, call.action, answer);
    if (!isMade && !/resource_already_exists_exception/.test(JSON.stringify(answer.body)))
      throw answerError(this.connection, call.action, answer);
    return stored;
  }
}

const pathOf = (...names: readonly string[]): string => `/${names.map(encodeURIComponent).join(',')}`;
