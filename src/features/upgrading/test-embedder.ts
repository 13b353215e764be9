import type { Embedder } from '../../embedding/embedder.js';

const DIMENSIONS = 8;

/** A model for tests that counts letters, on this thread. */
export const letterEmbedder = (): Embedder => ({
  identity: {
    model: 'letters',
    revision: '1',
    dimensions: DIMENSIONS,
    pooling: 'sum',
    normalised: true,
    queryPrefix: '',
    documentPrefix: '',
    maxInputTokens: 100_000,
  },
  dimensions: DIMENSIONS,
  maxInputTokens: 100_000,
  maxBatch: 32,
  isCheap: true,
  countTokens: (text) => text.length,
  doEmbed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      for (const letter of text) {
        const at = (letter.codePointAt(0) ?? 0) % DIMENSIONS;
        vector[at] = (vector[at] ?? 0) + 1;
      }
      const length = Math.hypot(...vector);
      return length === 0 ? vector : vector.map((value) => value / length);
    }),
  close: async () => undefined,
});
