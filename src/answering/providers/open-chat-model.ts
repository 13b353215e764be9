import type { ChatModel } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import type { CallLimits } from '../../platform/providers/call-limiter.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import { type SdkLanguageModel, sdkModelId } from '../sdk-language-model.js';
import { type CalledModel, calledModel } from './chat-error.js';
import { type ChatFacts, cacheSharesOf, chatFactsOf, sdkChatFactsOf } from './chat-facts.js';
import { HostedChatModel, type HostedChatModelOptions } from './hosted-chat-model.js';
import { type LanguageModel, openLanguageModel } from './language-model.js';
import { asLanguageModel } from './sdk-versions.js';

/** As `HostedChatModelOptions`; what is left out is known of the model, or has a default. */
type Known = 'languageModel' | 'model' | 'cacheShares' | 'contextWindow';
export type ChatModelSettings = Partial<Omit<HostedChatModelOptions, Known>> & {
  readonly contextWindow?: number | undefined;
};

export interface OpenChatModelOptions extends ChatModelSettings {
  readonly connection: ProviderConnection;
  /** As the provider names it. */
  readonly model: string;
}

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
export async function openChatModel({
  connection,
  model: name,
  ...settings
}: OpenChatModelOptions): Promise<ChatModel> {
  const { provider } = connection;
  const model = calledModel(connection, name);
  return chatModelOver(model, {
    settings,
    provider,
    facts: chatFactsOf(provider, name),
    open: () => openLanguageModel(connection, name),
  });
}

/**
 * A language model of the AI SDK, which a program has made, as a `ChatModel`. Nothing is sent before the first request.
 *
 * @throws RAGError `USAGE` for a specification that is not known; `CONFIG_INVALID` as `openChatModel`.
 */
export function openSdkChatModel(given: SdkLanguageModel, settings: ChatModelSettings): Promise<ChatModel> {
  const { provider, modelId } = given;
  const model: CalledModel = {
    id: sdkModelId(given),
    label: 'The language model that was handed in',
    // Its key is inside the package that made it.
    secrets: [],
    remedyFor: ({ kind }) =>
      kind === 'rejected' ? ' Check the key and the name that the model was made with.' : '',
  };
  return chatModelOver(model, {
    settings,
    provider: provider.split('.')[0] ?? provider,
    facts: sdkChatFactsOf(provider, modelId),
    open: async () => asLanguageModel(given),
  });
}

async function chatModelOver(
  model: CalledModel,
  {
    settings,
    provider,
    facts,
    open,
  }: {
    readonly settings: ChatModelSettings;
    readonly provider: string;
    readonly facts: ChatFacts;
    readonly open: () => Promise<LanguageModel>;
  },
): Promise<ChatModel> {
  const price = settings.price ?? facts.price;
  assertPrice(settings.limits, price, model);
  return new HostedChatModel({
    ...DEFAULTS,
    ...settings,
    contextWindow: settings.contextWindow ?? facts.contextWindow,
    model,
    languageModel: await open(),
    cacheShares: cacheSharesOf(provider),
    price,
  });
}

function assertPrice(limits: CallLimits | undefined, price: ChatFacts['price'], { id }: CalledModel): void {
  if (limits?.maxCost === undefined || price !== undefined) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.chat.limits.maxCost needs a price, and that of ${id} is not known. Set rag.chat.price.`,
    { details: { key: 'rag.chat.price' } },
  );
}
