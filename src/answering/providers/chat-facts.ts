import { isOwnServer, PROVIDER_NAMES, type ProviderName } from '../../platform/providers/provider-table.js';

/** US dollars for a million tokens. */
export interface ChatPrice {
  readonly input: number;
  readonly output: number;
}

/** What input costs that the provider kept, or begins to keep, as shares of the price of input. */
export interface CacheShares {
  readonly read: number;
  readonly write: number;
}

/** Anthropic's are published (docs/models.md); elsewhere kept input counts in full, so that a cost is never understated. */
export const cacheSharesOf = (provider: string): CacheShares =>
  provider === 'anthropic' ? { read: 0.1, write: 1.25 } : { read: 1, write: 1 };

export interface ChatFacts {
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  readonly price?: ChatPrice;
}

// Windows are lower bounds for a family: later members of some have more. Prices change, so only those that were read on their
// provider's page stand here (docs/models.md says which and when); all others are the user's to state.
const KNOWN: readonly (readonly [name: RegExp, facts: ChatFacts])[] = [
  [/^claude-haiku-4-5/, { contextWindow: 200_000, price: { input: 1, output: 5 } }],
  [/^claude-/, { contextWindow: 200_000 }],
  [/^gpt-5/, { contextWindow: 400_000 }],
  [/^gpt-4\.1/, { contextWindow: 1_047_576 }],
  [/^gpt-4o/, { contextWindow: 128_000 }],
  [/^gemini-/, { contextWindow: 1_048_576 }],
];

// What Ollama gives a model by default; asking for more takes a setting of the server.
const OLLAMA_WINDOW = 4096;
const UNKNOWN_WINDOW = 8192;

const FREE: ChatPrice = { input: 0, output: 0 };
const NAMES_MODELS: ReadonlySet<ProviderName> = new Set(['anthropic', 'openai', 'azure', 'google']);

/** What is known of a model of the AI SDK, whose provider (`anthropic.messages`) is that of a package. */
export function sdkChatFactsOf(provider: string, model: string): ChatFacts {
  const [service = ''] = provider.split('.');
  const known = PROVIDER_NAMES.find((name) => name === service);
  return known === undefined ? { contextWindow: UNKNOWN_WINDOW } : chatFactsOf(known, model);
}

/** What is known of a model by its name. An Azure deployment is known where it is named after its model, as most are. */
export function chatFactsOf(provider: ProviderName, model: string): ChatFacts {
  const known = NAMES_MODELS.has(provider) ? KNOWN.find(([name]) => name.test(model))?.[1] : undefined;
  if (known !== undefined) return known;
  const contextWindow = provider === 'ollama' ? OLLAMA_WINDOW : UNKNOWN_WINDOW;
  return isOwnServer(provider) ? { contextWindow, price: FREE } : { contextWindow };
}
