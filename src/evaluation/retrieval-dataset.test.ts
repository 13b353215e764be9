import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRetrievalDataset } from './retrieval-dataset.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-dataset-'));
  await mkdir(join(folder, 'qrels'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const FILES = {
  'corpus.jsonl': '{"_id": "d1", "title": "T", "text": "one"}\n{"_id": 2, "text": "two"}\n',
  'queries.jsonl':
    '{"_id": "q1", "text": "first"}\n{"_id": "q2", "text": "second"}\n{"_id": "q3", "text": "x"}\n',
  'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t2\t0\nq3\td1\t0\nq2\tgone\t1\n',
};

async function read(files: Record<string, string> = {}, options = {}) {
  for (const [name, content] of Object.entries({ ...FILES, ...files }))
    await writeFile(join(folder, name), content);
  return readRetrievalDataset(folder, options);
}

describe('a folder in BEIR layout', () => {
  it('is read: documents, judged queries, grades', async () => {
    const dataset = await read();
    expect(dataset.documents).toEqual([
      { id: 'd1', title: 'T', text: 'one' },
      { id: '2', title: '', text: 'two' },
    ]);
    expect(dataset.queries.map(({ id }) => id)).toEqual(['q1', 'q2']);
    expect(dataset.judgments.get('q1')).toEqual(
      new Map([
        ['d1', 2],
        ['2', 0],
      ]),
    );
    expect(dataset.missingDocuments).toBe(1);
    expect(dataset.settings).toEqual({});
  });

  it('takes CRLF, a byte order mark, no header, and line separators inside text', async () => {
    const dataset = await read({
      'corpus.jsonl': '\uFEFF{"_id": "d1", "text": "a\u2028b"}\r\n\r\n{"_id": "2", "text": "\u2029"}',
      'qrels/test.tsv': 'q1\td1\t1\r\n',
    });
    expect(dataset.documents.map(({ text }) => text)).toEqual(['a\u2028b', '\u2029']);
    expect(dataset.judgments).toEqual(new Map([['q1', new Map([['d1', 1]])]]));
  });

  it('has its own queries file for a split, or one named by the caller', async () => {
    const files = {
      'queries-train.jsonl': '{"_id": "t1", "text": "train"}\n',
      'queries-de.jsonl': '{"_id": "q1", "text": "erste"}\n{"_id": "q2", "text": "zweite"}\n',
      'qrels/train.tsv': 'query-id\tcorpus-id\tscore\nt1\td1\t1\n',
    };
    expect((await read(files, { split: 'train' })).queries).toEqual([{ id: 't1', text: 'train' }]);
    expect((await read(files, { queriesFile: 'queries-de.jsonl' })).queries[0]?.text).toBe('erste');
  });

  it('says how it is to be scored', async () => {
    const settings = '{"dropSelf": true, "scoreBy": "text"}';
    expect((await read({ 'ragstone-dataset.json': settings })).settings).toEqual({
      dropSelf: true,
      scoreBy: 'text',
    });
    await expect(read({ 'ragstone-dataset.json': '{"dropself": true}' })).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'broken JSON',
      { 'corpus.jsonl': '{"_id": "d1", "text": "x"}\n{"_id"\n' },
      /corpus\.jsonl, line 2: not valid JSON/,
    ],
    ['an array', { 'corpus.jsonl': '[]\n' }, /line 1: not a JSON object/],
    [
      'a missing text',
      { 'corpus.jsonl': '{"_id": "d1"}\n' },
      /line 1: the field "text" must be text, is missing/,
    ],
    [
      'a wrong type',
      { 'queries.jsonl': '{"_id": "q1", "text": 1}\n' },
      /queries\.jsonl, line 1: .*is number/,
    ],
    [
      'a duplicate id',
      { 'corpus.jsonl': '{"_id": "a", "text": ""}\n\n{"_id": "a", "text": ""}\n' },
      /line 3: .*twice/,
    ],
    [
      'two columns',
      { 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\n' },
      /test\.tsv, line 2: expected three/,
    ],
    ['a grade that is no number', { 'qrels/test.tsv': 'q1\td1\tyes\n' }, /line 1: expected three/],
    ['an empty grade', { 'qrels/test.tsv': 'q1\td1\t\n' }, /line 1: expected three/],
    ['no judgments', { 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\n' }, /no judgments/],
    ['a judged query without text', { 'qrels/test.tsv': 'q9\td1\t1\n' }, /lacks the query "q9"/],
  ])('is refused for %s, naming file and line', async (_, files, message) => {
    await expect(read(files)).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('is refused where a file is missing or a split climbs out', async () => {
    await expect(read({}, { split: 'dev' })).rejects.toMatchObject({
      reason: 'DATASET_INVALID',
      message: expect.stringMatching(/dev\.tsv, which does not exist/),
    });
    await expect(read({}, { split: '../test' })).rejects.toMatchObject({ reason: 'USAGE' });
  });
});

const SHARED = join(import.meta.dirname, '../../../shared/data/retrieval');
const hasShared = existsSync(SHARED);
if (!hasShared) console.warn('skipped: the shared retrieval sets are not beside this repository');

describe.skipIf(!hasShared)('the shared sets', () => {
  it.each([
    ['scifact', 'test', 5183, 300],
    ['scifact', 'train', 5183, 809],
    ['anthropic-codebase-chunks', 'test', 737, 248],
    ['gitbugs-hadoop-duplicates', 'test', 2503, 126],
    ['xquad-en', 'test', 240, 1190],
  ])('%s %s has %i documents and %i queries', async (name, split, documents, queries) => {
    const dataset = await readRetrievalDataset(join(SHARED, name), { split });
    expect(dataset.documents).toHaveLength(documents);
    expect(dataset.queries).toHaveLength(queries);
    expect(dataset.missingDocuments).toBe(0);
  });
});
