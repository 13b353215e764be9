import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { IndexRequest, IndexResult } from '../operations/engine.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-remembered-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

/** One command: an engine of its own, as each process has. */
async function index(request: IndexRequest = {}): Promise<IndexResult> {
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  return engine.index(request).finally(() => engine.close());
}

/** A run that ends before its first document is read. */
async function stopAtOnce(path: string): Promise<void> {
  const controller = new AbortController();
  const onProgress = (): void => controller.abort();
  const stopped = index({ paths: [path], onProgress, signal: controller.signal });
  await expect(stopped).rejects.toMatchObject({ reason: 'ABORTED' });
}

test('a folder whose run ended before its first document is gone on with, and verify misses it', async () => {
  write('docs/a.md', '# A\n\nText.\n');
  await stopAtOnce('docs');
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  const { drift } = await engine.verify().finally(() => engine.close());
  expect(drift).toMatchObject([{ kind: 'source-new', source: 'a.md' }]);
  expect((await index()).stats.documentsProcessed).toBe(1);
});

test('a folder that was empty is looked at again', async () => {
  write('docs/picture.png', '');
  await index({ paths: ['docs'] });
  write('docs/a.md', '# A\n\nText.\n');
  expect((await index()).stats.documentsProcessed).toBe(1);
});

test('a path that names nothing is reported once and not remembered', async () => {
  write('docs/a.md', '# A\n\nText.\n');
  await index({ paths: ['docs'] });
  expect((await index({ paths: ['dosc'] })).success).toBe(false);
  expect(await index()).toMatchObject({ success: true, stats: { documentsUnchanged: 1 } });
});

test('a dry run leaves nothing to go on with, and prune gives up what is not named', async () => {
  write('docs/a.md', '# A\n\nText.\n');
  write('notes/b.md', '# B\n\nText.\n');
  await stopAtOnce('notes');
  await index({ paths: ['docs'], options: { prune: true } });
  await index({ paths: ['notes'], options: { dryRun: true } });
  expect((await index()).stats).toMatchObject({ documentsProcessed: 0, documentsUnchanged: 1 });
});

test('an index that holds nothing is verified like any other; a run without anything to index is wrong usage', async () => {
  await index({ paths: ['dosc'] });
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  expect(await engine.verify().finally(() => engine.close())).toMatchObject({ ok: true, drift: [] });
  await expect(index()).rejects.toMatchObject({ reason: 'USAGE' });
});
