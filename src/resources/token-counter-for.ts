import {
  builtinTokenCounter,
  openAIEncodingOf,
  openAITokenCounter,
  type TokenCounter,
} from '../context/token-counter.js';
import { RAGError } from '../core/errors.js';

/**
 * Counts tokens for a language model: exactly for OpenAI's (`gpt-4o-mini`, `azure:gpt-4o`) where the optional package
 * `gpt-tokenizer` is installed, else with the built-in tokenizer and a margin. `id` and `margin` of the counter say which.
 *
 * @param model `provider:model` or a bare name; undefined where no model reads the text
 */
export async function tokenCounterFor(model?: string): Promise<TokenCounter> {
  const encoding = model === undefined ? undefined : openAIEncodingOf(model);
  if (encoding !== undefined) {
    try {
      return await openAITokenCounter(encoding);
    } catch (error) {
      if (!RAGError.isInstance(error) || error.reason !== 'PACKAGE_MISSING') throw error;
    }
  }
  const { loadBuiltinTokenizer } = await import('../embedding/static/static-embedder.js');
  const tokenizer = await loadBuiltinTokenizer();
  return builtinTokenCounter((text) => tokenizer.countTokens(text));
}
