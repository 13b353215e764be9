import { join } from 'node:path';
import { createChunker } from '../../chunking/create-chunker.js';
import { loadConfig } from '../../config/load-config.js';
import { originOf, type ResolvedConfig } from '../../config/resolved-config.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { assertPlainDataFolder } from '../../config/trust/index-reach.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { LOCAL_SCOPE, type Scope } from '../../core/scope.js';
import type { Embedder } from '../../embedding/embedder.js';
import { loadBuiltinTokenizer } from '../../embedding/static/static-embedder.js';
import { engineOver } from '../../engine/create-engine.js';
import type { Ledger } from '../../ledger/ledger.js';
import { chooseProvider, createStoreFor, storeDefinition } from '../../resources/assembly/choose-store.js';
import { createEmbedderFor } from '../../resources/assembly/open-embedder.js';
import { EngineResources } from '../../resources/engine-resources.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { adoptDocuments } from './adopt-documents.js';
import { BackendKnowledgeStore } from './backend-knowledge-store.js';
import { KnowledgeStoreConfig } from './config.js';
import { EngineShelf } from './engine-shelf.js';
import { asErrorsOf, KnowledgeStoreError } from './errors.js';
import type { KnowledgeStore } from './knowledge-store.js';
import type { Shelf } from './shelf.js';
import { StoreShelf } from './store-shelf.js';
import { createWholeDocumentParser } from './whole-documents.js';

export interface KnowledgeStoreOptions {
  /** @default KnowledgeStoreConfig.fromEnv() */
  readonly config?: KnowledgeStoreConfig;
  /** Any store; closed with the knowledge store. Default: see `getKnowledgeStore`. */
  readonly store?: VectorStore;
  /** For `store`: where an engine keeps what is indexed in it; closed with the knowledge store. Default: there is none. */
  readonly ledger?: Ledger;
  /** Any model; closed with the knowledge store. Default: the configuration's. */
  readonly embedder?: Embedder;
  /** Whose documents these are. @default LOCAL_SCOPE */
  readonly scope?: Scope;
  /** Folder of the project, whose Ragstone configuration is read. @default process.cwd() */
  readonly cwd?: string;
}

/**
 * A knowledge store, by configuration. The backend is, in this order: `store`; the one that the configuration names (`backend`); the Chroma server, where the configuration
 * names its host or port; else the store of the project's Ragstone configuration, by default an embedded one in
 * `.ragstone/knowledge`, so that nothing has to be started. `notices` says which.
 *
 * An engine indexes the documents wherever a ledger stands beside the store: for a store of this machine, with `rag.ledger:
 * postgres`, and with `ledger`. A server that several programs share without one holds the documents alone.
 *
 * @throws KnowledgeStoreError `CONFIG_INVALID`; what a backend or model is refused for comes with the first use.
 */
export function getKnowledgeStore(options: KnowledgeStoreOptions = {}): Promise<KnowledgeStore> {
  return asErrorsOf(KnowledgeStoreError, async () => {
    const config = options.config ?? KnowledgeStoreConfig.fromEnv();
    return new BackendKnowledgeStore(() => openShelf(config, options));
  });
}

/** As `getKnowledgeStore`. */
export const get_knowledge_store = getKnowledgeStore;

/** What a shelf is opened with; what the caller gives is taken, and nothing else is loaded for it. */
interface ShelfRequest {
  readonly project: ResolvedConfig;
  readonly collectionName: string;
  readonly embedder: Embedder;
  readonly scope: Scope;
  readonly notices: readonly string[];
}

/** Opens what a configuration comes down to. */
export async function openShelf(
  config: KnowledgeStoreConfig,
  { store, ledger, embedder, scope = LOCAL_SCOPE, cwd }: KnowledgeStoreOptions,
): Promise<Shelf> {
  const project = await loadConfig({
    ...(cwd === undefined ? {} : { cwd }),
    overrides: {
      enabled: true,
      embedding: { model: config.embeddingModel, fallback: 'builtin' },
      ...backendSettings(config),
    },
  });
  const model = embedder === undefined ? await createEmbedderFor(project) : { embedder, notices: [] };
  const { collectionName } = config;
  const request = { project, collectionName, embedder: model.embedder, scope, notices: model.notices };
  if (store !== undefined)
    return ledger === undefined
      ? openStoreShelf(store, request)
      : openEngineShelf(request, { store, ledger });
  if (config.namesServer && config.backend === undefined) return openChromaShelf(config, request);
  const { provider, origin } = chooseProvider(project);
  const why = config.backend === undefined ? origin : `the backend is ${config.backend}`;
  const notice = `Documents are kept in the store "${provider}" (${why}).`;
  const chosen = { ...request, notices: [notice, ...request.notices] };
  if (project.rag.ledger.type === 'sqlite' && isBehindAddress(provider, project))
    return openStoreShelf((await createStoreFor(project)).store, chosen);
  return openEngineShelf(chosen);
}

/** A backend that is named goes over what the project's configuration names. */
function backendSettings({ backend, url, host, port, namesServer }: KnowledgeStoreConfig): RAGSettingsInput {
  if (backend === undefined) return {};
  const isRemote = storeDefinition(backend)?.reads === 'server';
  if (!isRemote && (url !== undefined || namesServer))
    throw new RAGError(
      'CONFIG_INVALID',
      `The backend "${backend}" has no server: state no host, port or url.`,
    );
  const provider = (backend === 'embedded' ? 'libsql' : backend) as NonNullable<RAGSettingsInput['provider']>;
  if (url !== undefined) return { provider, storage: { server: { url } } };
  return namesServer ? { provider, storage: { server: { host, port } } } : { provider };
}

async function openChromaShelf({ host, port }: KnowledgeStoreConfig, request: ShelfRequest): Promise<Shelf> {
  const { createChromaStore } = await import('../../stores/chroma/chroma-store.js');
  const notice = `Documents are kept on the Chroma server ${host}:${port}.`;
  return openStoreShelf(createChromaStore({ host, port }), {
    ...request,
    notices: [notice, ...request.notices],
  });
}

/** Programs of other hosts may write to it. */
function isBehindAddress(provider: string, { rag }: ResolvedConfig): boolean {
  const reads = storeDefinition(provider)?.reads;
  return reads === 'server' || (reads !== undefined && rag.storage[reads] !== undefined);
}

async function openStoreShelf(store: VectorStore, { project, ...parts }: ShelfRequest): Promise<Shelf> {
  const tokenizer = await loadBuiltinTokenizer();
  // Chunks must not overlap, for together they are the document.
  const chunker = createChunker({ ...project.rag.chunking, overlap: 0 }, tokenizer.measure);
  return new StoreShelf({ ...parts, config: project, store, chunker });
}

async function openEngineShelf(
  { project, collectionName, embedder, scope, notices }: ShelfRequest,
  own?: { readonly store: VectorStore; readonly ledger: Ledger },
): Promise<Shelf> {
  assertPlainDataFolder(project);
  const config = {
    ...indexOf(collectionName, project),
    own: { ...own, embedder, parsers: [createWholeDocumentParser()] },
  };
  const resources = new EngineResources(config);
  const engine = engineOver(resources, project.projectRoot);
  const close = async (): Promise<void> => {
    await engine.close();
    await Promise.all([embedder.close(), own?.store.close(), own?.ledger.close()]);
  };
  const lockFolder = join(config.dataDir, DATA_FOLDERS.adoption);
  const adopted =
    own === undefined ? await adoptDocuments({ project, collectionName, lockFolder, engine }) : [];
  return new EngineShelf({ engine, resources, embedder, scope, notices: [...notices, ...adopted] }, close);
}

/** The project's configuration for an index of its own: a data folder, or a schema of the ledger's server. */
function indexOf(collectionName: string, { rag, ...project }: ResolvedConfig): ResolvedConfig {
  const dataDir = join(project.dataDir, DATA_FOLDERS.knowledge, folderOf(collectionName));
  const { local } = rag.storage;
  const isStated = originOf({ rag, ...project }, 'rag.storage.local.path').kind !== 'default';
  const path = isStated ? local.path : join(dataDir, DATA_FOLDERS.store);
  const namespace = `${rag.ledger.namespace}_${contentHash(collectionName).slice(0, 8)}`;
  return {
    ...project,
    dataDir,
    rag: {
      ...rag,
      sources: [],
      ledger: { ...rag.ledger, namespace },
      storage: { ...rag.storage, local: { ...local, path } },
    },
  };
}

/** Where a file system does not tell upper from lower case, two names must not be one folder. */
const folderOf = (name: string): string =>
  name === name.toLowerCase() ? name : `${name}-${contentHash(name).slice(0, 8)}`;
