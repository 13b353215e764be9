import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import type { IndexResult, IndexStatus } from '../../src/index.js';
import { type ErrorDocument, ragstoneJson } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';
import { UNPRIVILEGED } from './unprivileged.js';

const ROOTS = ['literal', 'deeper', 'whole', 'moved', 'ruled', 'repository', 'stored'];

const pagesOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    ['a.md', 'open/b.md', 'closed/c.md', 'closed/deep/d.md'].map((path) => [
      `${root}/${path}`,
      `# Page\n\nThe ${path} of ${root} burns at 900 degrees.\n`,
    ]),
  );

/** A configuration whose last source has another root at first. */
const configuration = (rootOfMoved: string): string => `rag:
  provider: libsql
  sources:
    - { name: literal, type: files, root: literal, paths: [a.md, closed/c.md, 'open/*.md'] }
    - { name: deeper, type: files, root: deeper, paths: ['closed/deep/**', 'open/*.md'] }
    - { name: whole, type: files, root: whole }
    - { name: ruled, type: files, root: ruled }
    - { name: repository, type: git, repository: repository }
    - { name: stored, type: git, repository: stored }
    - { name: rows, type: sql, path: rows/notes.db, table: note, key: id, text: body }
    - { name: ${rootOfMoved === 'moved' ? 'now' : 'before'}, type: files, root: ${rootOfMoved} }
`;

function commit(folder: string): void {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', args, { cwd: folder });
}

async function indexedIn(cwd: string): Promise<Record<string, number>> {
  const { document } = await ragstoneJson<IndexStatus>(['status'], { cwd });
  return Object.fromEntries(document.sources.map(({ source, documents }) => [source, documents.indexed]));
}

test.runIf(UNPRIVILEGED)('what is closed is kept and named, and all else goes on', async () => {
  const cwd = temporaryFolder({
    ...Object.assign({}, ...ROOTS.map(pagesOf)),
    'ruled/open/.gitignore': '*.txt\n',
    'rows/keep': '',
    'ragstone.yaml': configuration('moved/closed'),
  });
  for (const name of ['repository', 'stored']) commit(join(cwd, name));
  const database = new Database(join(cwd, 'rows/notes.db'));
  database.exec("CREATE TABLE note (id TEXT, body TEXT); INSERT INTO note VALUES ('1', 'The kiln burns.')");
  database.close();
  expect((await ragstoneJson(['index'], { cwd })).code).toBe(0);
  const before = await indexedIn(cwd);

  writeFileSync(join(cwd, 'ragstone.yaml'), configuration('moved'));
  for (const root of ['literal', 'deeper', 'whole']) writeFileSync(join(cwd, root, 'open/new.md'), 'New.');
  const closed = [
    ...['literal', 'deeper', 'whole', 'moved'].map((root) => join(cwd, root, 'closed')),
    join(cwd, 'ruled/open/.gitignore'),
    join(cwd, 'repository/.git'),
    join(cwd, 'stored/.git/objects'),
    join(cwd, 'rows'),
  ];
  const setModes = (mode: number): void => {
    for (const path of closed) chmodSync(path, mode);
  };
  onTestFinished(() => setModes(0o755));
  setModes(0);
  const { code, document } = await ragstoneJson<IndexResult>(['index'], { cwd, ...UNPRIVILEGED });
  setModes(0o755);

  expect(code).toBe(1);
  expect(document.stats.documentsDeleted).toBe(0);
  expect(await indexedIn(cwd)).toEqual({ ...before, literal: 4, deeper: 3, whole: 5, now: 2 });
  const told = document.stats.errors.map(({ source, item, reason, message }) => {
    expect(message).not.toMatch(/EACCES: |sign-in|there is no|does not exist/i);
    return [source, item, reason];
  });
  expect(told).toEqual([
    ...['literal', 'deeper', 'whole'].map((source) => [source, 'closed/', 'DOCUMENT_UNREADABLE']),
    ['ruled', 'open/', 'DOCUMENT_UNREADABLE'],
    ...['repository', 'stored', 'rows'].map((source) => [source, undefined, 'SOURCE_UNREADABLE']),
    ['now', 'closed/', 'DOCUMENT_UNREADABLE'],
  ]);
  const messages = document.stats.errors.map(({ message }) => message).join('\n');
  for (const place of ['ruled/open/.gitignore', 'repository/.git/', 'stored/.git/objects', 'rows/notes.db'])
    expect(messages).toContain(place);
});

test.skipIf(UNPRIVILEGED === undefined)('a data folder that is closed is told with what to do', async () => {
  const cwd = temporaryFolder({ 'docs/a.md': '# Kiln\n\nIt burns at 900 degrees.\n' });
  const options = { cwd, ...UNPRIVILEGED };
  expect((await ragstoneJson(['index', 'docs'], options)).code).toBe(0);
  chmodSync(join(cwd, '.ragstone'), 0);
  onTestFinished(() => chmodSync(join(cwd, '.ragstone'), 0o700));
  for (const args of [['search', 'kiln'], ['index']]) {
    const { code, document } = await ragstoneJson<ErrorDocument>(args, options);
    expect([code, document.error.reason]).toEqual([expect.any(Number), 'INDEX_DAMAGED']);
    expect(document.error.message).toContain('chmod u+rwx');
  }
});
