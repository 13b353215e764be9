import type { ProviderConnection } from '../../../src/platform/providers/provider-connection.js';
import { anthropicWire } from './anthropic-wire.js';
import type { ChatWire } from './chat-wire.js';
import { googleWire } from './google-wire.js';
import { azureWire, compatibleWire, openaiWire } from './openai-wire.js';

/** One provider of language models and how its local stand-in is reached. */
export interface ChatProvider {
  readonly wire: ChatWire;
  readonly provider: ProviderConnection['provider'];
  readonly model: string;
  readonly basePath: string;
  readonly isKeyed: boolean;
}

/** Every provider of language models, by the name that a person calls it. */
export const CHAT_PROVIDERS: readonly (readonly [name: string, facts: ChatProvider])[] = [
  [
    'Anthropic',
    {
      wire: anthropicWire,
      provider: 'anthropic',
      model: 'claude-haiku-4-5-20251001',
      basePath: '/v1',
      isKeyed: true,
    },
  ],
  ['OpenAI', { wire: openaiWire, provider: 'openai', model: 'gpt-4o-mini', basePath: '/v1', isKeyed: true }],
  [
    'Azure OpenAI',
    { wire: azureWire, provider: 'azure', model: 'gpt-4o-mini', basePath: '/openai/v1', isKeyed: true },
  ],
  [
    'Google',
    {
      wire: googleWire,
      provider: 'google',
      model: 'gemini-2.5-flash',
      basePath: '/v1beta',
      isKeyed: true,
    },
  ],
  [
    'an OpenAI-compatible server',
    { wire: compatibleWire, provider: 'ollama', model: 'llama3.2', basePath: '/v1', isKeyed: false },
  ],
];
