import { createStoreFor } from '../assembly/choose-store.js';
import { createEmbedderFor } from '../assembly/open-embedder.js';
import { createChunker } from '../chunking/create-chunker.js';
import { loadConfig } from '../config/load-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Scope } from '../core/scope.js';
import type { Embedder } from '../embedding/embedder.js';
import { loadBuiltinTokenizer } from '../embedding/static/static-embedder.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';
import type { VectorStore } from '../stores/vector-store.js';
import { KnowledgeStoreConfig } from './config.js';
import type { Cutter } from './document-chunks.js';
import { asErrorsOf, KnowledgeStoreError } from './errors.js';
import type { KnowledgeStore } from './knowledge-store.js';
import { type KnowledgeStoreParts, VectorKnowledgeStore } from './vector-knowledge-store.js';

export interface KnowledgeStoreOptions {
  /** @default KnowledgeStoreConfig.fromEnv() */
  readonly config?: KnowledgeStoreConfig;
  /** Any store; closed with the knowledge store. Default: see `getKnowledgeStore`. */
  readonly store?: VectorStore;
  /** Any model; closed with the knowledge store. Default: the configuration's. */
  readonly embedder?: Embedder;
  /** Whose documents these are. @default LOCAL_SCOPE */
  readonly scope?: Scope;
  /** Folder of the project, whose Ragstone configuration is read. @default process.cwd() */
  readonly cwd?: string;
}

/**
 * A knowledge store, by configuration. The backend is, in this order: `store`; the Chroma server, where the configuration
 * names its host or port; else the store of the project's Ragstone configuration, by default an embedded one in
 * `.ragstone/store`, so that nothing has to be started. `notices` says which.
 *
 * @throws KnowledgeStoreError `CONFIG_INVALID`; what a backend or model is refused for comes with the first use.
 */
export function getKnowledgeStore(options: KnowledgeStoreOptions = {}): Promise<KnowledgeStore> {
  return asErrorsOf(KnowledgeStoreError, async () => {
    const config = options.config ?? KnowledgeStoreConfig.fromEnv();
    return new VectorKnowledgeStore({
      collectionName: config.collectionName,
      parts: () => assembleParts(config, options),
      ...(options.scope === undefined ? {} : { scope: options.scope }),
    });
  });
}

/** As `getKnowledgeStore`. */
export const get_knowledge_store = getKnowledgeStore;

/** Store, model and cutter of a knowledge store. What the caller gives is taken; nothing else is loaded for it. */
export async function assembleParts(
  config: KnowledgeStoreConfig,
  { store, embedder, cwd }: KnowledgeStoreOptions,
): Promise<KnowledgeStoreParts> {
  const project = await loadConfig({
    ...(cwd === undefined ? {} : { cwd }),
    overrides: { embedding: { model: config.embeddingModel, fallback: 'builtin' } },
  });
  const model = embedder === undefined ? await createEmbedderFor(project) : { embedder, notices: [] };
  const backend = store === undefined ? await chooseStore(config, project) : { store, notices: [] };
  return {
    store: backend.store,
    embedder: model.embedder,
    cutter: await createCutter(project),
    notices: [...backend.notices, ...model.notices],
  };
}

async function chooseStore(
  config: KnowledgeStoreConfig,
  project: ResolvedConfig,
): Promise<{ store: VectorStore; notices: string[] }> {
  if (config.namesServer) {
    const { createChromaStore } = await import('../stores/chroma/chroma-store.js');
    const { host, port } = config;
    return {
      store: createChromaStore({ host, port }),
      notices: [`Documents are kept on the Chroma server ${host}:${port}.`],
    };
  }
  const { store, provider, origin } = await createStoreFor(project);
  return { store, notices: [`Documents are kept in the store "${provider}" (${origin}).`] };
}

// Chunks must not overlap, for together they are the document.
async function createCutter({ rag }: ResolvedConfig): Promise<Cutter> {
  const tokenizer = await loadBuiltinTokenizer();
  const chunking = { ...rag.chunking, overlap: 0 };
  return {
    parser: createMarkdownParser(),
    chunker: createChunker(chunking, tokenizer.measure),
  };
}
