import { slicesOf } from '../../src/core/slices.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';

/** Vectors of texts by the built-in model alone, batch by batch. */
export async function embedTexts(texts: readonly string[]): Promise<Float32Array[]> {
  const embedder = await createStaticEmbedder();
  const vectors: Float32Array[] = [];
  for (const some of slicesOf(texts, embedder.maxBatch)) {
    const batch = await embedder.doEmbed(some, 'document');
    for (const vector of batch) vectors.push(vector);
  }
  return vectors;
}
