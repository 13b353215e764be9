import type { BuiltProvider } from '../../src/config/schema/storage.js';
import type { VectorStore } from '../../src/stores/vector-store.js';
import type * as BareClients from './bare-clients.js';
import { COLLECTION, NAMESPACE } from './names.js';

/** A store that is measured. */
export interface BenchedStore {
  /** Its name in the configuration, and of its server among those that the contract is tested against. */
  readonly name: BuiltProvider;
  /** Where it keeps its data: a server that is started for it, or a folder of this process. */
  readonly place: 'server' | 'folder' | 'memory';
  /**
   * Candidates that a search visits: the store's default first, then what is tried while recall is below the wanted one.
   * One number where it cannot be chosen for each search.
   */
  readonly efforts: readonly number[];
  /** Opens it at its URL or folder. */
  readonly open: (place: string, effort: number) => Promise<VectorStore>;
  /** The driver alone, over what the store wrote; absent where there is none. */
  readonly bare?: (
    clients: typeof BareClients,
    place: string,
    effort: number,
  ) => Promise<BareClients.BareClient | undefined>;
  /** What the measurements leave out, in words for the page. */
  readonly note?: string;
}

/** A first search may build or load what the index needs. */
const TIMEOUT_MS = 300_000;

export const BENCHED_STORES: readonly BenchedStore[] = [
  {
    name: 'memory',
    place: 'memory',
    efforts: [0],
    open: async () => (await import('../../src/stores/memory/memory-store.js')).createMemoryStore(),
    note: 'nothing is kept; no client to compare with',
  },
  {
    name: 'libsql',
    place: 'folder',
    efforts: [0],
    open: async (folder) => {
      const { createLibsqlStore } = await import('../../src/stores/libsql/libsql-store.js');
      return createLibsqlStore({ path: `${folder}/store.db` });
    },
    bare: (clients, folder) => clients.bareLibsql(folder),
  },
  {
    name: 'usearch',
    place: 'folder',
    efforts: [400],
    open: async (folder) => {
      const { createUsearchStore } = await import('../../src/stores/usearch-store.js');
      return createUsearchStore({ path: folder });
    },
    bare: (clients, folder, effort) => clients.bareUsearch(folder, effort),
  },
  {
    name: 'lancedb',
    place: 'folder',
    efforts: [128],
    open: async (folder) => {
      const { createLanceDbStore } = await import('../../src/stores/lancedb/lancedb-store.js');
      return createLanceDbStore({ path: folder });
    },
    bare: (clients, folder) => clients.bareLanceDb(folder),
  },
  {
    name: 'postgres',
    place: 'server',
    efforts: [600, 1_000],
    open: async (connectionString, efSearch) => {
      const { createPostgresStore } = await import('../../src/stores/postgres/postgres-store.js');
      return createPostgresStore({ connectionString, schema: NAMESPACE, efSearch, timeoutMs: TIMEOUT_MS });
    },
    bare: (clients, url, effort) => clients.barePostgres(url, effort),
  },
  {
    name: 'chroma',
    place: 'server',
    efforts: [512],
    open: async (url) => {
      const { createChromaStore } = await import('../../src/stores/chroma/chroma-store.js');
      const { hostname: host, port } = new URL(url);
      return createChromaStore({ host, port: Number(port), timeoutMs: TIMEOUT_MS });
    },
    bare: (clients, url) => clients.bareChroma(url),
  },
  {
    name: 'elasticsearch',
    place: 'server',
    efforts: [800, 1_600],
    open: async (url, candidates) => {
      const { createElasticsearchStore } = await import(
        '../../src/stores/elasticsearch/elasticsearch-store.js'
      );
      return createElasticsearchStore({
        url,
        candidates,
        indexPrefix: `${NAMESPACE}-`,
        timeoutMs: TIMEOUT_MS,
      });
    },
    bare: (clients, url, effort) => clients.bareElasticsearch(url, effort),
  },
  {
    name: 'opensearch',
    place: 'server',
    efforts: [800, 1_600],
    open: async (url, candidates) => {
      const { createOpenSearchStore } = await import('../../src/stores/elasticsearch/elasticsearch-store.js');
      return createOpenSearchStore({ url, candidates, indexPrefix: `${NAMESPACE}-`, timeoutMs: TIMEOUT_MS });
    },
    bare: (clients, url, effort) => clients.bareOpenSearch(url, effort),
  },
  {
    name: 'weaviate',
    place: 'server',
    efforts: [256],
    open: async (url) => {
      const { createWeaviateStore } = await import('../../src/stores/weaviate/weaviate-store.js');
      return createWeaviateStore({ url, namespace: NAMESPACE, timeoutMs: TIMEOUT_MS });
    },
    bare: (clients, url) => clients.bareWeaviate(url),
  },
];

/** The store of this name. Throws a RangeError that names all of them. */
export function benchedStore(name: string): BenchedStore {
  const store = BENCHED_STORES.find((candidate) => candidate.name === name);
  if (store !== undefined) return store;
  const known = BENCHED_STORES.map((candidate) => candidate.name).join(', ');
  throw new RangeError(`There is no store ${name}. Stores: ${known}.`);
}

export const SPEC = { name: COLLECTION, dimensions: 384, fingerprint: 'synthetic' };
