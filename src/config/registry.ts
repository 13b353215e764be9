import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ChatModel } from '../answering/chat-model.js';
import type { ChunkingOptions } from '../chunking/chunker.js';
import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import { RAGError } from '../core/errors.js';
import type { Embedder } from '../embedding/embedder.js';
import type { HostedEmbedderOptions } from '../embedding/hosted/hosted-embedder.js';
import type { Reranker } from '../reranking/reranker.js';
import type { Source } from '../sources/source.js';
import { modelCacheDir } from './models.js';
import { type OpenedStore, openStore, type StoreOwner } from './open-store.js';
import { resolveContextModel } from './resolve-context-model.js';
import { gitSourceOptions } from './resolve-git-source.js';
import { resolveEmbeddingModel } from './resolve-model.js';
import { fetchModelSecrets, resolveHostedModel } from './resolve-provider.js';
import { resolveReranker } from './resolve-reranker.js';
import { azureDevOpsOptions, confluenceOptions } from './resolve-service-source.js';
import { sqlSourceOptions } from './resolve-sql-source.js';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.js';
import { BUILT_PROVIDERS, type BuiltProvider, SERVER_PROVIDERS } from './schema/storage.js';
import { resolveSecrets } from './secret-resolver.js';

/** Which store a configuration comes down to on this machine, and why, in words. */
export interface ProviderChoice {
  readonly provider: BuiltProvider;
  readonly origin: string;
}

/** A store, how it was chosen, and what a person must know about its opening. */
export interface ConfiguredStore extends ProviderChoice, OpenedStore {}

/** An embedder, and what a person must know about how it was chosen. */
export interface ConfiguredEmbedder {
  readonly embedder: Embedder;
  readonly notices: readonly string[];
}

/** A source with what the pipeline needs to know about it beside its documents. */
export interface SourceSetup {
  readonly source: Source;
  /** What `filters.sourceType` compares: `metadata.sourceType` of the configuration, else the source type's own. */
  readonly sourceType: string;
  /** Complete options: the source's own over the general ones, with the source type's preferred strategy. */
  readonly chunking: ChunkingOptions;
  /** Front matter fields that become metadata; absent means all. */
  readonly frontmatterFields?: readonly string[];
}

const isBuiltProvider = (name: string): name is BuiltProvider =>
  BUILT_PROVIDERS.some((built) => built === name);

/**
 * Chooses the store. `auto` keeps to what an existing index was made with, else takes LanceDB where it is installed, else
 * libSQL, which always is.
 *
 * @param recorded provider of the existing index, where there is one.
 * @throws RAGError `CONFIG_NOT_BUILT` naming the setting.
 */
export function chooseProvider(config: ResolvedConfig, recorded?: string): ProviderChoice {
  const { provider, storage } = config.rag;
  if (provider !== 'auto' && !isBuiltProvider(provider))
    throw new RAGError(
      'CONFIG_NOT_BUILT',
      `rag.provider: the store "${provider}" is not built yet. Use one of ${BUILT_PROVIDERS.join(', ')}, or auto.`,
      { details: { key: 'rag.provider', value: provider } },
    );
  if (!storage.local.persist) return { provider: 'memory', origin: 'rag.storage.local.persist is false' };
  // FAISS has no maintained binding for Node; usearch has its role.
  if (provider === 'faiss') return { provider: 'usearch', origin: 'rag.provider is faiss' };
  if (provider !== 'auto') return { provider, origin: `rag.provider is ${provider}` };
  if (recorded !== undefined && isBuiltProvider(recorded))
    return { provider: recorded, origin: 'auto: the index was made with it' };
  return isInstalled('@lancedb/lancedb')
    ? { provider: 'lancedb', origin: 'auto: @lancedb/lancedb is installed' }
    : { provider: 'libsql', origin: 'auto: @lancedb/lancedb is not installed' };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

const isServerProvider = (name: string): boolean => SERVER_PROVIDERS.some((server) => server === name);

/** Opens the configured store; see `chooseProvider`. Loads its driver and no other. */
export async function createStoreFor(
  config: ResolvedConfig,
  options: { recorded?: string; owner?: StoreOwner } = {},
): Promise<ConfiguredStore> {
  const choice = chooseProvider(config, options.recorded);
  if (isServerProvider(choice.provider))
    await resolveSecrets(config.rag.storage.server, ['rag', 'storage', 'server'], config);
  if (choice.provider === 'lancedb')
    await resolveSecrets(config.rag.storage.s3, ['rag', 'storage', 's3'], config);
  return { ...choice, ...(await openStore(choice.provider, config, options.owner)) };
}

/**
 * Opens the configured embedding model; see `resolveEmbeddingModel`.
 *
 * @throws RAGError also `CONFIG_INVALID` where `embedding.dimensions` states another length than the chosen model has.
 */
export async function createEmbedderFor(config: ResolvedConfig): Promise<ConfiguredEmbedder> {
  const model = await resolveEmbeddingModel(config);
  if (model.kind === 'builtin') {
    const { createStaticEmbedder } = await import('../embedding/static/static-embedder.js');
    const embedder = await createStaticEmbedder();
    if (model.notice !== undefined) return { embedder, notices: [model.notice] };
    return { embedder: checkDimensions(embedder, config), notices: [] };
  }
  if (model.kind === 'hosted') {
    const { createHostedEmbedder } = await import('../embedding/hosted/hosted-embedder.js');
    const embedder = await createHostedEmbedder({ ...model, ...hostedEmbedderSettings(config) });
    return { embedder: checkDimensions(embedder, config), notices: [] };
  }
  const { createTransformersEmbedder } = await import('../embedding/transformers/transformers-embedder.js');
  const { batchSize, device, queryPrefix, documentPrefix } = config.rag.embedding;
  const token = config.environment.HF_TOKEN;
  const embedder = await createTransformersEmbedder({
    model: model.model,
    allowRemote: model.isRemote,
    cacheDir: modelCacheDir(config.dataDir),
    device,
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(queryPrefix === undefined ? {} : { queryPrefix }),
    ...(documentPrefix === undefined ? {} : { documentPrefix }),
    ...(token === undefined || !model.isRemote ? {} : { token }),
  });
  return { embedder: checkDimensions(embedder, config), notices: [] };
}

/**
 * Opens what writes contexts of chunks (`rag.indexing.contextual`); undefined where it is off.
 *
 * @throws RAGError `CONFIG_INVALID` where it is on and no language model is configured; see also `createChatModelFor`.
 */
export async function createContextualiserFor(
  config: ResolvedConfig,
): Promise<ChunkContextualiser | undefined> {
  const stated = resolveContextModel(config);
  const chatModel = stated && (await createChatModelFor(config, stated));
  if (chatModel === undefined) return undefined;
  const { maxDocumentTokens } = config.rag.indexing.contextual;
  const { ChunkContextualiser } = await import('../chunking/contextual/chunk-contextualiser.js');
  const cacheFolder = join(config.dataDir, 'cache', 'contexts');
  return new ChunkContextualiser({ chatModel, cacheFolder, maxDocumentTokens });
}

function hostedEmbedderSettings({ rag }: ResolvedConfig): Partial<HostedEmbedderOptions> {
  const { dimensions, batchSize, queryPrefix, documentPrefix, maxInputTokens, timeoutMs, price, limits } =
    rag.embedding;
  return {
    timeoutMs,
    limits,
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(queryPrefix === undefined ? {} : { queryPrefix }),
    ...(documentPrefix === undefined ? {} : { documentPrefix }),
    ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    ...(price === undefined ? {} : { price }),
  };
}

/**
 * Opens the configured language model, or one that a setting of its own names; undefined where none is configured.
 *
 * @param stated the model instead of `rag.chat.model`, and the setting that names it.
 * @throws RAGError `SECRET_MISSING`, `PACKAGE_MISSING` or `CONFIG_INVALID`, each with what to set or install.
 */
export async function createChatModelFor(
  config: ResolvedConfig,
  stated: { readonly model: string | undefined; readonly key: string } = {
    model: config.rag.chat.model,
    key: 'rag.chat.model',
  },
): Promise<ChatModel | undefined> {
  if (stated.model === undefined) return undefined;
  await fetchModelSecrets(stated.model, config);
  const hosted = resolveHostedModel(stated.model, 'chat', { config, key: stated.key });
  const { openChatModel } = await import('../answering/providers/open-chat-model.js');
  const { model: own, price, contextWindow, limits, ...settings } = config.rag.chat;
  return openChatModel({
    ...hosted,
    ...settings,
    limits,
    // Price and window are those of the model that `rag.chat` names.
    ...(price === undefined || own !== stated.model ? {} : { price }),
    ...(contextWindow === undefined || own !== stated.model ? {} : { contextWindow }),
  });
}

function checkDimensions(embedder: Embedder, config: ResolvedConfig): Embedder {
  const stated = config.rag.embedding.dimensions;
  if (stated === undefined || stated === embedder.dimensions) return embedder;
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.embedding.dimensions is ${stated}, but ${embedder.identity.model} makes vectors of ${embedder.dimensions}. Correct it, or leave it out.`,
    { details: { key: 'rag.embedding.dimensions', expected: stated, actual: embedder.dimensions } },
  );
}

/**
 * Opens the configured reranker; see `resolveReranker`.
 *
 * @throws RAGError `RERANKER_UNAVAILABLE`, `SECRET_MISSING`, `PACKAGE_MISSING`, `MODEL_NOT_FOUND`, `MODEL_INVALID` or `CONFIG_INVALID`.
 */
export async function createRerankerFor(config: ResolvedConfig): Promise<Reranker> {
  const model = await resolveReranker(config);
  if (model.kind === 'builtin') {
    const { createBuiltinReranker } = await import('../reranking/builtin/builtin-reranker.js');
    const { loadWordRarity } = await import('../embedding/static/word-rarity.js');
    return createBuiltinReranker({ rarityOf: await loadWordRarity() });
  }
  if (model.kind === 'hosted') {
    const { createHostedReranker } = await import('../reranking/hosted/hosted-reranker.js');
    return createHostedReranker(model);
  }
  if (model.kind === 'llm') {
    const stated = { model: model.model, key: 'rag.retrieval.rerank.model' };
    const chatModel = await createChatModelFor(config, stated);
    if (chatModel === undefined) throw new RAGError('INTERNAL', 'A language model was named and not opened.');
    const { createLlmReranker } = await import('../reranking/llm/llm-reranker.js');
    return createLlmReranker({ chatModel });
  }
  const { createCrossEncoderReranker } = await import('../reranking/cross-encoder/cross-encoder-reranker.js');
  const token = config.environment.HF_TOKEN;
  return createCrossEncoderReranker({
    model: model.model,
    allowRemote: model.isRemote,
    cacheDir: modelCacheDir(config.dataDir),
    batchSize: config.rag.retrieval.rerank.batchSize,
    ...(token === undefined || !model.isRemote ? {} : { token }),
  });
}

/**
 * Every enabled source, in the order of the configuration. Nothing is read yet.
 *
 * @throws RAGError `CONFIG_INVALID` or `SECRET_MISSING` naming a setting that is missing.
 */
export async function createSourcesFor(config: ResolvedConfig): Promise<SourceSetup[]> {
  const setups: SourceSetup[] = [];
  for (const [index, settings] of config.rag.sources.entries())
    if (settings.enabled) setups.push(await createSource(settings, `rag.sources[${index}]`, config));
  return setups;
}

/**
 * One source by its name, enabled or not. Nothing is read yet.
 *
 * @throws RAGError `USAGE` for a name that is not configured; `SECRET_MISSING`; `CONFIG_INVALID`.
 */
export async function createSourceNamed(name: string, config: ResolvedConfig): Promise<SourceSetup> {
  const index = config.rag.sources.findIndex((source) => source.name === name);
  const settings = config.rag.sources[index];
  if (settings === undefined)
    throw new RAGError('USAGE', `There is no source "${name}" in the configuration.`);
  return createSource(settings, `rag.sources[${index}]`, config);
}

async function createSource(
  settings: ResolvedSource,
  key: string,
  config: ResolvedConfig,
): Promise<SourceSetup> {
  await resolveSecrets(settings, ['rag', 'sources', config.rag.sources.indexOf(settings)], config);
  switch (settings.type) {
    case 'markdown': {
      const { createMarkdownSource } = await import('../sources/markdown/markdown-source.js');
      const source = createMarkdownSource({
        ...fileSelection(settings, config),
        metadata: settings.metadata,
      });
      const { frontmatterFields } = settings;
      return {
        source,
        sourceType: sourceTypeOf(settings.metadata, 'markdown'),
        chunking: chunkingOf(settings, source, config),
        ...(frontmatterFields === undefined ? {} : { frontmatterFields }),
      };
    }
    case 'files': {
      const { createFilesSource } = await import('../sources/files/files-source.js');
      const { frontmatterFields, generated, metadata } = settings;
      const stated = typeof metadata.sourceType === 'string' ? { sourceType: metadata.sourceType } : {};
      const source = createFilesSource({
        ...fileSelection(settings, config),
        metadata,
        generated,
        ...stated,
      });
      return {
        source,
        sourceType: sourceTypeOf(metadata, 'files'),
        chunking: chunkingOf(settings, source, config),
        ...(frontmatterFields === undefined ? {} : { frontmatterFields }),
      };
    }
    case 'pbi_json': {
      const { createPbiJsonSource } = await import('../sources/pbi-json/pbi-json-source.js');
      const { extractors, ...metadata } = settings.metadata;
      const schema = settings.loader?.schema;
      const source = createPbiJsonSource({
        ...fileSelection(settings, config),
        metadata,
        ...(schema === undefined ? {} : { schema }),
        ...(extractors === undefined ? {} : { extractors }),
      });
      return {
        source,
        sourceType: sourceTypeOf(metadata, 'pbi'),
        chunking: chunkingOf(settings, source, config),
      };
    }
    case 'git': {
      const { createGitSource } = await import('../sources/git/git-source.js');
      const source = createGitSource(gitSourceOptions(settings, config));
      const { frontmatterFields } = settings;
      return {
        source,
        sourceType: sourceTypeOf(settings.metadata, 'git'),
        chunking: chunkingOf(settings, source, config),
        ...(frontmatterFields === undefined ? {} : { frontmatterFields }),
      };
    }
    case 'sql': {
      const { createSqlSource } = await import('../sources/sql/sql-source.js');
      const source = createSqlSource(sqlSourceOptions(settings, key, config));
      return {
        source,
        sourceType: sourceTypeOf(settings.metadata, settings.template ?? 'sql'),
        chunking: chunkingOf(settings, source, config),
      };
    }
    case 'confluence': {
      const { createConfluenceSource } = await import('../sources/confluence/confluence-source.js');
      const source = createConfluenceSource(confluenceOptions(settings, key, config));
      return {
        source,
        sourceType: sourceTypeOf(settings.metadata, 'confluence'),
        chunking: chunkingOf(settings, source, config),
      };
    }
    case 'azure_devops': {
      const { createAzureDevOpsSource } = await import('../sources/azure-devops/azure-devops-source.js');
      const source = createAzureDevOpsSource(azureDevOpsOptions(settings, key));
      return {
        source,
        sourceType: sourceTypeOf(settings.metadata, 'azure_devops'),
        chunking: chunkingOf(settings, source, config),
      };
    }
  }
}

type FileSource = Extract<ResolvedSource, { type: 'markdown' | 'files' | 'pbi_json' }>;

const fileSelection = (settings: FileSource, config: ResolvedConfig) => ({
  name: settings.name,
  root: settings.root,
  include: settings.paths,
  exclude: settings.exclude,
  gitignore: settings.gitignore,
  hidden: settings.hidden,
  followSymlinks: settings.followSymlinks,
  maxFileBytes: settings.maxFileBytes ?? config.rag.limits.maxFileBytes,
});

const sourceTypeOf = (metadata: Readonly<Record<string, unknown>>, fallback: string): string =>
  typeof metadata.sourceType === 'string' ? metadata.sourceType : fallback;

/** A stated strategy holds; else the source's preferred one. */
function chunkingOf(settings: ResolvedSource, source: Source, config: ResolvedConfig): ChunkingOptions {
  const chunking = settings.chunking ?? config.rag.chunking;
  const preferred = CHUNKING_STRATEGIES.find((strategy) => strategy === source.preferredChunking);
  const isStated = config.origins.has(
    `rag.sources[${config.rag.sources.indexOf(settings)}].chunking.strategy`,
  );
  return preferred === undefined || isStated ? chunking : { ...chunking, strategy: preferred };
}

const CHUNKING_STRATEGIES = ['semantic', 'adaptive', 'recursive', 'fixed', 'pbi_aware', 'whole'] as const;
