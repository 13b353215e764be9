import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchServerOptions } from '../stores/elasticsearch/server-options.js';
import type { PostgresConnectionOptions } from '../stores/postgres/postgres-options.js';
import type { VectorStore } from '../stores/vector-store.js';
import { originOf, type ResolvedConfig } from './resolved-config.js';
import type { BuiltProvider, ServerProvider } from './schema/storage.js';
import { assertOneAddress, postgresUrl, serverUrl } from './server-address.js';

/** The index that a store is opened for. */
export interface StoreOwner {
  /** File of the ledger: a store that can be kept in it is, unless a folder of its own is configured. */
  readonly ledgerPath: string;
  /** Store and collection that the ledger names; absent before the first `index`. */
  readonly recorded?: { readonly provider: string; readonly collection: string } | undefined;
}

/** A store, and what a person must know about its opening. */
export interface OpenedStore {
  readonly store: VectorStore;
  readonly notices: readonly string[];
}

/** Opens a store with its settings; loads its driver and no other. Without an owner it keeps files of its own. */
export async function openStore(
  provider: BuiltProvider,
  config: ResolvedConfig,
  owner?: StoreOwner,
): Promise<OpenedStore> {
  if (provider === 'libsql') return openLibsql(config, owner);
  return { store: await openOther(provider, config), notices: [] };
}

async function openLibsql(config: ResolvedConfig, owner: StoreOwner | undefined): Promise<OpenedStore> {
  const { createLibsqlStore } = await import('../stores/libsql/libsql-store.js');
  const ownFile = join(config.rag.storage.local.path, 'store.db');
  if (owner === undefined || originOf(config, 'rag.storage.local.path').kind !== 'default')
    return { store: createLibsqlStore({ path: ownFile }), notices: [] };
  return {
    store: createLibsqlStore({ path: owner.ledgerPath, isShared: true }),
    notices: await adoptOwnFile(ownFile, owner),
  };
}

/** Version 0.1.0 kept the store in a file of its own. */
async function adoptOwnFile(from: string, { ledgerPath, recorded }: StoreOwner): Promise<string[]> {
  if (recorded?.provider !== 'libsql' || !existsSync(from)) return [];
  const { adoptCollection } = await import('../stores/libsql/adopt-collection.js');
  const isMoved = adoptCollection({ from, into: ledgerPath, collection: recorded.collection });
  return isMoved
    ? [`The chunks of this index, which an earlier version kept in ${from}, are now in ${ledgerPath}.`]
    : [];
}

async function openOther(
  provider: Exclude<BuiltProvider, 'libsql'>,
  config: ResolvedConfig,
): Promise<VectorStore> {
  const { path } = config.rag.storage.local;
  switch (provider) {
    case 'lancedb': {
      // Lance logs its retries as warnings on stderr unless told otherwise; it reads this when it is loaded.
      process.env.RUST_LOG ??= 'error';
      const { createLanceDbStore } = await import('../stores/lancedb/lancedb-store.js');
      const { s3 } = config.rag.storage;
      if (s3 === undefined) return createLanceDbStore({ path });
      const { lanceStorageOptions } = await import('./object-storage.js');
      return createLanceDbStore({ path: s3.url, storageOptions: lanceStorageOptions(s3) });
    }
    case 'memory': {
      const { createMemoryStore } = await import('../stores/memory/memory-store.js');
      return createMemoryStore();
    }
    case 'usearch':
    case 'faiss': {
      const { createUsearchStore } = await import('../stores/usearch-store.js');
      return createUsearchStore({ path });
    }
    default:
      return withLexicalLane(await openServerStore(provider, config), config);
  }
}

/** A store that ranks no text gets the lane from an index beside the ledger. */
async function withLexicalLane(store: VectorStore, { dataDir }: ResolvedConfig): Promise<VectorStore> {
  if (store.capabilities.lexical !== 'none') return store;
  const { createLibsqlStore } = await import('../stores/libsql/libsql-store.js');
  const { withLexicalIndex } = await import('../stores/with-lexical-index.js');
  return withLexicalIndex(store, createLibsqlStore({ path: join(dataDir, 'lexical', 'store.db') }));
}

async function openServerStore(provider: ServerProvider, config: ResolvedConfig): Promise<VectorStore> {
  switch (provider) {
    case 'postgres':
      return openPostgres(config);
    case 'chroma':
      return openChroma(config);
    case 'elasticsearch': {
      const { createElasticsearchStore } = await import('../stores/elasticsearch/elasticsearch-store.js');
      return createElasticsearchStore(searchServerOptions(config, 'apiKey'));
    }
    case 'opensearch': {
      const { createOpenSearchStore } = await import('../stores/elasticsearch/elasticsearch-store.js');
      return createOpenSearchStore(searchServerOptions(config, 'bearer'));
    }
    case 'weaviate':
      return openWeaviate(config);
  }
}

async function openPostgres({ rag: { storage } }: ResolvedConfig): Promise<VectorStore> {
  const { server } = storage;
  if (server !== undefined) assertOneAddress(server);
  const { url, host, port, database, ssl, username, password, namespace, layout, timeoutMs } = server ?? {};
  const options: PostgresConnectionOptions = {
    ...(url === undefined ? {} : { connectionString: postgresUrl(url.reveal()) }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(database === undefined ? {} : { database }),
    ...(ssl === true ? { ssl } : {}),
    ...(username === undefined ? {} : { user: username }),
    ...(password === undefined ? {} : { password: password.reveal() }),
    ...(namespace === undefined ? {} : { schema: namespace }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (layout === 'rag_documents') {
    const { createRagDocumentsStore } = await import('../stores/postgres/rag-documents-store.js');
    return createRagDocumentsStore(options);
  }
  const { createPostgresStore } = await import('../stores/postgres/postgres-store.js');
  return createPostgresStore(options);
}

/** The server that is named; else one of our own on the folder, where the settings ask for a local Chroma. */
async function openChroma(config: ResolvedConfig): Promise<VectorStore> {
  const { server, local } = config.rag.storage;
  const { createChromaStore } = await import('../stores/chroma/chroma-store.js');
  const { withCollectionPrefix } = await import('../stores/with-collection-prefix.js');
  const url = serverUrl(server, 8000);
  const isLocal =
    url === undefined &&
    (local.type === 'chroma' || originOf(config, 'rag.storage.local.path').kind !== 'default');
  if (isLocal) {
    const { startLocalChroma } = await import('../stores/chroma/local-chroma.js');
    const running = await startLocalChroma({ path: local.path });
    return withCollectionPrefix(createChromaStore({ server: running }), local.collection);
  }
  const store = createChromaStore({
    ...(url === undefined ? {} : chromaAddress(url)),
    ...(server?.apiKey === undefined ? {} : { token: server.apiKey.reveal() }),
    ...(server === undefined ? {} : { timeoutMs: server.timeoutMs }),
  });
  return withCollectionPrefix(store, server?.namespace ?? 'ragstone');
}

function chromaAddress(url: URL): { host: string; port: number; ssl: boolean } {
  const ssl = url.protocol === 'https:';
  return { host: url.hostname, port: Number(url.port) || (ssl ? 443 : 8000), ssl };
}

function searchServerOptions(
  { rag: { storage } }: ResolvedConfig,
  keyKind: 'apiKey' | 'bearer',
): SearchServerOptions {
  const { username, password, apiKey, namespace = 'ragstone', timeoutMs } = storage.server ?? {};
  const options: SearchServerOptions = {
    url: serverUrl(storage.server, 9200)?.href ?? 'http://localhost:9200',
    indexPrefix: `${namespace}-`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const key = apiKey?.reveal();
  if (key !== undefined)
    return { ...options, auth: keyKind === 'apiKey' ? { apiKey: key } : { bearer: key } };
  if (username === undefined || password === undefined) return options;
  return { ...options, auth: { username, password: password.reveal() } };
}

async function openWeaviate({ rag: { storage } }: ResolvedConfig): Promise<VectorStore> {
  const { apiKey, namespace, timeoutMs } = storage.server ?? {};
  const url = serverUrl(storage.server, 8080);
  const { createWeaviateStore } = await import('../stores/weaviate/weaviate-store.js');
  return createWeaviateStore({
    ...(url === undefined ? {} : { url: url.href }),
    ...(apiKey === undefined ? {} : { apiKey: apiKey.reveal() }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}
