import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine, IndexResult } from '../operations/engine.js';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'ragstone-overlap-')));
  write('docs/a.md', '# A\n\nAbout a quokka.\n');
  write('docs/src/b.md', '# B\n\nAbout a quokka.\n');
  write('docs/src/code.ts', '/** About a quokka. */\nexport const quokka = 1;\n');
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

type Sources = NonNullable<RAGSettingsInput['sources']>;
/** Markdown below `docs`, and no code. */
const DOCS: Sources = [{ name: 'handbook', type: 'markdown', root: 'docs', paths: ['**'] }];

async function withEngine<T>(sources: Sources, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ cwd, config: { provider: 'libsql', sources } });
  return work(engine).finally(() => engine.close());
}

const index = (sources: Sources, ...paths: string[]): Promise<IndexResult> =>
  withEngine(sources, (engine) => engine.index(paths.length === 0 ? {} : { paths }));

/** Which source holds which file; a file that is held twice stands here twice. */
const held = (sources: Sources): Promise<string[]> =>
  withEngine(sources, async (engine) => {
    expect((await engine.verify()).drift).toEqual([]);
    const { results } = await engine.search({
      text: 'quokka',
      options: { topK: 50, minSimilarity: 0, nearDuplicates: 'keep', mode: 'lexical' },
    });
    return results.map(({ origin }) => `${origin.source} ${origin.path?.slice(cwd.length + 1) ?? ''}`).sort();
  });

test.each([['docs'], ['.'], ['docs/src']])(
  '%s and a configured source: its files stay its own, and only the rest is indexed by path',
  async (path) => {
    await index(DOCS, path);
    const { notices, success } = await index(DOCS);
    expect(success).toBe(true);
    expect(notices.join()).toMatch(
      /source "handbook" indexes (a file|2 files) of .*each file is indexed once/,
    );
    expect(await held(DOCS)).toEqual([
      'handbook docs/a.md',
      'handbook docs/src/b.md',
      `path:${path} docs/src/code.ts`,
    ]);
  },
);

test('what another source takes over is told from what is gone', async () => {
  await index([], 'docs');
  rmSync(join(cwd, 'docs', 'a.md'));
  const { stats } = await index([], '.');
  expect(stats).toMatchObject({ documentsDeleted: 3, documentsMoved: 2 });
});

test('a folder that was indexed by path and is configured later moves over, and is not named again', async () => {
  await index([], 'docs/src');
  const files: Sources = [{ name: 'all', type: 'files', root: 'docs' }];
  const { notices, stats } = await index(files);
  expect(stats).toMatchObject({ documentsProcessed: 3, documentsDeleted: 2, documentsMoved: 2 });
  expect(notices.join()).toMatch(/source "all" indexes 2 files of "path:docs\/src".*not remembered/);
  expect(await held(files)).toEqual(['all docs/a.md', 'all docs/src/b.md', 'all docs/src/code.ts']);
  expect((await index(files)).notices.join()).not.toContain('path:docs/src');
});

test.each([[['docs', 'docs/src']], [['docs/src', 'docs']]])(
  'of %j the outer folder holds what is in both, in whichever order they are named',
  async (paths) => {
    for (const path of paths) await index([], path);
    expect(await held([])).toEqual([
      'path:docs docs/a.md',
      'path:docs docs/src/b.md',
      'path:docs docs/src/code.ts',
    ]);
  },
);

test('what only the inner path names stays: a file of a kind that folders leave out', async () => {
  write('docs/table.csv', 'animal\nquokka\n');
  await index([], 'docs');
  await index([], 'docs/table.csv');
  expect(await held([])).toContain('path:docs/table.csv docs/table.csv');
});

test('two ways to one folder are one folder', async () => {
  symlinkSync(join(cwd, 'docs'), join(cwd, 'link'));
  await index([], 'docs');
  await index([], 'link');
  expect(await held([])).toHaveLength(3);
});

test('naming a part of a source brings that source in step', async () => {
  await index(DOCS);
  write('docs/src/new.md', '# New\n\nAbout a quokka.\n');
  await index(DOCS, 'docs/src');
  expect(await held(DOCS)).toContain('handbook docs/src/new.md');
});

test('what is named by itself is not said to be skipped in a folder that a call names', async () => {
  for (const path of ['docs/app.log', 'docs/other.log', 'docs/t.csv', 'docs/d.zz']) write(path, 'quokka,1\n');
  const named = ['docs', 'docs/app.log', 'docs/t.csv', 'docs/src/b.md'];
  expect((await index([], ...named)).stats.skipped).toEqual({ 'path:docs': { log: 1, zz: 1 } });
  expect((await index([])).stats.skipped).toEqual({ 'path:docs': { log: 1, zz: 1 } });
});
