import type { AnthropicProvider } from '@ai-sdk/anthropic';
import { RAGError } from '../../core/errors.js';
import { loadProviderPackage } from '../../platform/providers/load-provider-package.js';
import {
  azureFactoryOptions,
  type ProviderConnection,
  sharedFactoryOptions,
} from '../../platform/providers/provider-connection.js';
import { factsOf } from '../../platform/providers/provider-table.js';

/**
 * A model behind the AI SDK's language model specification, version 3. It is called directly, below `ai`: retries, timeouts
 * and limits are ours, and one layer of them is enough.
 */
export type LanguageModel = ReturnType<AnthropicProvider['languageModel']>;

/**
 * Opens a language model of a provider; nothing is sent. OpenAI's models are reached over chat completions, which, unlike
 * responses, keep nothing at the provider unless asked to.
 *
 * @throws RAGError `PACKAGE_MISSING` with the command that installs what is needed.
 */
export async function openLanguageModel(
  connection: ProviderConnection,
  model: string,
): Promise<LanguageModel> {
  const { provider } = connection;
  const options = sharedFactoryOptions(connection);
  const load = <T>(work: () => Promise<T>): Promise<T> => loadProviderPackage(provider, work);
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await load(() => import('@ai-sdk/anthropic'));
      return createAnthropic(options).languageModel(model);
    }
    case 'openai': {
      const { createOpenAI } = await load(() => import('@ai-sdk/openai'));
      return createOpenAI(options).chat(model);
    }
    case 'azure': {
      const { createAzure } = await load(() => import('@ai-sdk/azure'));
      return createAzure(azureFactoryOptions(connection)).chat(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await load(() => import('@ai-sdk/google'));
      return createGoogleGenerativeAI(options).languageModel(model);
    }
    case 'ollama':
    case 'vllm':
    case 'lmstudio':
    case 'openai-compatible': {
      const { createOpenAICompatible } = await load(() => import('@ai-sdk/openai-compatible'));
      return createOpenAICompatible({
        ...options,
        name: provider,
        baseURL: connection.baseUrl ?? '',
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(model);
    }
    case 'cohere':
    case 'voyage':
    case 'jina':
    case 'huggingface':
      throw new RAGError(
        'CONFIG_INVALID',
        `Language models of ${factsOf(provider).label} are not supported. Use another provider.`,
      );
  }
}
