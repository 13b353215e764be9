import type { OpenAIProvider } from '@ai-sdk/openai';
import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { loadProviderPackage } from '../../platform/providers/load-provider-package.js';
import { postJson } from '../../platform/providers/post-json.js';
import {
  azureFactoryOptions,
  type ProviderConnection,
  sharedFactoryOptions,
} from '../../platform/providers/provider-connection.js';
import { factsOf } from '../../platform/providers/provider-table.js';
import type { EmbeddingKind } from '../embedder.js';
import type { EmbeddingApi } from './embedding-api.js';

/** A model behind the AI SDK's embedding model specification, version 3; called directly, for retries and batches are `embedAll`'s. */
type EmbeddingModel = ReturnType<OpenAIProvider['embeddingModel']>;
type ProviderOptions = NonNullable<Parameters<EmbeddingModel['doEmbed']>[0]['providerOptions']>;

/**
 * Opens the embedding service of a provider; nothing is sent.
 *
 * @param dimensions asked of the provider, where it can shorten vectors.
 * @throws RAGError `PACKAGE_MISSING` with the command that installs what is needed.
 */
export async function openEmbeddingApi(
  connection: ProviderConnection,
  model: string,
  dimensions: number | undefined,
): Promise<EmbeddingApi> {
  const { provider } = connection;
  const options = sharedFactoryOptions(connection);
  const load = <T>(work: () => Promise<T>): Promise<T> => loadProviderPackage(provider, work);
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await load(() => import('@ai-sdk/openai'));
      return over(createOpenAI(options).embeddingModel(model), '', () => ({
        openai: withoutUndefined({ dimensions }),
      }));
    }
    case 'azure': {
      const { createAzure } = await load(() => import('@ai-sdk/azure'));
      const azure = createAzure(azureFactoryOptions(connection));
      return over(azure.embeddingModel(model), '', () => ({ openai: withoutUndefined({ dimensions }) }));
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await load(() => import('@ai-sdk/google'));
      return over(createGoogleGenerativeAI(options).embeddingModel(model), 'taskType', (kind) => ({
        google: {
          taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
          ...withoutUndefined({ outputDimensionality: dimensions }),
        },
      }));
    }
    case 'cohere': {
      const { createCohere } = await load(() => import('@ai-sdk/cohere'));
      return over(createCohere(options).embeddingModel(model), 'input_type', (kind) => ({
        cohere: {
          inputType: kind === 'query' ? 'search_query' : 'search_document',
          truncate: 'END',
          ...withoutUndefined({ outputDimension: dimensions }),
        },
      }));
    }
    case 'voyage': {
      const { createVoyage } = await load(() => import('voyage-ai-provider'));
      return over(createVoyage(options).embeddingModel(model), 'input_type', (kind) => ({
        voyage: { inputType: kind, truncation: true, ...withoutUndefined({ outputDimension: dimensions }) },
      }));
    }
    case 'ollama':
    case 'vllm':
    case 'lmstudio':
    case 'openai-compatible': {
      const { createOpenAICompatible } = await load(() => import('@ai-sdk/openai-compatible'));
      const baseURL = connection.baseUrl ?? '';
      const server = createOpenAICompatible({ ...options, name: provider, baseURL });
      // Many such servers refuse `dimensions`, so they are never sent it; what comes back is checked.
      return over(server.embeddingModel(model), '', () => ({}));
    }
    case 'huggingface':
      return huggingFaceApi(connection, model);
    case 'anthropic':
    case 'jina':
      throw new RAGError(
        'CONFIG_INVALID',
        `Embedding models of ${factsOf(provider).label} are not supported. Use another provider.`,
      );
  }
}

const vectors = z.array(z.array(z.number()).min(1));

/**
 * Hugging Face inference, task "feature extraction": https://huggingface.co/docs/inference-providers/tasks/feature-extraction.
 * The AI SDK's package for Hugging Face has no embeddings.
 */
function huggingFaceApi({ apiKey, baseUrl = '', headers }: ProviderConnection, model: string): EmbeddingApi {
  const url = `${baseUrl}/models/${model}/pipeline/feature-extraction`;
  return {
    inputTypes: '',
    embed: async (texts, _kind, signal) => {
      const body = { inputs: texts, normalize: true, truncate: true };
      return { vectors: vectors.parse(await postJson(url, body, { apiKey, headers, signal })) };
    },
  };
}

function over(
  model: EmbeddingModel,
  inputTypes: string,
  optionsOf: (kind: EmbeddingKind) => ProviderOptions,
): EmbeddingApi {
  return {
    inputTypes,
    embed: async (texts, kind, signal) => {
      const { embeddings, usage } = await model.doEmbed({
        values: [...texts],
        providerOptions: optionsOf(kind),
        abortSignal: signal,
      });
      return { vectors: embeddings, ...(usage === undefined ? {} : { tokens: usage.tokens }) };
    },
  };
}
