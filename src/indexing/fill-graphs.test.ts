import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngine, type Engine } from '../index.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-fill-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/a.md'), 'See [b](b.md).');
  writeFileSync(join(folder, 'docs/b.md'), 'Nothing.');
  const sources = [{ name: 'docs', type: 'files' as const, root: 'docs', paths: ['**'] }];
  engine = await createEngine({
    config: { provider: 'libsql', sources },
    dataDir: join(folder, 'data'),
    cwd: folder,
  });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Leaves the ledger as an older version wrote it. */
function takeGraph(): void {
  const database = new Database(join(folder, 'data/ledger.db'));
  database.exec('DELETE FROM graph_name; DELETE FROM graph_reference; UPDATE document SET graph = 0');
  database.close();
}

it('an index of an older version says that it has no graph, and the next run makes it of what is kept', async () => {
  await engine.index();
  await engine.push([{ id: 'pushed', text: 'See https://example.com/x' }]);
  takeGraph();
  const told = expect.stringMatching(/not in the graph yet\. Run `ragstone index`/);
  expect((await engine.status()).notices).toContainEqual(told);
  const found = await engine.search({ text: 'nothing', options: { mode: 'graph' } });
  expect(found.notices).toContainEqual(told);
  const result = await engine.index();
  expect(result.notices).toContain('The graph was made for 3 documents that an older version indexed.');
  expect(result.stats).toMatchObject({ documentsProcessed: 0, embeddingsComputed: 0 });
  expect((await engine.status()).notices).toEqual([]);
  const { related } = await engine.related('b.md');
  expect(related.map(({ externalId }) => externalId)).toEqual(['a.md']);
  expect((await engine.index()).notices).toEqual([]);
});
