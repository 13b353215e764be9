import type { PreTrainedTokenizer } from '@huggingface/transformers';
import { RAGError } from '../../core/errors.js';

/** Token ids of texts, all of one length. */
export interface EncodedBatch {
  /** Row-major, padded at the end. */
  readonly ids: BigInt64Array;
  /** 1 for a token, 0 for padding. */
  readonly mask: BigInt64Array;
  /** Tokens of each text without padding. */
  readonly lengths: readonly number[];
  readonly width: number;
}

/**
 * Turns text into token ids, cut to the model's length with the closing special tokens kept, as the model was trained.
 * transformers.js itself would cut them off.
 */
export class TextEncoder {
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #maxInputTokens: number;
  readonly #closing: readonly number[];
  readonly #paddingId: number;

  constructor(tokenizer: PreTrainedTokenizer, maxInputTokens: number) {
    this.#tokenizer = tokenizer;
    this.#maxInputTokens = maxInputTokens;
    this.#paddingId = tokenizer.pad_token_id ?? 0;
    this.#closing = closingTokens(tokenizer);
    if (this.#closing.length >= maxInputTokens) {
      throw new RAGError('MODEL_INVALID', `maxInputTokens is ${maxInputTokens}: too few for any text.`);
    }
  }

  /** Number of tokens, special ones included, before any cut. */
  countTokens(text: string): number {
    return encode(this.#tokenizer, text).length;
  }

  /** Ids of a text, cut to the model's length. */
  encode(text: string): readonly number[] {
    const ids = encode(this.#tokenizer, text);
    if (ids.length <= this.#maxInputTokens) return ids;
    return [...ids.slice(0, this.#maxInputTokens - this.#closing.length), ...this.#closing];
  }

  /** Pads texts to the longest among them. */
  toBatch(texts: readonly (readonly number[])[]): EncodedBatch {
    const lengths = texts.map((ids) => ids.length);
    const width = Math.max(...lengths);
    const ids = new BigInt64Array(texts.length * width).fill(BigInt(this.#paddingId));
    const mask = new BigInt64Array(texts.length * width);
    for (const [row, text] of texts.entries()) {
      for (const [column, id] of text.entries()) ids[row * width + column] = BigInt(id);
      mask.fill(1n, row * width, row * width + text.length);
    }
    return { ids, mask, lengths, width };
  }
}

// Truncation and padding that a tokenizer.json carries are left over from its export: neither is applied here.
function encode(tokenizer: PreTrainedTokenizer, text: string): number[] {
  return tokenizer.encode(text, { add_special_tokens: true });
}

function closingTokens(tokenizer: PreTrainedTokenizer): number[] {
  const probe = 'a';
  const bare = tokenizer.encode(probe, { add_special_tokens: false });
  const framed = tokenizer.encode(probe, { add_special_tokens: true });
  const start = framed.findIndex((_, i) => bare.every((id, j) => framed[i + j] === id));
  return start === -1 ? [] : framed.slice(start + bare.length);
}
