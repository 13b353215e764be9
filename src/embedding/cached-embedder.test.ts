import { describe, expect, it } from 'vitest';
import { queryCacheOver } from './cached-embedder.js';
import type { Embedder } from './embedder.js';

function countingEmbedder(isCheap = false): { embedder: Embedder; asked: string[] } {
  const asked: string[] = [];
  const identity = {
    model: 'counting',
    revision: '1',
    dimensions: 1,
    pooling: 'none',
    normalised: false,
    queryPrefix: '',
    documentPrefix: '',
    maxInputTokens: 100,
  };
  const embedder: Embedder = {
    identity,
    dimensions: 1,
    maxInputTokens: 100,
    maxBatch: 10,
    isCheap,
    countTokens: (text) => text.length,
    doEmbed: async (texts) => {
      asked.push(...texts);
      return texts.map((text) => Float32Array.of(text.length));
    },
    close: async () => undefined,
  };
  return { embedder, asked };
}

describe('queryCacheOver', () => {
  it('embeds a query once, and keeps order among known and new ones', async () => {
    const { embedder, asked } = countingEmbedder();
    const cached = queryCacheOver(embedder)('a');
    await cached.doEmbed(['aa', 'b'], 'query');
    const vectors = await cached.doEmbed(['b', 'cccc', 'aa', 'ddd'], 'query');
    expect(vectors.map((vector) => vector[0])).toEqual([1, 4, 2, 3]);
    expect(asked).toEqual(['aa', 'b', 'cccc', 'ddd']);
  });

  it('forgets the query that was not asked for longest', async () => {
    const { embedder, asked } = countingEmbedder();
    const cached = queryCacheOver(embedder, { maxQueries: 2 })('a');
    for (const query of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.doEmbed([query], 'query');
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  it('tells nobody what others asked', async () => {
    const { embedder, asked } = countingEmbedder();
    const cacheOf = queryCacheOver(embedder);
    for (const asker of ['a', 'b', 'a', 'b']) await cacheOf(asker).doEmbed(['merger'], 'query');
    expect(asked).toEqual(['merger', 'merger']);
  });

  it('passes documents through', async () => {
    const { embedder, asked } = countingEmbedder();
    const cached = queryCacheOver(embedder)('a');
    await cached.doEmbed(['a'], 'query');
    await cached.doEmbed(['a'], 'document');
    await cached.doEmbed(['a'], 'document');
    expect(asked).toEqual(['a', 'a', 'a']);
  });

  it('leaves a cheap embedder as it is', () => {
    const { embedder } = countingEmbedder(true);
    expect(queryCacheOver(embedder)('a')).toBe(embedder);
  });
});
