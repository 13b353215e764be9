import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { RAGError } from '../../core/errors.js';
import { scopeOf } from '../../core/scope.js';
import { createEngine } from '../../engine/create-engine.js';
import { checkedQuestion } from '../answers.js';
import type { AskRequest, IndexRequest, SearchQuery } from '../engine.js';
import { checkedIndexing } from '../indexing.js';
import { checkedSearch } from '../search.js';

const search = (query: unknown) => checkedSearch(query as SearchQuery);
const ask = (request: unknown) => checkedQuestion(request as AskRequest);
const index = (request: unknown) => checkedIndexing(request as IndexRequest);

describe('an unknown key is refused, with the one that was meant', () => {
  it.each<[string, () => unknown, string]>([
    ['search', () => search({ text: 'x', filtres: {} }), 'Did you mean filters?'],
    ['search options', () => search({ text: 'x', options: { topk: 3 } }), 'Did you mean topK?'],
    [
      'filters',
      () => search({ text: 'x', filters: { nope: 1 } }),
      'Known: sourceType, dateRange, metadata, source, tags.',
    ],
    [
      'dates',
      () => search({ text: 'x', filters: { dateRange: { strat: new Date() } } }),
      'Did you mean start?',
    ],
    ['another API', () => search({ query: 'x', text: 'y' }), 'has no "query"'],
    ['ask', () => ask({ question: 'x', histroy: [] }), 'Did you mean history?'],
    ['ask filters', () => ask({ question: 'x', filters: { tag: ['a'] } }), 'Did you mean tags?'],
    ['index', () => index({ path: ['docs'] }), 'Did you mean paths?'],
    ['index options', () => index({ options: { dryrun: true } }), 'Did you mean dryRun?'],
    ['document', () => index([{ id: 'a', text: 'b', mediatype: 'text/html' }]), 'Did you mean mediaType?'],
    ['access', () => index([{ id: 'a', text: 'b', access: { group: ['hr'] } }]), 'Did you mean groups?'],
    [
      'filter',
      () => search({ text: 'x', filter: { op: 'eq', feild: 'a', value: 1 } }),
      'Did you mean field?',
    ],
    [
      'deep filter',
      () => search({ text: 'x', filter: { op: 'and', filters: [{ op: 'in', field: 'a', value: [1] }] } }),
      'Did you mean values?',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RAGError);
    expect(call).toThrow(message);
  });

  it('createEngine', async () => {
    const wrong = { datadir: 'x' } as object;
    await expect(createEngine(wrong)).rejects.toMatchObject({
      reason: 'USAGE',
      message: 'createEngine has no "datadir". Did you mean dataDir?',
    });
  });
});

const WRONG_VALUES: unknown[] = [undefined, null, 1, true, [], {}, 'x', Symbol('x'), 1n, () => 1, new Date()];

it('no value of any type, anywhere, ends in another error than a RAGError', async () => {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  try {
    await engine.index([{ id: 'a', text: 'a quokka' }]);
    const calls: ((wrong: never) => Promise<unknown>)[] = [
      ...['text', 'topK', 'filters', 'filter', 'options', 'signal', 'query'].map(
        (key) => (wrong: never) => engine.search({ text: 'x', [key]: wrong }),
      ),
      ...['sourceType', 'dateRange', 'metadata', 'source', 'tags'].map(
        (key) => (wrong: never) => engine.search({ text: 'x', filters: { [key]: wrong } }),
      ),
      ...['topK', 'mode', 'minSimilarity', 'nearDuplicates', 'mmrLambda', 'rerank', 'explainScore'].map(
        (key) => (wrong: never) => engine.search({ text: 'x', options: { [key]: wrong } }),
      ),
      ...['question', 'history', 'mode', 'answerer', 'topK', 'abstainBelow', 'filters', 'options'].map(
        (key) => (wrong: never) => engine.ask({ question: 'x', [key]: wrong }),
      ),
      ...['id', 'text', 'bytes', 'title', 'metadata', 'mediaType', 'access', 'surroundings'].map(
        (key) => (wrong: never) => engine.index([{ id: 'b', text: 'c', [key]: wrong }]),
      ),
      ...['sources', 'paths', 'documents', 'deleted', 'options', 'onProgress'].map(
        (key) => (wrong: never) => engine.index({ documents: [], [key]: wrong }),
      ),
      (wrong) => engine.search(wrong),
      (wrong) => engine.ask(wrong),
      (wrong) => engine.index([wrong]),
      (wrong) => engine.get(wrong),
      (wrong) => engine.list(wrong),
      (wrong) => engine.list({ limit: wrong }),
      (wrong) => engine.delete(wrong),
      (wrong) => engine.delete([wrong]),
      (wrong) => engine.explainMiss(wrong, 'a'),
      (wrong) => engine.explainMiss('x', wrong),
      (wrong) => engine.verify(wrong),
    ];
    for (const call of calls)
      for (const wrong of WRONG_VALUES)
        try {
          await call(wrong as never);
        } catch (error) {
          if (!RAGError.isInstance(error) || error.reason === 'INTERNAL')
            throw new Error(`${String(call)} with ${String(wrong)}: ${String(error)}`, { cause: error });
        }
  } finally {
    await engine.close();
  }
});

describe('topK', () => {
  it('is taken at the top and under options, in both', () => {
    expect(search({ text: 'x', topK: 3 }).options?.topK).toBe(3);
    expect(search({ text: 'x', options: { topK: 3, mode: 'dense' } }).options).toEqual({
      topK: 3,
      mode: 'dense',
    });
    expect(search({ text: 'x', topK: 3, options: { topK: 3 } }).options?.topK).toBe(3);
    expect(ask({ question: 'x', topK: 3 }).topK).toBe(3);
    expect(ask({ question: 'x', options: { topK: 3 } }).topK).toBe(3);
  });

  it('is refused where the two differ', () => {
    expect(() => search({ text: 'x', topK: 3, options: { topK: 4 } })).toThrow(
      /topK is 3 and under options 4/,
    );
    expect(() => ask({ question: 'x', topK: 3, options: { topK: 4 } })).toThrow(RAGError);
  });
});

it('a value that would let everything through a filter is refused', () => {
  for (const value of [undefined, new Date(), new Map(), () => 1])
    expect(() => search({ text: 'x', filters: { metadata: { team: value } } })).toThrow(
      'filters.metadata.team',
    );
});

describe('a call that was written for another API says what is meant', () => {
  it.each<[string, () => unknown, string]>([
    ['another name', () => search({ query: 'x' }), 'A search needs "text", a text, and has no "query".'],
    ['nothing', () => search({}), 'A search needs "text", a text.'],
    ['a number', () => search(42), 'A search must be a text or an object.'],
    ['no question', () => ask(42), 'A question must be a text or an object.'],
    [
      'options second',
      () => scopeOf({ topK: 3 }),
      'topK goes into the first argument: search({ text: "...", topK: ... })',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});

it('an id that no store can keep is refused before anything is written', () => {
  expect(() => index([{ id: 'a\ud800', text: 'a' }])).toThrow(
    'it must be a text without half a surrogate pair',
  );
  expect(() => index([{ id: 'a\ud83d\ude00', text: 'a' }])).not.toThrow();
});

it('a document needs text or bytes, one of the two', () => {
  expect(() => index([{ id: 'a' }])).toThrow('needs text or bytes');
  expect(() => index([{ id: 'a', text: 'a', bytes: new Uint8Array(1) }])).toThrow('one of the two');
});

it('what is right is passed on as it is', () => {
  const { signal } = new AbortController();
  const query: SearchQuery = {
    text: 'x',
    signal,
    filters: {
      sourceType: ['pbi'],
      dateRange: { start: new Date(0) },
      metadata: { team: 'a', list: [1, null], deep: { a: true } },
      source: ['wiki'],
      tags: [],
    },
    filter: {
      op: 'not',
      filter: {
        op: 'or',
        filters: [
          { op: 'range', field: 'a', gte: 1 },
          { op: 'exists', field: 'b' },
        ],
      },
    },
    options: { topK: 3, mode: 'hybrid', explainScore: true },
  };
  expect(search(query)).toEqual(query);
  expect(search(query).signal).toBe(signal);
});
