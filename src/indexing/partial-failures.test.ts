import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DocumentChunker } from '../chunking/chunker.js';
import type { RawDocument } from '../core/document.js';
import { RAGError } from '../core/errors.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../core/scope.js';
import type { Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/sqlite/open-ledger.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';
import { PLAIN_TEXT_PARSER } from '../parsing/plain-text/plain-text-parser.js';
import { createMarkdownSource } from '../sources/markdown/markdown-source.js';
import type { ReadResult, Source } from '../sources/source.js';
import { createMemoryStore } from '../stores/memory/memory-store.js';
import type { VectorStore } from '../stores/vector-store.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { runIndex } from './run-index.js';

const WHOLE: DocumentChunker = {
  strategy: 'whole',
  chunk: ({ text }) => [
    {
      content: text,
      start: 0,
      end: text.length,
      lines: { start: 1, end: 1 },
      headingPath: [],
      tokenCount: 1,
    },
  ],
};

let folder: string;
let ledger: Ledger;
let store: VectorStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-partial-'));
  ledger = openLedger({ path: join(folder, 'ledger.db') });
  store = createMemoryStore();
});
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const index = (source: Source) =>
  runIndex({
    ledger,
    store,
    embedder: createHashEmbedder({ dimensions: 8 }),
    embedding: {},
    sources: [
      {
        source,
        sourceType: 'note',
        metadata: {},
        preparation: {
          chunker: WHOLE,
          parsers: new Map(
            [PLAIN_TEXT_PARSER, createMarkdownParser({})].flatMap((parser) =>
              parser.mediaTypes.map((type) => [type, parser] as const),
            ),
          ),
        },
        processingKey: 'k',
      },
    ],
    configuredNames: new Set([source.name]),
    options: {
      scope: LOCAL_SCOPE,
      force: false,
      dryRun: false,
      batchSize: 10,
      parallel: 1,
    },
    command: 'index',
    storeOf: async () => store,
    learn: async () => undefined,
    now: () => '2026-01-01T00:00:00.000Z',
  });

const document = (externalId: string): RawDocument => ({
  externalId,
  mediaType: 'text/plain',
  content: `The text of ${externalId}`,
  metadata: {},
  access: OPEN_ACCESS,
});

/** A source of one item, which holds many documents. */
const container = (version: string, ids: readonly string[], failed: readonly string[] = []): Source => ({
  name: 'container',
  type: 'test',
  listing: 'complete',
  async *list() {
    yield { id: 'file', version };
  },
  read: (): Promise<ReadResult> =>
    Promise.resolve({
      documents: ids.map(document),
      failures: failed.map((externalId) => ({
        externalId,
        error: new RAGError('DOCUMENT_INVALID', `"${externalId}" is bad.`),
      })),
    }),
});

async function indexed(): Promise<string[]> {
  const documents = await ledger.reader(1).documents(undefined, 100);
  return documents.map(({ externalId }) => externalId).sort();
}

test('a document that left its file is deleted', async () => {
  await index(container('1', ['file#a', 'file#b']));
  expect((await index(container('2', ['file#a']))).stats.documentsDeleted).toBe(1);
  expect(await indexed()).toEqual(['file#a']);
});

test('while a file, or a nameless part of it, cannot be read, nothing indexed of it is deleted', async () => {
  await index(container('1', ['file#a', 'file#b']));
  for (const [version, ids, failed] of [
    ['2', [], 'file'],
    ['3', ['file#a'], 'file#line 2'],
  ] as const) {
    const { success, stats } = await index(container(version, ids, [failed]));
    expect(success).toBe(false);
    expect(stats).toMatchObject({ documentsFailed: 1, documentsDeleted: 0 });
    expect(await indexed()).toEqual(['file#a', 'file#b']);
  }
  await index(container('4', ['file#a']));
  expect(await indexed()).toEqual(['file#a']);
});

test('where the failure is of a known document, the others that left are deleted', async () => {
  await index(container('1', ['file#a', 'file#b', 'file#c']));
  await index(container('2', ['file#a'], ['file#b']));
  expect(await indexed()).toEqual(['file#a', 'file#b']);
});

test('a file that goes between listing and reading is reported as vanished, and the others are indexed', async () => {
  for (const name of ['a.md', 'b.md']) writeFileSync(join(folder, name), `# ${name}\n`);
  const files = createMarkdownSource({ name: 'files', root: folder, maxFileBytes: 1000 });
  const vanishing: Source = {
    ...files,
    async *list(options) {
      yield* files.list(options);
      rmSync(join(folder, 'b.md'));
    },
  };
  const { stats } = await index(vanishing);
  expect(stats).toMatchObject({
    documentsProcessed: 1,
    errors: [{ item: 'b.md', reason: 'DOCUMENT_VANISHED' }],
  });
  expect((await index(files)).success).toBe(true);
  expect(await indexed()).toEqual(['a.md']);
});

test('what a source that lists changes does not have any more when it is read is deleted, though no listing names it', async () => {
  const pages = new Map([
    ['a', '1'],
    ['b', '1'],
  ]);
  let changed = [...pages.keys()];
  const wiki: Source = {
    name: 'files',
    type: 'wiki',
    listing: 'complete',
    async *list() {
      for (const [id, version] of pages) yield { id, version };
    },
    async *listChanges() {
      for (const id of changed) yield { id, version: pages.get(id) ?? '2' };
      yield { cursor: String(changed.length) };
    },
    read: async ({ id }) => {
      if (!pages.has(id)) throw new RAGError('DOCUMENT_VANISHED', `${id} is gone.`);
      return {
        documents: [
          { externalId: id, mediaType: 'text/plain', content: id, metadata: {}, access: OPEN_ACCESS },
        ],
        failures: [],
      };
    },
  };
  await index(wiki);
  expect(await indexed()).toEqual(['a', 'b']);
  pages.delete('b');
  changed = ['b'];
  const { success, stats } = await index(wiki);
  expect({ success, deleted: stats.documentsDeleted, errors: stats.errors }).toEqual({
    success: true,
    deleted: 1,
    errors: [],
  });
  expect(await indexed()).toEqual(['a']);
  const live = await ledger.live();
  expect([...(await ledger.reader(live?.generation ?? 0).items(LOCAL_SCOPE.tenant, 'files')).keys()]).toEqual(
    ['a'],
  );
});
