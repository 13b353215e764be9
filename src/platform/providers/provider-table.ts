/** Services that run models behind HTTP, and what reaching one takes. */
export interface ProviderFacts {
  /** Name for people. */
  readonly label: string;
  /** Environment variables that hold the key, the usual one first; empty where none is needed. */
  readonly keyVariables: readonly string[];
  /** The optional package that speaks its wire format, as `npm install` takes it; absent where plain HTTP does. */
  readonly install?: string;
  /** Address where the configuration states none; absent where the package knows it, or where none can be guessed. */
  readonly baseUrl?: string;
  readonly serves: readonly ModelRole[];
}

/** What a model is for. */
export type ModelRole = 'chat' | 'embedding' | 'reranking';

const compatible = {
  keyVariables: [],
  install: '@ai-sdk/openai-compatible@2.0.87',
  serves: ['chat', 'embedding', 'reranking'],
} as const;

/** By the prefix of a model's name (`openai:text-embedding-3-small`). Versions are those that the package's peers state. */
export const PROVIDERS = {
  anthropic: {
    label: 'Anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    install: '@ai-sdk/anthropic@3.0.138',
    serves: ['chat'],
  },
  openai: {
    label: 'OpenAI',
    keyVariables: ['OPENAI_API_KEY'],
    install: '@ai-sdk/openai@3.0.141',
    serves: ['chat', 'embedding'],
  },
  azure: {
    label: 'Azure OpenAI',
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    install: '@ai-sdk/azure@3.0.128',
    serves: ['chat', 'embedding'],
  },
  google: {
    label: 'Google',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    install: '@ai-sdk/google@3.0.141',
    serves: ['chat', 'embedding'],
  },
  cohere: {
    label: 'Cohere',
    keyVariables: ['COHERE_API_KEY'],
    install: '@ai-sdk/cohere@3.0.63',
    baseUrl: 'https://api.cohere.com/v2',
    serves: ['embedding', 'reranking'],
  },
  voyage: {
    label: 'Voyage AI',
    keyVariables: ['VOYAGE_API_KEY'],
    install: 'voyage-ai-provider@4.0.0',
    baseUrl: 'https://api.voyageai.com/v1',
    serves: ['embedding', 'reranking'],
  },
  jina: {
    label: 'Jina AI',
    keyVariables: ['JINA_API_KEY'],
    baseUrl: 'https://api.jina.ai/v1',
    serves: ['reranking'],
  },
  huggingface: {
    label: 'Hugging Face',
    keyVariables: ['HF_TOKEN'],
    baseUrl: 'https://router.huggingface.co/hf-inference',
    serves: ['embedding'],
  },
  ollama: { ...compatible, label: 'Ollama', baseUrl: 'http://localhost:11434/v1' },
  vllm: { ...compatible, label: 'vLLM', baseUrl: 'http://localhost:8000/v1' },
  lmstudio: { ...compatible, label: 'LM Studio', baseUrl: 'http://localhost:1234/v1' },
  'openai-compatible': { ...compatible, label: 'the OpenAI-compatible server' },
} as const satisfies Record<string, ProviderFacts>;

export type ProviderName = keyof typeof PROVIDERS;

/** Every provider's name, in the order of the table. */
export const PROVIDER_NAMES: readonly ProviderName[] = Object.keys(PROVIDERS).filter(isProviderName);

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/** The facts of one provider, with their optional fields. */
export const factsOf = (name: ProviderName): ProviderFacts => PROVIDERS[name];

/** True for servers that people run themselves, whose tokens have no price. A gateway that is merely compatible may have one. */
export const isOwnServer = (name: ProviderName): boolean =>
  name === 'ollama' || name === 'vllm' || name === 'lmstudio';

/** `openai:gpt-5` as provider and model; undefined where no provider's prefix stands before the first colon. */
export function splitModelName(
  stated: string,
): { readonly provider: ProviderName; readonly model: string } | undefined {
  const colon = stated.indexOf(':');
  const provider = stated.slice(0, Math.max(0, colon));
  const model = stated.slice(colon + 1);
  return isProviderName(provider) && model !== '' ? { provider, model } : undefined;
}
