import * as z from 'zod';
import { postJson } from '../../providers/post-json.js';
import type { ProviderConnection } from '../../providers/provider-connection.js';
import type { EmbeddingApi } from './embedding-api.js';

const vectors = z.array(z.array(z.number()).min(1));

/**
 * Hugging Face inference, task "feature extraction": https://huggingface.co/docs/inference-providers/tasks/feature-extraction.
 * The AI SDK's package for Hugging Face has no embeddings.
 */
export function huggingFaceApi(
  { apiKey, baseUrl = '', headers }: ProviderConnection,
  model: string,
): EmbeddingApi {
  const url = `${baseUrl}/models/${model}/pipeline/feature-extraction`;
  return {
    inputTypes: '',
    embed: async (texts, _kind, signal) => {
      const body = { inputs: texts, normalize: true, truncate: true };
      return { vectors: vectors.parse(await postJson(url, body, { apiKey, headers, signal })) };
    },
  };
}
