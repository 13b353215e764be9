// English prose has 4 to 5 bytes a token in public tokenizers, code and most other scripts about 3.
const BYTES_PER_TOKEN = 3;

/**
 * Tokens of a text for a model whose tokenizer is not at hand: bytes of UTF-8 by three, which errs on the high side for prose.
 * For limits and estimates; never for cutting.
 */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
