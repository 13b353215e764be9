import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { HostedEmbedderOptions } from '../../embedding/hosted/hosted-embedder.js';
import type { TransformersEmbedderOptions } from '../../embedding/transformers/transformers-embedder.js';

import { borrowed } from './own-parts.js';
import {
  type LocalModel,
  localModelOptions,
  type ResolvedModel,
  resolveEmbeddingModel,
} from './resolve-model.js';

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
    const { createStaticEmbedder } = await import('../../embedding/static/static-embedder.js');
    return createStaticEmbedder();
  },
  hosted: async (model, config) => {
    const { createHostedEmbedder } = await import('../../embedding/hosted/hosted-embedder.js');
    return createHostedEmbedder({ ...model, ...hostedEmbedderSettings(config) });
  },
  onnx: async (model, config) => {
    const { createBertEmbedder } = await import('../../embedding/transformers/bert-embedder.js');
    return createBertEmbedder(localOptions(model, config));
  },
  transformers: async (model, config) => {
    const { createTransformersEmbedder } = await import(
      '../../embedding/transformers/transformers-embedder.js'
    );
    return createTransformersEmbedder(localOptions(model, config));
  },
};

function localOptions(model: LocalModel, config: ResolvedConfig): TransformersEmbedderOptions {
  const { batchSize, device, queryPrefix, documentPrefix, sha256 } = config.rag.embedding;
  return {
    ...localModelOptions(model, config),
    device,
    ...withoutUndefined({ batchSize, queryPrefix, documentPrefix, sha256 }),
  };
}

/**
 * A model for much work that nobody waits for: one of this machine runs in a thread of its own, behind everything else. What cannot be
 * found is an error, whatever `embedding.fallback` says.
 *
 * @param key the setting or option that names the model, for errors
 */
export async function createBackgroundEmbedderFor(config: ResolvedConfig, key: string): Promise<Embedder> {
  const { rag } = config;
  const strict: ResolvedConfig = {
    ...config,
    rag: { ...rag, embedding: { ...rag.embedding, fallback: 'error' } },
  };
  const model = await resolveEmbeddingModel(strict, key);
  if (model.kind === 'onnx') {
    const { createBertEmbedder } = await import('../../embedding/transformers/bert-embedder.js');
    return createBertEmbedder({ ...localOptions(model, strict), isBackground: true });
  }
  if (model.kind !== 'transformers') return openModel(model, strict);
  const { createBackgroundEmbedder } = await import('../../embedding/transformers/background-embedder.js');
  return createBackgroundEmbedder(localOptions(model, strict));
}

/**
 * Opens the configured embedding model, or takes the one that was handed in; see `resolveEmbeddingModel`.
 *
 * @throws RAGError also `CONFIG_INVALID` where `embedding.dimensions` states another length than the chosen model has.
 */
export async function createEmbedderFor(config: ResolvedConfig): Promise<ConfiguredEmbedder> {
  if (config.own?.embedder !== undefined)
    return { embedder: checkDimensions(borrowed(config.own.embedder), config), notices: [] };
  const model = await resolveEmbeddingModel(config);
  const embedder = await openModel(model, config);
  // What stands in for another model has dimensions of its own.
  if (model.kind === 'builtin' && model.notice !== undefined) return { embedder, notices: [model.notice] };
  return { embedder: checkDimensions(embedder, config), notices: [] };
}

function openModel(model: ResolvedModel, config: ResolvedConfig): Promise<Embedder> {
  const open = OPENERS[model.kind] as (model: ResolvedModel, config: ResolvedConfig) => Promise<Embedder>;
  return open(model, config);
}

function hostedEmbedderSettings({ rag }: ResolvedConfig): Partial<HostedEmbedderOptions> {
  const { dimensions, batchSize, queryPrefix, documentPrefix, maxInputTokens, timeoutMs, price, limits } =
    rag.embedding;
  return {
    timeoutMs,
    limits,
    ...withoutUndefined({ dimensions, batchSize, queryPrefix, documentPrefix, maxInputTokens, price }),
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
