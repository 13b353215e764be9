import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';

/** Vectors of texts by the built-in model alone, batch by batch. */
export async function embedTexts(texts: readonly string[]): Promise<Float32Array[]> {
  const embedder = await createStaticEmbedder();
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += embedder.maxBatch) {
    const batch = await embedder.doEmbed(texts.slice(start, start + embedder.maxBatch), 'document');
    for (const vector of batch) vectors.push(vector);
  }
  return vectors;
}
