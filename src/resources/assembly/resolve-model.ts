import { join, resolve } from 'node:path';
import { isFolder, listModels, missingModelParts, modelCacheDir } from '../../config/models.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import type { DownloadOptions } from '../../embedding/transformers/find-model-folder.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import { ownChatModelId } from './own-parts.js';
import { fetchModelSecrets, type ResolvedHostedModel, resolveHostedModel } from './resolve-provider.js';

/** Which embedding model a configuration comes down to on this machine. */
export type ResolvedModel =
  | {
      readonly kind: 'builtin' /** Why it stands in for another model; absent where it was chosen. */;
      readonly notice?: string;
    }
  | ({ readonly kind: 'onnx' } & LocalModel)
  | ({ readonly kind: 'transformers' } & LocalModel)
  | ({ readonly kind: 'hosted' } & ResolvedHostedModel);

/** An ONNX model of this machine, or one to fetch. */
export interface LocalModel {
  /** Absolute folder, or hub id. */
  readonly model: string;
  readonly isRemote: boolean;
}

/** Where a model of this machine is, or is fetched from and to. */
export function localModelOptions(
  { model, isRemote }: LocalModel,
  config: ResolvedConfig,
): DownloadOptions & { readonly model: string } {
  const { HF_TOKEN: token, HF_ENDPOINT: remoteHost } = config.environment;
  return {
    model,
    allowRemote: isRemote,
    cacheDir: modelCacheDir(config.dataDir),
    ...(token === undefined || !isRemote ? {} : { token }),
    ...(remoteHost === undefined ? {} : { remoteHost }),
  };
}

const LOCAL = /^(?:(onnx|transformers):)?(.*)$/s;

/** Services that have embedding models and that this version does not speak to. */
const NOT_BUILT = /^(mistral|bedrock):/;

/**
 * Finds the configured embedding model: `builtin`; a folder (relative to the project); a model added with `ragstone model
 * add` or fetched before; a hosted one by its provider's prefix; and, where downloads are allowed, a hub id. What cannot be found becomes `builtin` with a notice,
 * or an error, as `embedding.fallback` says.
 *
 * @param key the setting that names it, for errors
 * @throws RAGError `MODEL_NOT_FOUND`; `CONFIG_NOT_BUILT` for a service that is not built; see `resolveHostedModel`.
 */
export async function resolveEmbeddingModel(
  config: ResolvedConfig,
  key = 'rag.embedding.model',
): Promise<ResolvedModel> {
  const { model: stated, allowRemote, fallback } = config.rag.embedding;
  if (stated === 'builtin') return { kind: 'builtin' };
  if (splitModelName(stated) !== undefined) {
    await fetchModelSecrets(stated, config);
    return {
      kind: 'hosted',
      ...resolveHostedModel(stated, 'embedding', { config, key }),
    };
  }
  if (NOT_BUILT.test(stated))
    throw new RAGError(
      'CONFIG_NOT_BUILT',
      `${key}: models of this service ("${stated}") are not built yet; use another, or its OpenAI-compatible address with openai-compatible:NAME.`,
      { details: { key } },
    );
  const [, prefix, name = stated] = LOCAL.exec(stated) ?? [];
  const kind = prefix === 'onnx' ? 'onnx' : 'transformers';
  const folder = await findLocalModel(name, config);
  if (folder !== undefined) return { kind, model: folder, isRemote: false };
  if (allowRemote) return { kind, model: hubIdOf(name), isRemote: true };
  const problem = `the model "${name}" is not on this machine and downloads are off`;
  const remedy =
    'Run "ragstone model use NAME", which fetches it, "ragstone model add PATH" with its folder, or set rag.embedding.allowRemote: true';
  if (fallback === 'error')
    throw new RAGError('MODEL_NOT_FOUND', `${key}: ${problem}. ${remedy}.`, {
      details: { key, model: name },
    });
  return {
    kind: 'builtin',
    notice: `rag.embedding.model: ${problem}, so the built-in model is used instead. ${remedy}; then "ragstone index --force".`,
  };
}

/** The folder of a model on this machine: the path itself, a model that was added by name, or one fetched before. */
export async function findLocalModel(name: string, config: ResolvedConfig): Promise<string | undefined> {
  const path = resolve(config.projectRoot, name);
  if (await isFolder(path)) return path;
  const lastPart = name.split('/').at(-1);
  const added = (await listModels(config.dataDir)).find((model) => model.name === lastPart && model.isUsable);
  if (added !== undefined) return added.path;
  if (name.includes('..')) return undefined;
  for (const id of [name, hubIdOf(name)]) {
    const cached = join(modelCacheDir(config.dataDir), ...id.split('/'));
    if ((await isFolder(cached)) && (await missingModelParts(cached)).length === 0) return cached;
  }
  return undefined;
}

/** A name without an owner means the sentence-transformers organisation, as that library has it. */
const hubIdOf = (name: string): string => (name.includes('/') ? name : `sentence-transformers/${name}`);

/** A language model as the configuration states it, and the setting that complaints name. */
interface StatedModel {
  /** `provider:model` */
  readonly model: string;
  readonly key: string;
  /** It is the model that was handed in as an object. */
  readonly isOwn?: boolean;
}

/**
 * The language model that writes contexts of chunks (`rag.indexing.contextual`): its own, or that of `rag.chat`; undefined
 * where contexts are off.
 *
 * @throws RAGError `CONFIG_INVALID` where they are on and no language model is configured.
 */
export function resolveContextModel(config: ResolvedConfig): StatedModel | undefined {
  const { enabled, model: stated } = config.rag.indexing.contextual;
  const key = 'rag.indexing.contextual.model';
  if (!enabled) return undefined;
  const model = contextModelName(config);
  const isOwn = stated === undefined && config.own?.chatModel !== undefined;
  if (model !== undefined) return { model, key, isOwn };
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.indexing.contextual is on and no language model is configured. Set rag.chat.model or ${key}.`,
    { details: { key } },
  );
}

/** Its name, whether contexts are on or off; undefined where there is none. */
export const contextModelName = (config: ResolvedConfig): string | undefined =>
  config.rag.indexing.contextual.model ?? ownChatModelId(config) ?? config.rag.chat.model;
