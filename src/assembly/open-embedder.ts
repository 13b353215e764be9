import { modelCacheDir } from '../config/models.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import type { Embedder } from '../embedding/embedder.js';
import type { HostedEmbedderOptions } from '../embedding/hosted/hosted-embedder.js';
import { borrowed } from './own-parts.js';
import { type ResolvedModel, resolveEmbeddingModel } from './resolve-model.js';

/** An embedder, and what a person must know about how it was chosen. */
export interface ConfiguredEmbedder {
  readonly embedder: Embedder;
  readonly notices: readonly string[];
}

type Openers = {
  readonly [Kind in ResolvedModel['kind']]: (
    model: Extract<ResolvedModel, { kind: Kind }>,
    config: ResolvedConfig,
  ) => Promise<Embedder>;
};

/** How a model of each kind is opened; its code is loaded then. */
const OPENERS: Openers = {
  builtin: async () => {
    const { createStaticEmbedder } = await import('../embedding/static/static-embedder.js');
    return createStaticEmbedder();
  },
  hosted: async (model, config) => {
    const { createHostedEmbedder } = await import('../embedding/hosted/hosted-embedder.js');
    return createHostedEmbedder({ ...model, ...hostedEmbedderSettings(config) });
  },
  transformers: async (model, config) => {
    const { createTransformersEmbedder } = await import('../embedding/transformers/transformers-embedder.js');
    const { batchSize, device, queryPrefix, documentPrefix } = config.rag.embedding;
    const token = config.environment.HF_TOKEN;
    return createTransformersEmbedder({
      model: model.model,
      allowRemote: model.isRemote,
      cacheDir: modelCacheDir(config.dataDir),
      device,
      ...(batchSize === undefined ? {} : { batchSize }),
      ...(queryPrefix === undefined ? {} : { queryPrefix }),
      ...(documentPrefix === undefined ? {} : { documentPrefix }),
      ...(token === undefined || !model.isRemote ? {} : { token }),
    });
  },
};

/**
 * Opens the configured embedding model, or takes the one that was handed in; see `resolveEmbeddingModel`.
 *
 * @throws RAGError also `CONFIG_INVALID` where `embedding.dimensions` states another length than the chosen model has.
 */
export async function createEmbedderFor(config: ResolvedConfig): Promise<ConfiguredEmbedder> {
  if (config.own?.embedder !== undefined)
    return { embedder: checkDimensions(borrowed(config.own.embedder), config), notices: [] };
  const model = await resolveEmbeddingModel(config);
  const open = OPENERS[model.kind] as (model: ResolvedModel, config: ResolvedConfig) => Promise<Embedder>;
  const embedder = await open(model, config);
  // What stands in for another model has dimensions of its own.
  if (model.kind === 'builtin' && model.notice !== undefined) return { embedder, notices: [model.notice] };
  return { embedder: checkDimensions(embedder, config), notices: [] };
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

function checkDimensions(embedder: Embedder, config: ResolvedConfig): Embedder {
  const stated = config.rag.embedding.dimensions;
  if (stated === undefined || stated === embedder.dimensions) return embedder;
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.embedding.dimensions is ${stated}, but ${embedder.identity.model} makes vectors of ${embedder.dimensions}. Correct it, or leave it out.`,
    { details: { key: 'rag.embedding.dimensions', expected: stated, actual: embedder.dimensions } },
  );
}
