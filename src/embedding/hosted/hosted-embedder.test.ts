import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  azureEmbeddingWire,
  cohereEmbeddingWire,
  compatibleEmbeddingWire,
  type EmbeddingWire,
  embeddingReply,
  googleEmbeddingWire,
  huggingFaceEmbeddingWire,
  openaiEmbeddingWire,
  vectorFor,
  voyageEmbeddingWire,
} from '../../../tests/fakes/wire/embedding-wire.js';
import {
  jsonReply,
  startWireServer,
  type WireReply,
  type WireServer,
} from '../../../tests/fakes/wire/wire-server.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import { embedAll } from '../embed-all.js';
import { type Embedder, fingerprintOf } from '../embedder.js';
import { createHostedEmbedder, type HostedEmbedderOptions } from './hosted-embedder.js';

interface Case {
  readonly wire: EmbeddingWire;
  readonly provider: ProviderConnection['provider'];
  readonly model: string;
  readonly basePath: string;
  /** Length of the model's own vectors. */
  readonly native: number;
  /** A shorter length that it can be asked for. */
  readonly shorter?: number;
  /** In the request, for a query and for a document. */
  readonly marks: readonly [query: string, document: string];
}

const CASES: readonly (readonly [name: string, facts: Case])[] = [
  [
    'OpenAI',
    {
      wire: openaiEmbeddingWire,
      provider: 'openai',
      model: 'text-embedding-3-small',
      basePath: '/v1',
      native: 1536,
      shorter: 256,
      marks: ['"float"', '"float"'],
    },
  ],
  [
    'Azure OpenAI',
    {
      wire: azureEmbeddingWire,
      provider: 'azure',
      model: 'text-embedding-3-small',
      basePath: '/openai/v1',
      native: 1536,
      shorter: 512,
      marks: ['"float"', '"float"'],
    },
  ],
  [
    'Google',
    {
      wire: googleEmbeddingWire,
      provider: 'google',
      model: 'gemini-embedding-001',
      basePath: '/v1beta',
      native: 3072,
      shorter: 768,
      marks: ['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT'],
    },
  ],
  [
    'Cohere',
    {
      wire: cohereEmbeddingWire,
      provider: 'cohere',
      model: 'embed-v4.0',
      basePath: '/v2',
      native: 1536,
      shorter: 512,
      marks: ['search_query', 'search_document'],
    },
  ],
  [
    'Voyage AI',
    {
      wire: voyageEmbeddingWire,
      provider: 'voyage',
      model: 'voyage-3.5',
      basePath: '/v1',
      native: 1024,
      shorter: 256,
      marks: ['"query"', '"document"'],
    },
  ],
  [
    'Hugging Face',
    {
      wire: huggingFaceEmbeddingWire,
      provider: 'huggingface',
      model: 'intfloat/multilingual-e5-large',
      basePath: '/hf-inference',
      native: 1024,
      marks: ['query: ', 'passage: '],
    },
  ],
  [
    'an OpenAI-compatible server',
    {
      wire: compatibleEmbeddingWire,
      provider: 'ollama',
      model: 'nomic-embed-text',
      basePath: '/v1',
      native: 768,
      marks: ['search_query: ', 'search_document: '],
    },
  ],
];

const open: (WireServer | Embedder)[] = [];

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

type Fault = (index: number) => WireReply | undefined;

async function embedderWith(
  { wire, provider, model, basePath, native }: Case,
  { fault, ...options }: Partial<HostedEmbedderOptions> & { readonly fault?: Fault } = {},
) {
  const server = await startWireServer(
    wire,
    (request, index) => fault?.(index) ?? embeddingReply(wire, request, native),
  );
  open.push(server);
  const connection = { provider, apiKey: 'test-key', baseUrl: `${server.url}${basePath}` };
  const embedder = await createHostedEmbedder({ connection, model, ...options });
  open.push(embedder);
  return { embedder, server };
}

const normOf = (vector: Float32Array | undefined): number => Math.hypot(...(vector ?? []));

describe.each(CASES)('%s', (_name, facts) => {
  // The first import of a provider's package takes longer than the deadlines below.
  beforeAll(async () => {
    await embedderWith(facts);
  });

  it('gives a vector of unit length a text, in order, in requests that the documentation allows', async () => {
    const { embedder, server } = await embedderWith(facts);
    const texts = ['first text', 'second text', 'third text'];
    const vectors = await embedder.doEmbed(texts, 'document');
    expect(server.violations).toEqual([]);
    expect(embedder.dimensions).toBe(facts.native);
    expect(vectors).toHaveLength(3);
    for (const [i, text] of texts.entries()) {
      const plain = vectorFor(embedder.identity.documentPrefix + text, facts.native);
      expect(vectors[i]?.[1]).toBeCloseTo((plain[1] ?? 0) / Math.hypot(...plain), 5);
      expect(normOf(vectors[i])).toBeCloseTo(1, 5);
    }
  });

  it('tells queries from documents', async () => {
    const { embedder, server } = await embedderWith(facts);
    await embedder.doEmbed(['a text'], 'query');
    await embedder.doEmbed(['a text'], 'document');
    const [query, document] = server.requests.slice(-2).map(({ body }) => JSON.stringify(body));
    expect(query).toContain(facts.marks[0]);
    expect(document).toContain(facts.marks[1]);
    expect(server.violations).toEqual([]);
  });

  it('does not send blank texts, and gives zero for them', async () => {
    const { embedder, server } = await embedderWith(facts);
    const before = server.requests.length;
    const vectors = await embedder.doEmbed(['', ' \n'], 'document');
    expect(vectors.map(normOf)).toEqual([0, 0]);
    expect(server.requests).toHaveLength(before);
  });

  it('asks for shorter vectors where the model has them, and its fingerprint says so', async () => {
    if (facts.shorter === undefined) return;
    const { embedder, server } = await embedderWith(facts, { dimensions: facts.shorter });
    const [vector] = await embedder.doEmbed(['a text'], 'document');
    expect(vector).toHaveLength(facts.shorter);
    expect(normOf(vector)).toBeCloseTo(1, 5);
    expect(server.violations).toEqual([]);
    const { embedder: whole } = await embedderWith(facts);
    expect(fingerprintOf(embedder.identity)).not.toBe(fingerprintOf(whole.identity));
  });

  it('waits as long as 429 says, then asks again', async () => {
    const waits: number[] = [];
    let isFirst = true;
    const { embedder, server } = await embedderWith(facts, {
      fault: () => {
        if (!isFirst || server?.requests.length === 0) return undefined;
        isFirst = false;
        return jsonReply(429, facts.wire.errorBody(429, 'slow down'), { 'retry-after': '3' });
      },
      dimensions: facts.native,
    });
    const { vectors } = await embedAll(embedder, ['a text'], 'document', {
      delay: async (milliseconds) => {
        waits.push(milliseconds);
      },
    });
    expect(vectors[0]).toHaveLength(facts.native);
    expect(waits).toEqual([3000]);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    [500, 6, 'EMBEDDING_FAILED'],
    [401, 1, 'EMBEDDING_REJECTED'],
    [400, 1, 'EMBEDDING_REJECTED'],
  ] as const)('asks as often as %i is worth: %i times', async (status, times, reason) => {
    const { embedder, server } = await embedderWith(facts, {
      dimensions: facts.native,
      fault: () => jsonReply(status, facts.wire.errorBody(status, 'no')),
    });
    const failure = await embedAll(embedder, ['the SECRETWORD'], 'document', {
      delay: async () => undefined,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason, details: { status } });
    expect(server.requests).toHaveLength(times);
    const all = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
    expect(all).not.toMatch(/test-key|SECRETWORD/);
  });

  it('refuses an answer that is not in the format, once', async () => {
    const { embedder, server } = await embedderWith(facts, {
      dimensions: facts.native,
      fault: () => jsonReply(200, { surprise: true }),
    });
    const done = embedAll(embedder, ['a text'], 'document', { delay: async () => undefined });
    await expect(done).rejects.toMatchObject({ reason: 'EMBEDDING_REJECTED' });
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for a silent server beyond its deadline', async () => {
    const { embedder } = await embedderWith(facts, {
      dimensions: facts.native,
      timeoutMs: 100,
      fault: () => ({ kind: 'silence' }),
    });
    await expect(embedder.doEmbed(['a text'], 'query')).rejects.toMatchObject({
      reason: 'EMBEDDING_FAILED',
      message: expect.stringContaining('100 ms'),
    });
  });

  it('is cancelled by its caller', async () => {
    const { embedder } = await embedderWith(facts, {
      dimensions: facts.native,
      fault: () => ({ kind: 'silence' }),
    });
    const done = embedder.doEmbed(['a text'], 'query', AbortSignal.timeout(50));
    await expect(done).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

const OPENAI = CASES[0]?.[1];

describe('batches, limits and estimates', () => {
  const facts = (): Case => {
    if (OPENAI === undefined) throw new Error('no case');
    return OPENAI;
  };

  it('keeps each call below the tokens that the provider takes', async () => {
    const { embedder, server } = await embedderWith(facts());
    const texts = Array.from({ length: 60 }, (_, i) => `${i} ${'word '.repeat(4000)}`);
    await embedAll(embedder, texts, 'document');
    const lengths = server.requests.map(({ body }) => JSON.stringify(body).length);
    expect(server.requests.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThan(embedder.maxBatchTokens === undefined ? 0 : 700_000);
    expect(server.violations).toEqual([]);
  });

  it('cuts a text that OpenAI would refuse for its length', async () => {
    const { embedder, server } = await embedderWith(facts());
    await embedder.doEmbed(['word '.repeat(20_000)], 'document');
    const sent = JSON.stringify(server.requests[0]?.body).match(/word/g)?.length ?? 0;
    expect(sent).toBeGreaterThan(8000);
    expect(sent).toBeLessThanOrEqual(8192);
  });

  it('stops before the limit on spending is passed, and keeps what is done', async () => {
    const billed = (tokens: number): WireReply =>
      jsonReply(200, {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: vectorFor('x', 1536) }],
        model: 'test',
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      });
    const { embedder, server } = await embedderWith(facts(), {
      limits: { maxCost: 0.0001 },
      batchSize: 1,
      fault: () => billed(2000),
    });
    const texts = ['a', 'b', 'c'].map((name) => `${name} ${'word '.repeat(1500)}`);
    const kept: string[] = [];
    const cache = {
      problem: undefined,
      getMany: (keys: readonly string[]) => keys.map(() => undefined),
      setMany: (entries: readonly (readonly [string, Float32Array])[]) => {
        for (const [key] of entries) kept.push(key);
      },
      close: () => undefined,
    };
    await expect(embedAll(embedder, texts, 'document', { cache })).rejects.toMatchObject({
      reason: 'SPEND_LIMIT_REACHED',
    });
    expect(server.requests.length).toBe(kept.length);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(3);
  });

  it('estimates tokens and cost without sending anything', async () => {
    const { embedder, server } = await embedderWith(facts());
    const estimate = await embedder.estimate?.(['hello world', 'hello']);
    expect(estimate).toMatchObject({ texts: 2, tokens: 3, isExact: true });
    expect(estimate?.cost).toBeCloseTo((3 * 0.02) / 1e6, 12);
    expect(server.requests).toHaveLength(0);
  });

  it('reports the tokens that the provider billed', async () => {
    const { embedder } = await embedderWith(facts());
    await embedder.doEmbed(['a text', 'another'], 'document');
    expect(embedder.usage?.()).toMatchObject({ tokens: 6 });
  });
});
