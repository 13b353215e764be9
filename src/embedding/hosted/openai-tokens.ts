import { estimateTokens } from '../../providers/estimate-tokens.js';
import type { ProviderName } from '../../providers/provider-table.js';

/** Counts and cuts texts in a model's own tokens. */
export interface TokenTools {
  readonly isExact: boolean;
  count(text: string): number;
  /** The longest beginning of a text that holds at most so many tokens. */
  cut(text: string, maxTokens: number): string;
}

// Without a tokenizer: hexadecimal and base64 come to about two bytes a token, and a text that is refused for its length
// would fail its whole batch.
const CUT_BYTES_PER_TOKEN = 2;

const BY_LENGTH: TokenTools = {
  isExact: false,
  count: estimateTokens,
  cut: (text, maxTokens) => {
    const bytes = Buffer.from(text).subarray(0, maxTokens * CUT_BYTES_PER_TOKEN);
    // A character that the cut fell into is dropped.
    return new TextDecoder().decode(bytes, { stream: true });
  },
};

/**
 * Token tools of a provider's embedding models: OpenAI's own encoding (cl100k_base) where the optional package
 * `gpt-tokenizer` is installed, else by length.
 */
export async function tokenToolsFor(provider: ProviderName): Promise<TokenTools> {
  if (provider !== 'openai' && provider !== 'azure') return BY_LENGTH;
  try {
    const { encode, decode } = await import('gpt-tokenizer/encoding/cl100k_base');
    // Words such as `<|endoftext|>` in a document are text, not commands.
    const tokensOf = (text: string): number[] => encode(text, { disallowedSpecial: new Set() });
    return {
      isExact: true,
      count: (text) => tokensOf(text).length,
      cut: (text, maxTokens) => decode(tokensOf(text).slice(0, maxTokens)).replace(/\uFFFD+$/, ''),
    };
  } catch {
    // Optional by design: estimates say that they are estimates.
    return BY_LENGTH;
  }
}
