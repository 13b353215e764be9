import { RAGError } from '../../core/errors.js';
import type { ChatModel } from '../chat-model.js';
import { chatFactsOf } from './chat-facts.js';
import { HostedChatModel, type HostedChatModelOptions } from './hosted-chat-model.js';
import { openLanguageModel } from './language-model.js';

/** As `HostedChatModelOptions`; what is left out is known of the model, or has a default. */
export type OpenChatModelOptions = Pick<HostedChatModelOptions, 'connection' | 'model'> &
  Partial<Omit<HostedChatModelOptions, 'languageModel'>>;

const DEFAULTS = {
  maxOutputTokens: 1024,
  temperature: 0,
  maxRetries: 5,
  firstTokenTimeoutMs: 30_000,
  timeoutMs: 120_000,
} as const;

/**
 * Opens a hosted language model, or one behind an OpenAI-compatible server. Nothing is sent before the first request.
 *
 * @throws RAGError `PACKAGE_MISSING`; `CONFIG_INVALID` for a spend limit on a model whose price is not known.
 */
export async function openChatModel(options: OpenChatModelOptions): Promise<ChatModel> {
  const { connection, model } = options;
  const facts = chatFactsOf(connection.provider, model);
  const price = options.price ?? facts.price;
  if (options.limits?.maxCost !== undefined && price === undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      `rag.chat.limits.maxCost needs a price, and that of ${connection.provider}:${model} is not known. Set rag.chat.price.`,
      { details: { key: 'rag.chat.price' } },
    );
  const languageModel = await openLanguageModel(connection, model);
  return new HostedChatModel({
    ...DEFAULTS,
    contextWindow: facts.contextWindow,
    ...options,
    languageModel,
    ...(price === undefined ? {} : { price }),
  });
}
