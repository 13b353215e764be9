import { afterEach, describe, expect, it } from 'vitest';
import {
  cohereRerankWire,
  compatibleRerankWire,
  jinaRerankWire,
  type RerankWire,
  rerankReply,
  voyageRerankWire,
} from '../../../tests/fakes/wire/rerank-wire.js';
import {
  jsonReply,
  startWireServer,
  type WireReply,
  type WireServer,
} from '../../../tests/fakes/wire/wire-server.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import type { RerankCandidate } from '../reranker.js';
import { createHostedReranker } from './hosted-reranker.js';

interface Case {
  readonly wire: RerankWire;
  readonly provider: ProviderConnection['provider'];
  readonly model: string;
  readonly basePath: string;
}

const CASES: readonly (readonly [name: string, facts: Case])[] = [
  ['Cohere', { wire: cohereRerankWire, provider: 'cohere', model: 'rerank-v3.5', basePath: '/v2' }],
  ['Voyage AI', { wire: voyageRerankWire, provider: 'voyage', model: 'rerank-2.5', basePath: '/v1' }],
  [
    'Jina AI',
    { wire: jinaRerankWire, provider: 'jina', model: 'jina-reranker-v2-base-multilingual', basePath: '/v1' },
  ],
  ['vLLM', { wire: compatibleRerankWire, provider: 'vllm', model: 'bge-reranker-v2-m3', basePath: '/v1' }],
];

const candidate = (content: string): RerankCandidate => ({
  content,
  headingPath: [],
  identifiers: [],
  fusedScore: 0.5,
});
const CANDIDATES = ['short', 'the longest passage of all', 'a medium one'].map(candidate);

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function rerankerWith(
  { wire, provider, model, basePath }: Case,
  fault?: (index: number) => WireReply | undefined,
) {
  const server = await startWireServer(
    wire,
    (request, index) => fault?.(index) ?? rerankReply(wire, request, (text) => text.length / 100),
  );
  servers.push(server);
  const connection = {
    provider,
    baseUrl: `${server.url}${basePath}`,
    ...(provider === 'vllm' ? {} : { apiKey: 'test-key' }),
  };
  return { reranker: createHostedReranker({ connection, model }), server };
}

describe.each(CASES)('%s', (_name, facts) => {
  it('gives each candidate the score of the service, in a request that the documentation allows', async () => {
    const { reranker, server } = await rerankerWith(facts);
    const ranking = await reranker.doRerank('which one?', CANDIDATES);
    expect(server.violations).toEqual([]);
    expect(ranking.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(ranking.find(({ index }) => index === 0)?.score).toBeCloseTo(0.05);
  });

  it('brings raw scores into [0, 1] and keeps their order', async () => {
    const { reranker } = await rerankerWith(facts, () =>
      jsonReply(
        200,
        facts.wire.body([
          { index: 2, relevance_score: 7.5 },
          { index: 0, relevance_score: 0.2 },
          { index: 1, relevance_score: -4 },
        ]),
      ),
    );
    const scores = (await reranker.doRerank('which one?', CANDIDATES)).map(({ score }) => score);
    expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
  });

  it('asks again after 429 and 500, three times in all', async () => {
    const { reranker, server } = await rerankerWith(facts, (index) =>
      index === 0 ? jsonReply(429, facts.wire.errorBody(429, 'slow'), { 'retry-after': '0' }) : undefined,
    );
    expect(await reranker.doRerank('which one?', CANDIDATES)).toHaveLength(3);
    expect(server.requests).toHaveLength(2);

    const failing = await rerankerWith(facts, () =>
      jsonReply(500, facts.wire.errorBody(500, 'no'), { 'retry-after': '0' }),
    );
    await expect(failing.reranker.doRerank('which one?', CANDIDATES)).rejects.toMatchObject({
      reason: 'RERANKER_UNAVAILABLE',
      details: { status: 500 },
    });
    expect(failing.server.requests).toHaveLength(3);
  });

  it('asks once where the key is refused, and says what to do without telling it', async () => {
    const { reranker, server } = await rerankerWith(facts, () =>
      jsonReply(401, facts.wire.errorBody(401, 'bad key test-key')),
    );
    const failure = await reranker.doRerank('the SECRETWORD', CANDIDATES).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      reason: 'RERANKER_UNAVAILABLE',
      message: expect.stringContaining('Check the key'),
    });
    const all = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
    expect(all).not.toMatch(/SECRETWORD/);
    if (facts.provider !== 'vllm') expect(all).not.toMatch(/test-key/);
    expect(server.requests).toHaveLength(1);
  });

  it('refuses an answer in another form, and stops when it is cancelled', async () => {
    const { reranker, server } = await rerankerWith(facts, () => jsonReply(200, { scores: [1, 2] }));
    await expect(reranker.doRerank('q', CANDIDATES)).rejects.toMatchObject({
      reason: 'RERANKER_UNAVAILABLE',
    });
    expect(server.requests).toHaveLength(1);
    const silent = await rerankerWith(facts, () => ({ kind: 'silence' }));
    const late = silent.reranker.doRerank('q', CANDIDATES, AbortSignal.timeout(50));
    await expect(late).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});
