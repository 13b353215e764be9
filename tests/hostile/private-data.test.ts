import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/chunking/contextual/context-cache.js';
import { openEmbeddingCache } from '../../src/embedding/disk-embedding-cache.js';
import { createEngine } from '../../src/engine/create-engine.js';
import type { IndexResult } from '../../src/operations/engine.js';

let umask: number;
let folder: string;
beforeEach(() => {
  umask = process.umask(0);
  folder = mkdtempSync(join(tmpdir(), 'ragstone-private-'));
  writeFileSync(join(folder, 'a.md'), '# Salaries\n\nWhat everybody earns.\n');
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

/** Every path at and below a folder that somebody else may read or write, found through folders that they may enter. */
function reachable(path: string): string[] {
  const facts = statSync(path);
  const isOpen = (facts.mode & 0o077) !== 0;
  if (!facts.isDirectory()) return isOpen ? [path] : [];
  return isOpen ? [path, ...readdirSync(path).flatMap((name) => reachable(join(path, name)))] : [];
}

/** Every file below a folder that somebody else could read if the folders let them. */
const openFiles = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((name) => (statSync(name).mode & 0o077) !== 0);

async function index(config: object, dataDir = join(folder, 'data')): Promise<IndexResult> {
  const engine = await createEngine({ cwd: folder, dataDir, config });
  const result = await engine.index({ paths: [join(folder, 'a.md')] });
  await engine.search('salaries');
  // While its connections are open: the log of the database is there.
  expect(reachable(dataDir)).toEqual([]);
  await engine.close();
  return result;
}

describe.skipIf(process.platform === 'win32')('what is indexed, under a umask that hides nothing', () => {
  it.each(['libsql', 'usearch'])("is the owner's alone, file by file, in %s", async (provider) => {
    await index({ provider });
    expect(openFiles(join(folder, 'data'))).toEqual([]);
  });

  it('is reached by nobody else in LanceDB, whose folder is closed', async () => {
    await index({ provider: 'lancedb' });
    expect(openFiles(join(folder, 'data')).filter((path) => !path.includes('/store/'))).toEqual([]);
    await index(
      { provider: 'lancedb', storage: { local: { path: 'elsewhere/vectors' } } },
      join(folder, 'other'),
    );
    expect(reachable(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('is taken back from others where an earlier version left it open, with a notice', async () => {
    const data = join(folder, 'data');
    await index({ provider: 'libsql' });
    chmodSync(data, 0o755);
    chmodSync(join(data, 'ledger.db'), 0o644);
    expect((await index({ provider: 'libsql' })).notices.join()).toContain('now only its owner can');
    expect(openFiles(data)).toEqual([]);
    expect((await index({ provider: 'libsql' })).notices).toEqual([]);
  });

  it('leaves the folder of the project as it is, and says so', async () => {
    chmodSync(folder, 0o755);
    const engine = await createEngine({ cwd: folder, dataDir: folder, config: { provider: 'libsql' } });
    const { notices } = await engine.index({ paths: [join(folder, 'a.md')] });
    await engine.close();
    expect(notices.join()).toContain('a folder of its own');
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, 'ledger.db')).mode & 0o077).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('caches, under a umask that hides nothing', () => {
  it("of vectors and written contexts are the owner's alone", async () => {
    const data = join(folder, 'data');
    const vectors = openEmbeddingCache({ folder: join(data, 'cache'), maxMegabytes: 1 });
    vectors.setMany([['0'.repeat(64), new Float32Array(4)]]);
    vectors.close();
    await new ContextCache(join(data, 'contexts')).set('ab12', 'what was written');
    expect(openFiles(data)).toEqual([]);
    expect(readdirSync(data)).toHaveLength(2);
  });
});
