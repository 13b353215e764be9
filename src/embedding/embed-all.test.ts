import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RAGError } from '../core/errors.js';
import { embedAll } from './embed-all.js';
import type { Embedder, EmbeddingKind } from './embedder.js';
import { cacheKeyer, type EmbeddingCache } from './embedding-cache.js';

type Compute = (texts: readonly string[], kind: EmbeddingKind) => Float32Array[] | Promise<Float32Array[]>;

const vectorOf = (text: string): Float32Array => Float32Array.of(text.length, text.charCodeAt(0) || 0);

/** An embedder of two dimensions whose tokens are characters, and which notes what it was asked. */
function fakeEmbedder(options: Partial<Embedder> & { readonly compute?: Compute } = {}) {
  const calls: (readonly string[])[] = [];
  const { compute = (texts) => texts.map(vectorOf), ...rest } = options;
  const embedder: Embedder = {
    identity: {
      model: 'fake',
      revision: '1',
      dimensions: 2,
      pooling: 'none',
      normalised: false,
      queryPrefix: '',
      documentPrefix: '',
      maxInputTokens: 20,
    },
    dimensions: 2,
    maxInputTokens: 20,
    maxBatch: 3,
    isCheap: false,
    countTokens: (text) => text.length,
    doEmbed: async (texts, kind) => {
      calls.push(texts);
      return compute(texts, kind);
    },
    close: async () => undefined,
    ...rest,
  };
  return { embedder, calls };
}

function memoryCache(): EmbeddingCache & { readonly kept: Map<string, Float32Array> } {
  const kept = new Map<string, Float32Array>();
  return {
    kept,
    problem: undefined,
    getMany: (keys) => keys.map((key) => kept.get(key)),
    setMany: (entries) => {
      for (const [key, vector] of entries) kept.set(key, vector);
    },
    close: () => undefined,
  };
}

const noDelay = async (_milliseconds: number): Promise<void> => undefined;
const retryable = (): RAGError => new RAGError('EMBEDDING_FAILED', 'overloaded');

describe('embedAll', () => {
  it('keeps order and embeds equal texts once, in batches within the limit', async () => {
    const texts = fc.array(fc.oneof(fc.constantFrom('a', 'b', ''), fc.string()), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (given, isCheap) => {
        const { embedder, calls } = fakeEmbedder({ isCheap });
        const result = await embedAll(embedder, given, 'document');
        expect(result.vectors).toEqual(given.map(vectorOf));
        const asked = calls.flat();
        expect(asked.length).toBe(new Set(asked).size);
        expect(new Set(asked)).toEqual(new Set(given));
        expect([...result.computed].sort()).toEqual([...asked].sort());
        expect(Math.max(0, ...calls.map((batch) => batch.length))).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('batches texts of similar length for a model that pads', async () => {
    const { embedder, calls } = fakeEmbedder();
    await embedAll(embedder, ['a', 'bbbbb', 'cc', 'dddd', 'eee', 'ffffff'], 'document');
    expect(calls).toEqual([
      ['ffffff', 'bbbbb', 'dddd'],
      ['eee', 'cc', 'a'],
    ]);
  });

  it('reports progress in texts, duplicates included', async () => {
    const { embedder } = fakeEmbedder();
    const onProgress = vi.fn();
    await embedAll(embedder, ['aaaa', 'aaaa', 'bbb', 'cc', 'd'], 'document', { onProgress });
    expect(onProgress.mock.calls).toEqual([
      [4, 5],
      [5, 5],
    ]);
  });

  it('asks the cache first and fills it', async () => {
    const { embedder, calls } = fakeEmbedder();
    const cache = memoryCache();
    await embedAll(embedder, ['a', 'b'], 'document', { cache });
    const second = await embedAll(embedder, ['b', 'c', 'a', 'b'], 'document', { cache });
    expect(second).toMatchObject({
      computed: new Set(['c']),
      cached: 2,
      vectors: ['b', 'c', 'a', 'b'].map(vectorOf),
    });
    expect(calls).toEqual([['a', 'b'], ['c']]);
  });

  it('keeps queries and documents apart, models, and owners', async () => {
    const { embedder } = fakeEmbedder();
    const key = cacheKeyer(embedder.identity, 'document')('a');
    expect(cacheKeyer(embedder.identity, 'document')('a')).toBe(key);
    expect(cacheKeyer(embedder.identity, 'query')('a')).not.toBe(key);
    expect(cacheKeyer({ ...embedder.identity, revision: '2' }, 'document')('a')).not.toBe(key);
    expect(cacheKeyer(embedder.identity, 'document', 'acme')('a')).not.toBe(key);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('leaves the cache alone for a cheap embedder', async () => {
    const { embedder } = fakeEmbedder({ isCheap: true });
    const cache = memoryCache();
    await embedAll(embedder, ['a'], 'document', { cache });
    expect(cache.kept.size).toBe(0);
  });

  it('tries again after a retryable error, waiting longer each time', async () => {
    let failures = 3;
    const { embedder, calls } = fakeEmbedder({
      compute: (texts) => {
        if (failures-- > 0) throw retryable();
        return texts.map(vectorOf);
      },
    });
    const delay = vi.fn(noDelay);
    const { vectors } = await embedAll(embedder, ['a'], 'query', { delay });
    expect(vectors).toEqual([vectorOf('a')]);
    expect(calls.length).toBe(4);
    expect(delay.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([250, 500, 1000]);
  });

  it('gives up after the last retry, with the cause', async () => {
    const error = retryable();
    const { embedder, calls } = fakeEmbedder({ compute: () => Promise.reject(error) });
    await expect(embedAll(embedder, ['a'], 'query', { delay: noDelay, retries: 2 })).rejects.toBe(error);
    expect(calls.length).toBe(3);
  });

  it.each([
    ['an error that is not retryable', new RAGError('MODEL_INVALID', 'no'), 'MODEL_INVALID'],
    ['an unknown error', new TypeError('boom'), 'EMBEDDING_FAILED'],
  ])('does not try again after %s', async (_, error, reason) => {
    const { embedder, calls } = fakeEmbedder({ compute: () => Promise.reject(error) });
    await expect(embedAll(embedder, ['a'], 'query', { delay: noDelay })).rejects.toMatchObject({ reason });
    expect(calls.length).toBe(1);
  });

  it.each<[string, Compute]>([
    ['of a wrong length', (texts) => texts.map(() => new Float32Array(3))],
    ['that hold NaN', (texts) => texts.map(() => Float32Array.of(0, Number.NaN))],
    ['that hold infinities', (texts) => texts.map(() => Float32Array.of(Infinity, -Infinity))],
    ['of a wrong number', () => []],
  ])('refuses vectors %s, at once', async (_, compute) => {
    const { embedder, calls } = fakeEmbedder({ compute });
    const cache = memoryCache();
    await expect(embedAll(embedder, ['a'], 'document', { delay: noDelay, cache })).rejects.toMatchObject({
      reason: 'EMBEDDING_FAILED',
    });
    expect(calls.length).toBe(1);
    expect(cache.kept.size).toBe(0);
  });

  it('stops between batches when the signal fires, keeping what is done', async () => {
    const controller = new AbortController();
    const cache = memoryCache();
    const { embedder, calls } = fakeEmbedder();
    const running = embedAll(embedder, ['aaaa', 'bbb', 'cc', 'd'], 'document', {
      cache,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(running).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(calls.length).toBe(1);
    expect(cache.kept.size).toBe(3);
  });

  it('stops while it waits to try again', async () => {
    const controller = new AbortController();
    const { embedder } = fakeEmbedder({
      compute: () => {
        queueMicrotask(() => controller.abort());
        throw retryable();
      },
    });
    await expect(embedAll(embedder, ['a'], 'query', { signal: controller.signal })).rejects.toMatchObject({
      reason: 'ABORTED',
    });
  });

  it('counts texts that the model cuts, prefix included, and counts tokens only where it must', async () => {
    const countTokens = vi.fn((text: string) => text.length);
    const { embedder } = fakeEmbedder({ countTokens });
    const texts = ['x'.repeat(21), 'x'.repeat(21), 'x'.repeat(20), 'short', 'ü'];
    expect((await embedAll(embedder, texts, 'document')).truncated.size).toBe(1);
    expect(countTokens).not.toHaveBeenCalledWith('short');
    expect(countTokens).toHaveBeenCalledWith('ü');

    const identity = { ...embedder.identity, queryPrefix: 'query: ' };
    const prefixed = fakeEmbedder({ identity }).embedder;
    expect((await embedAll(prefixed, ['x'.repeat(14)], 'query')).truncated.size).toBe(1);
    expect((await embedAll(prefixed, ['x'.repeat(14)], 'document')).truncated.size).toBe(0);
  });
});
