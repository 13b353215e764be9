import { contentHash } from '../core/ids.js';
import type { Embedder } from '../embedding/embedder.js';

export interface HashEmbedderOptions {
  /** @default 64 */
  readonly dimensions?: number;
  /** Words beyond this are cut, as a model cuts tokens. @default 512 */
  readonly maxInputTokens?: number;
}

/**
 * A deterministic embedder for tests: every lower-cased word (letters and digits) adds a pseudo-random direction taken from
 * its SHA-256, and the sum is scaled to unit length. Texts that share words are near, text without a word is all zero.
 * Queries and documents are treated alike.
 */
export function createHashEmbedder({
  dimensions = 64,
  maxInputTokens = 512,
}: HashEmbedderOptions = {}): Embedder {
  return {
    identity: {
      model: 'hash',
      revision: '1',
      dimensions,
      pooling: 'sum',
      normalised: true,
      queryPrefix: '',
      documentPrefix: '',
      maxInputTokens,
    },
    dimensions,
    maxInputTokens,
    maxBatch: 256,
    isCheap: true,
    countTokens: (text) => wordsOf(text).length,
    doEmbed: (texts, _kind, signal) => {
      signal?.throwIfAborted();
      return Promise.resolve(texts.map((text) => embed(wordsOf(text).slice(0, maxInputTokens), dimensions)));
    },
    close: () => Promise.resolve(),
  };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function embed(words: readonly string[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (const word of words) addDirection(sum, word);
  const norm = Math.hypot(...sum);
  return Float32Array.from(sum, (component) => (norm === 0 ? 0 : component / norm));
}

// One byte of hash a component: enough spread for tests; further hashes of the word extend it to any length.
function addDirection(sum: Float64Array, word: string): void {
  for (let start = 0; start < sum.length; start += 32) {
    const digest = Buffer.from(contentHash(`${start}:${word}`), 'hex');
    for (const [i, byte] of digest.subarray(0, sum.length - start).entries())
      sum[start + i] = (sum[start + i] ?? 0) + byte - 127.5;
  }
}
