import { describe, expect, test } from 'vitest';
import type { CompareResponse, FacetsResponse } from '../../client/index.js';
import { testService, withDocuments } from '../test-service.js';

const RAG = '/api/ai/rag';

async function withLamps() {
  const service = await testService();
  await service.engine.push(
    ['red', 'blue', 'green'].map((colour, at) => ({
      id: colour,
      title: colour,
      text: `The ${colour} lamp burns for ${at + 1} hours.`,
      metadata: { team: at < 2 ? 'light' : 'dark', serial: `n-${at}`, tags: ['lamp', `t${at}`] },
    })),
    { tenant: 'acme' },
  );
  const ask = async <Answer>(caller: string, route: string, body: object): Promise<Answer> =>
    (await service.call(caller, 'POST', `${RAG}/${route}`, body)).json() as unknown as Answer;
  return { ...service, ask };
}

describe('facets', () => {
  test('count what can be filtered by, and leave out what tells documents apart', async () => {
    const { ask } = await withLamps();
    expect(await ask<FacetsResponse>('acme', 'facets', {})).toEqual({
      documents: 3,
      isWhole: true,
      sources: [{ value: 'push:documents', count: 3 }],
      documentTypes: [{ value: 'document', count: 3 }],
      tags: [{ value: 'lamp', count: 3 }, ...[0, 1, 2].map((at) => ({ value: `t${at}`, count: 1 }))],
      fields: [
        {
          name: 'team',
          values: [
            { value: 'light', count: 2 },
            { value: 'dark', count: 1 },
          ],
          more: 0,
        },
      ],
    });
    expect(await ask<FacetsResponse>('acme', 'facets', { tags: ['t1'], limit: 1 })).toMatchObject({
      documents: 1,
      tags: [{ value: 'lamp', count: 1 }],
    });
  });

  test('count nothing that the caller may not read', async () => {
    const service = await testService();
    await withDocuments(service);
    const ask = async (caller: string) => (await service.call(caller, 'POST', `${RAG}/facets`, {})).json();
    expect(await ask('acme')).toMatchObject({ documents: 1 });
    expect(await ask('acme-hr')).toMatchObject({ documents: 2 });
    expect((await service.call('acme', 'POST', `${RAG}/facets`, { tenantId: 'globex' })).status).toBe(403);
  });
});

describe('two ways of searching', () => {
  const words = { mode: 'lexical', minScore: 0 } as const;

  test('are compared for one question: what is gained, lost and moved', async () => {
    const { ask } = await withLamps();
    const asked = { query: 'lamp blue', a: { ...words, topK: 1 }, b: words };
    const { searches, scores } = await ask<CompareResponse>('acme-reader', 'compare', asked);
    expect(scores).toBeUndefined();
    const [{ a, b, moves } = { a: undefined, b: undefined, moves: [] }] = searches;
    expect(a?.results.map(({ source }) => source)).toEqual(['blue']);
    expect(b?.results).toHaveLength(3);
    expect(b?.results[0]).toMatchObject({
      excerpt: 'The blue lamp burns for 2 hours.',
      lines: { start: 1, end: 1 },
    });
    expect(moves).toEqual(b?.results.slice(1).map(({ id }, at) => ({ id, to: at + 2 })));
    const back = await ask<CompareResponse>('acme', 'compare', { ...asked, a: asked.b, b: asked.a });
    expect(back.searches[0]?.moves).toEqual(b?.results.slice(1).map(({ id }, at) => ({ id, from: at + 2 })));
  });

  test('are compared on a question set, with scores of those that have gold quotes', async () => {
    const { ask, call } = await withLamps();
    const questions = ['red', 'blue', 'green'].map((colour) => ({
      id: colour,
      question: `lamp ${colour} hours`,
      gold: [{ path: colour, quote: `The ${colour} lamp burns` }],
    }));
    const asked = {
      questions: [...questions, { id: 'x', question: 'lamp' }],
      a: words,
      b: { ...words, minScore: 1 },
    };
    const { searches, scores } = await ask<CompareResponse>('acme', 'compare', asked);
    expect(searches.map(({ id }) => id)).toEqual(['red', 'blue', 'green', 'x']);
    expect(scores?.metrics.find(({ metric }) => metric === 'hit@5')).toMatchObject({
      ...{ a: 1, b: 0, difference: -1, wins: 0, losses: 3 },
      pValue: expect.any(Number),
    });
    expect(scores?.changes['hit@5']?.map(({ id }) => id)).toEqual(['red', 'blue', 'green']);
    expect((await call('acme-reader', 'POST', `${RAG}/compare`, asked)).status).toBe(403);
  });

  test('need one of a question and a set, with ids of their own', async () => {
    const { call } = await withLamps();
    const questions = [{ id: '1', question: 'lamp' }];
    const send = async (body: object) =>
      (await call('acme', 'POST', `${RAG}/compare`, { a: {}, b: {}, ...body })).status;
    expect(await send({})).toBe(400);
    expect(await send({ query: 'lamp', questions })).toBe(400);
    expect(await send({ questions: [...questions, ...questions] })).toBe(400);
    expect(await send({ query: 'lamp', a: { hops: 2 } })).toBe(400);
  });

  test('show nothing that the caller may not read', async () => {
    const service = await testService();
    await withDocuments(service);
    const query = 'zeppelin salaries of the board';
    const { status, text } = await service.call('acme', 'POST', `${RAG}/compare`, { query, a: words, b: {} });
    expect(status).toBe(200);
    expect(text).not.toMatch(/Tuesday|flies|nine percent|globex|board rise/i);
  });
});
