import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RAGError } from '../core/errors.js';
import { evaluateRetrieval, isOwnDocument } from './evaluate-retrieval.js';
import { parseMetrics } from './metrics.js';
import { type RetrievalDataset, readRetrievalDataset } from './retrieval-dataset.js';

const dataset = (parts: Partial<RetrievalDataset> = {}): RetrievalDataset => ({
  name: 'small',
  split: 'test',
  documents: [
    { id: '1', title: '', text: 'same' },
    { id: '2', title: '', text: 'same' },
    { id: '3', title: '', text: 'other' },
    { id: '4', title: '', text: 'more' },
  ],
  queries: [
    { id: 'Q1', text: 'first' },
    { id: 'Q3', text: 'third' },
  ],
  judgments: new Map([
    ['Q1', new Map([['3', 1]])],
    [
      'Q3',
      new Map([
        ['2', 1],
        ['4', 1],
      ]),
    ],
  ]),
  missingDocuments: 0,
  settings: {},
  ...parts,
});

const ranked = (...ids: string[]) => ids.map((id, i) => ({ id, score: 1 / (i + 1) }));
const ANSWERS: Record<string, string[]> = { Q1: ['1', '3'], Q3: ['3', '1', '2'] };
const search = async ({ id }: { id: string }) => ranked(...(ANSWERS[id] ?? []));
const metrics = parseMetrics('mrr@10 recall@2');

describe('evaluateRetrieval', () => {
  it('scores by id over the judged queries', async () => {
    const result = await evaluateRetrieval({ dataset: dataset(), search, metrics });
    expect(result.perQuery).toEqual({ 'mrr@10': [1 / 2, 1 / 3], 'recall@2': [1, 0] });
    expect(result.metrics).toEqual({ 'mrr@10': (1 / 2 + 1 / 3) / 2, 'recall@2': 1 / 2 });
    expect(result.queries).toBe(2);
  });

  it('drops the own document, by id or by Q and id', async () => {
    const result = await evaluateRetrieval({ dataset: dataset(), search, metrics, dropSelf: true });
    expect(result.perQuery).toEqual({ 'mrr@10': [1, 1 / 2], 'recall@2': [1, 1 / 2] });
    expect(result.run.get('Q1')).toEqual([{ id: '3', score: 1 / 2 }]);
    expect([isOwnDocument('7', '7'), isOwnDocument('Q7', '7'), isOwnDocument('7', 'Q7')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('does not count a query whose only relevant document is itself', async () => {
    const judgments = new Map([
      ['Q1', new Map([['1', 1]])],
      ['Q3', new Map([['2', 1]])],
    ]);
    const result = await evaluateRetrieval({
      dataset: dataset({ judgments }),
      search,
      metrics,
      dropSelf: true,
    });
    expect(result.queries).toBe(1);
  });

  it('scores by text: a copy counts as the judged document, a second copy gains nothing', async () => {
    const result = await evaluateRetrieval({ dataset: dataset(), search, metrics, scoreBy: 'text' });
    expect(result.perQuery).toEqual({ 'mrr@10': [1 / 2, 1 / 2], 'recall@2': [1, 1 / 2] });
  });

  it('does what the data set says unless told otherwise', async () => {
    const told = dataset({ settings: { dropSelf: true, scoreBy: 'text' } });
    const byFile = await evaluateRetrieval({ dataset: told, search, metrics });
    expect(byFile.perQuery['mrr@10']).toEqual([1, 1]);
    const byFlag = await evaluateRetrieval({
      dataset: told,
      search,
      metrics,
      dropSelf: false,
      scoreBy: 'id',
    });
    expect(byFlag.perQuery['mrr@10']).toEqual([1 / 2, 1 / 3]);
  });

  it('counts a query without results as 0 and asks for the depth of the metrics', async () => {
    const depths: number[] = [];
    const nothing = async (_: unknown, topK: number) => {
      depths.push(topK);
      return [];
    };
    const result = await evaluateRetrieval({
      dataset: dataset(),
      search: nothing,
      metrics: parseMetrics('map recall@500'),
    });
    expect(result.metrics).toEqual({ map: 0, 'recall@500': 0 });
    expect(depths).toEqual([500, 500]);
  });

  it('looks no deeper than it asked for, and one deeper where the own document is dropped', async () => {
    const deep = dataset({
      queries: [{ id: '1', text: 'x' }],
      judgments: new Map([['1', new Map([['last', 1]])]]),
    });
    const depths: number[] = [];
    const manyThenLast = (position: number) => async (_: unknown, topK: number) => {
      depths.push(topK);
      return ranked('1', ...Array.from({ length: position - 2 }, (_, i) => `other${i}`), 'last');
    };
    const map = async (position: number, dropSelf: boolean) =>
      (
        await evaluateRetrieval({
          dataset: deep,
          search: manyThenLast(position),
          metrics: parseMetrics('map'),
          dropSelf,
        })
      ).metrics.map;
    expect(await map(100, false)).toBe(1 / 100);
    expect(await map(101, false)).toBe(0);
    expect(await map(101, true)).toBe(1 / 100);
    expect(depths).toEqual([100, 100, 101]);
  });

  it('passes on what the search throws, refuses scores that are not numbers, and stops when told', async () => {
    const failing = async () => {
      throw new Error('no');
    };
    await expect(evaluateRetrieval({ dataset: dataset(), search: failing, metrics })).rejects.toMatchObject({
      reason: 'SEARCH_FAILED',
      message: expect.stringContaining('"Q1"'),
    });
    const odd = async () => [{ id: '1', score: Number.NaN }];
    await expect(evaluateRetrieval({ dataset: dataset(), search: odd, metrics })).rejects.toBeInstanceOf(
      RAGError,
    );
    const signal = AbortSignal.abort();
    await expect(evaluateRetrieval({ dataset: dataset(), search, metrics, signal })).rejects.toMatchObject({
      reason: 'ABORTED',
    });
  });
});

const CHUNKS = join(import.meta.dirname, '../../../shared/data/retrieval/anthropic-codebase-chunks');
const hasChunks = existsSync(CHUNKS);
if (!hasChunks) console.warn('skipped: anthropic-codebase-chunks is not beside this repository');

describe.skipIf(!hasChunks)('anthropic-codebase-chunks', () => {
  it('by text, finding a copy of every gold chunk is full recall; by id it is not', async () => {
    const chunks = await readRetrievalDataset(CHUNKS);
    const lastOfText = new Map(chunks.documents.map(({ id, text }) => [text, id]));
    const textOf = new Map(chunks.documents.map(({ id, text }) => [id, text]));
    const copies = async ({ id }: { id: string }) =>
      ranked(
        ...[...(chunks.judgments.get(id) ?? [])].map(
          ([gold]) => lastOfText.get(textOf.get(gold) ?? '') ?? gold,
        ),
      );
    const recall = async (scoreBy: 'id' | 'text') =>
      (
        await evaluateRetrieval({
          dataset: chunks,
          search: copies,
          metrics: parseMetrics('recall@20'),
          scoreBy,
        })
      ).metrics['recall@20'];
    expect(await recall('text')).toBe(1);
    expect(await recall('id')).toBeLessThan(1);
  });
});
