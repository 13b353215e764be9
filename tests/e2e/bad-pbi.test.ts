import { beforeAll, expect, test } from 'vitest';
import type { IndexResult, SearchResponse, VerifyResult } from '../../src/index.js';
import { ragstoneJson } from './run-ragstone.js';
import { sharedFolder, writeFiles } from './temporary-folder.js';

const CONFIG = `rag:
  provider: libsql
  sources:
    - name: backlog
      type: pbi_json
      root: out
      paths: ['**/*.json', '**/*.ndjson']
`;

const pbi = (id: string, title: unknown, description: unknown = 'As described.'): unknown => ({
  id,
  title,
  description,
});

const cwd = sharedFolder({
  'ragstone.yaml': CONFIG,
  'out/truncated.json': JSON.stringify([pbi('P-1', 'The earlier marmalade')]),
});

const BAD = {
  'out/truncated.json': JSON.stringify([pbi('P-1', 'The later marmalade')]).slice(0, 40),
  'out/types.json': JSON.stringify([pbi('P-2', 42, ['no']), pbi('P-3', 'The fine zanzibar')]),
  'out/repeated.json': JSON.stringify([
    pbi('P-4', 'The first albatross'),
    pbi('P-4', 'Another albatross'),
    pbi('P-5', 'The lone gondola'),
  ]),
  'out/lines.ndjson': [
    JSON.stringify(pbi('P-6', 'The upper porcelain')),
    '{"id": "P-7", broken',
    JSON.stringify(pbi('P-8', 'The lower kaleidoscope')),
  ].join('\n'),
  'out/deep.json': '['.repeat(100_000),
  'out/empty.json': '',
  'out/other.json': '{"a": 1}',
};

let code: number | null;
let result: IndexResult;

beforeAll(async () => {
  expect((await ragstoneJson<IndexResult>(['index'], { cwd })).document.success).toBe(true);
  writeFiles(cwd, BAD);
  const run = await ragstoneJson<IndexResult>(['index'], { cwd });
  code = run.code;
  result = run.document;
});

test('each bad file and item fails by itself, with 1', () => {
  expect(code).toBe(1);
  expect(result.stats.errors.map(({ item, reason }) => [item, reason]).sort()).toEqual([
    ['deep.json', 'DOCUMENT_INVALID'],
    ['empty.json', 'DOCUMENT_INVALID'],
    ['lines.ndjson#line 2', 'DOCUMENT_INVALID'],
    ['repeated.json#P-4 ($[1])', 'DOCUMENT_DUPLICATE_ID'],
    ['truncated.json', 'DOCUMENT_INVALID'],
    ['types.json#P-2', 'DOCUMENT_INVALID'],
  ]);
});

test.each([
  ['truncated.json', /truncated JSON.*line 1.*Write it again completely/],
  ['types.json#P-2', /\$\[0\]\.title must be string, is number.*Correct the file/],
  ['repeated.json#P-4 ($[1])', /has the id of the one at \$\[0\].*give the other an id of its own/],
  ['lines.ndjson#line 2', /line 2.*Repair it, or exclude it/],
  ['deep.json', /deeper than 100 levels.*Flatten it/],
])('the message on %s says where and what to do', (item, message) => {
  expect(result.stats.errors.find((error) => error.item === item)?.message).toMatch(message);
});

test('a file without work items is a notice, not a failure', () => {
  expect(result.notices).toEqual([expect.stringMatching(/other\.json.*holds no PBI/)]);
});

test.each([
  ['earlier marmalade', 'truncated.json#P-1'],
  ['fine zanzibar', 'types.json#P-3'],
  ['albatross', 'repeated.json#P-4'],
  ['lone gondola', 'repeated.json#P-5'],
  ['upper porcelain', 'lines.ndjson#P-6'],
  ['lower kaleidoscope', 'lines.ndjson#P-8'],
])('what is whole, and what was indexed before, is found by %j', async (query, source) => {
  const { document } = await ragstoneJson<SearchResponse>(['search', query, '--mode', 'lexical'], { cwd });
  expect(document.results[0]?.metadata.source).toBe(source);
});

test('verify names every file with a failure', async () => {
  const { code: exit, document } = await ragstoneJson<VerifyResult>(['verify'], { cwd });
  expect(exit).toBe(1);
  expect(document.drift.map(({ source }) => source).sort()).toEqual([
    'deep.json',
    'empty.json',
    'lines.ndjson',
    'repeated.json',
    'truncated.json',
    'types.json',
  ]);
});
