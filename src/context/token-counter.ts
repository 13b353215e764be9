import { RAGError } from '../core/errors.js';

/** Counts tokens as a language model does, or close to it. */
export interface TokenCounter {
  /** `o200k_base`, `builtin`. */
  readonly id: string;
  /** Share added to each count, because the tokenizer is not the model's own; 0 where it is. */
  readonly margin: number;
  /** Tokens of a text, without the margin. */
  count(text: string): number;
}

/** Tokens to reserve for a text: the count with its margin, rounded up. */
export const tokensOf = (counter: TokenCounter, text: string): number =>
  Math.ceil(counter.count(text) * (1 + counter.margin));

/**
 * Share by which the built-in count is raised for models whose tokenizer is not public. Measured against `cl100k_base` and
 * `o200k_base` (docs/research/answer-quality.md): with it none of 482 passages of Markdown and YAML is undercounted.
 */
export const BUILTIN_MARGIN = 0.25;

/** A word-piece tokenizer answers one unknown token for what byte-pair encoders need many for. */
const CHARACTERS_PER_TOKEN_AT_MOST = 5;
const NON_LATIN = /[^\0-\u024f]/g;

/**
 * Counts with the tokenizer of the built-in embedding model, for language models whose own is not public.
 *
 * @param countTokens of the built-in model (`Embedder.countTokens`).
 */
export function builtinTokenCounter(countTokens: (text: string) => number): TokenCounter {
  return {
    id: 'builtin',
    margin: BUILTIN_MARGIN,
    count: (text) =>
      Math.max(
        countTokens(text),
        Math.ceil(text.length / CHARACTERS_PER_TOKEN_AT_MOST) + (text.match(NON_LATIN)?.length ?? 0),
      ),
  };
}

type Encoding = 'o200k_base' | 'cl100k_base';

// `gpt-4` and before use cl100k; everything since gpt-4o, the o series included, o200k.
const OPENAI_MODELS: readonly (readonly [RegExp, Encoding])[] = [
  [/^(?:gpt-4o|gpt-4\.\d|gpt-[5-9]|o\d|chatgpt|gpt-oss)/, 'o200k_base'],
  [/^(?:gpt-4|gpt-3\.5|text-embedding)/, 'cl100k_base'],
];

/** The public encoding of an OpenAI model (`gpt-4o-mini`, `azure:gpt-4o`); undefined for other families. */
export function openAIEncodingOf(model: string): Encoding | undefined {
  const name = model.toLowerCase().replace(/^.*[:/]/, '');
  return OPENAI_MODELS.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * Counts exactly as OpenAI's models do, special tokens taken as the text they are written in.
 *
 * @throws RAGError `PACKAGE_MISSING` where `gpt-tokenizer` is not installed.
 */
export async function openAITokenCounter(encoding: Encoding = 'o200k_base'): Promise<TokenCounter> {
  const { countTokens } = await loadEncoding(encoding);
  const asText = { disallowedSpecial: new Set<string>() };
  return { id: encoding, margin: 0, count: (text) => countTokens(text, asText) };
}

async function loadEncoding(encoding: Encoding) {
  try {
    return encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  } catch (cause) {
    throw new RAGError(
      'PACKAGE_MISSING',
      'Counting tokens as OpenAI does needs the package gpt-tokenizer: npm install gpt-tokenizer',
      { cause, details: { package: 'gpt-tokenizer' } },
    );
  }
}
