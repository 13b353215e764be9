import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FailedItem, IndexResult, IndexStatus, SourceSyncState } from '../../src/index.js';
import { compatibleEmbeddingWire, embeddingReply } from '../fakes/wire/embedding-wire.js';
import { jsonReply, startWireServer } from '../fakes/wire/wire-server.js';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

const CONFIG = `rag:
  provider: libsql
  indexing: { retry: { initialDelay: 30d, maxDelay: 30d } }
  sources:
    - { name: notes, type: markdown, paths: ['docs/**/*.md'] }
`;

test('what failed is listed, left alone for a while, and tried again by command', async () => {
  const broken = Buffer.from('\uFEFF# Caf\uD800\n', 'utf16le');
  const cwd = temporaryFolder({ 'ragstone.yaml': CONFIG, 'docs/cafe.md': broken, 'docs/a.md': 'A lamp.\n' });
  expect((await runRagstone(['index'], { cwd })).code).toBe(1);
  const {
    document: { failures },
  } = await ragstoneJson<{ failures: FailedItem[] }>(['failures'], { cwd });
  expect(failures).toMatchObject([
    { source: 'notes', reason: 'DOCUMENT_INVALID_ENCODING', attempts: 1, state: 'waiting' },
  ]);
  const item = failures[0]?.item ?? '';
  const screen = await runRagstone(['failures', '--source', 'notes'], { cwd });
  expect(screen.stdout).toContain('1 attempt, the last');
  expect(screen.stdout).toContain('tried again after');
  const again = await runRagstone(['index'], { cwd });
  expect(again.stdout).toContain('by "ragstone failures retry"');
  expect((await runRagstone(['failures', 'retry', item], { cwd })).code).toBe(1);
  const retried = await ragstoneJson<{ failures: FailedItem[] }>(['failures', item], { cwd });
  expect(retried.document.failures).toMatchObject([{ attempts: 2 }]);
  expect((await runRagstone(['failures', 'retry', 'nobody'], { cwd })).code).toBe(2);
  writeFiles(cwd, { 'docs/cafe.md': '# Café\n' });
  expect((await runRagstone(['index'], { cwd })).code).toBe(0);
  expect((await runRagstone(['failures'], { cwd })).stdout).toContain('Nothing failed.');
});

test('a source that lost most of its files is stopped, told with its state, and goes on when that is allowed', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `docs/note-${i}.md`);
  const files = Object.fromEntries(names.map((name) => [name, `The text of ${name}.\n`]));
  const cwd = temporaryFolder({ 'ragstone.yaml': CONFIG, ...files });
  await runRagstone(['index'], { cwd });
  for (const name of names.slice(5)) rmSync(join(cwd, name));
  const stopped = await runRagstone(['index'], { cwd });
  expect(stopped.code).toBe(1);
  expect(stopped.stdout).toContain('SOURCE_SHRUNK source notes');
  expect(stopped.stdout).toContain('--allow-shrink-source "notes"');
  const {
    document: { sources },
  } = await ragstoneJson<{ sources: SourceSyncState[] }>(['sources', 'status'], { cwd });
  expect(sources).toMatchObject([
    { source: 'notes', consecutiveFailures: 1, lastError: { reason: 'SOURCE_SHRUNK' } },
  ]);
  for (const command of [['status'], ['sources', 'status']])
    expect((await runRagstone(command, { cwd })).stdout).toContain('SOURCE_SHRUNK source notes');
  const allowed = await ragstoneJson<IndexResult>(['index', '--allow-shrink-source', 'notes'], { cwd });
  expect(allowed.document.stats).toMatchObject({ documentsDeleted: 25, documentsUnchanged: 5 });
});

test('a source that never could be read fails where a person looks, and what is listed can be named', async () => {
  const config = `rag:
  provider: libsql
  sources:
    - { name: notes, type: files, root: docs, paths: ['**'] }
    - { name: later, type: markdown, root: output, paths: ['**/*.md'] }
`;
  const cwd = temporaryFolder({
    'ragstone.yaml': config,
    'docs/bad.pdf': '%PDF-1.4 cut short',
    'docs/a.md': '# A\n\nA lamp.\n',
  });
  expect((await runRagstone(['index'], { cwd })).code).toBe(1);
  for (const command of [['status'], ['failures'], ['failures', '--source', 'later']])
    expect((await runRagstone(command, { cwd })).stdout).toContain('SOURCE_NOT_FOUND source later');
  const { document } = await ragstoneJson<IndexStatus>(['status'], { cwd });
  expect(document.sources).toMatchObject([
    { source: 'notes', documents: { indexed: 1 } },
    { source: 'later', sourceType: 'markdown', sync: { consecutiveFailures: 1 } },
  ]);
  expect((await runRagstone(['failures'], { cwd })).stdout).toContain(
    'DOCUMENT_INVALID docs/bad.pdf (notes)',
  );
  rmSync(join(cwd, 'docs/bad.pdf'));
  const retried = await ragstoneJson<IndexResult>(['failures', 'retry', 'docs/bad.pdf'], { cwd });
  expect(retried.document.stats.errors).toEqual([]);
  writeFiles(cwd, { 'output/b.md': '# B\n\nA candle.\n' });
  const rest = await ragstoneJson<IndexResult>(['failures', 'retry'], { cwd });
  expect(rest.document).toMatchObject({ success: true, stats: { documentsProcessed: 1 } });
  expect((await runRagstone(['failures'], { cwd })).stdout).toContain('Nothing failed.');
});

test('a run that ends by an error is told by failures and status, until one goes well', async () => {
  let isOut = false;
  const server = await startWireServer(compatibleEmbeddingWire, (request) =>
    isOut
      ? jsonReply(401, { error: { message: 'No.' } })
      : embeddingReply(compatibleEmbeddingWire, request, 8),
  );
  onTestFinished(() => server.close());
  const config = `${CONFIG}  embedding: { model: 'ollama:small', dimensions: 8 }
  modelProviders: { ollama: { baseUrl: '${server.url}/v1' } }
`;
  const cwd = temporaryFolder({ 'ragstone.yaml': config, 'docs/a.md': 'A lamp.\n' });
  const run = (...args: string[]) => runRagstone(args, { cwd });
  expect(await run('index')).toMatchObject({ code: 0 });
  isOut = true;
  writeFiles(cwd, { 'docs/a.md': 'A red lamp.\n' });
  expect((await run('index')).code).toBe(2);
  expect((await run('status')).stdout).toMatch(/last run .*failed \(EMBEDDING_REJECTED\): \S/);
  expect((await run('failures')).stdout).toContain('the last run ended by an error: EMBEDDING_REJECTED');
  isOut = false;
  await run('index');
  expect((await run('status')).stdout).toMatch(/last run .*, fine/);
  expect((await run('failures')).stdout).toContain('Nothing failed.');
});
