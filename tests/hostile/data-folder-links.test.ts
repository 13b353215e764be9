import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { DATA_FILES, DATA_FOLDERS, isDataEntry } from '../../src/core/data-folder.js';
import { backUp, createEngine, restoreBackup, trustFolder } from '../../src/index.js';
import { runRagstone } from '../e2e/run-ragstone.js';
import { temporaryFolder, writeFiles } from '../e2e/temporary-folder.js';

// Invariant: nothing in a data folder is opened through a link, or as a file that it is not, unless this account trusts where it leads.
// Kept by src/config/trust/odd-entries.ts.

let outer: string;
let folder: string;
beforeEach(() => {
  outer = temporaryFolder({
    'clone/docs/a.md': '# Kiln\n\nThe kiln burns at 900 degrees.\n',
    'stranger/notes.txt': "A stranger's file.\n",
    'stranger/audit-2020-01-01T00-00-00-000Z.jsonl': '{"of": "a stranger"}\n',
  });
  folder = join(outer, 'clone');
});

const env = (): Record<string, string> => ({ RAGSTONE_TRUST: '', XDG_STATE_HOME: join(outer, 'state') });
const stranger = (): string => join(outer, 'stranger');
const strangersFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(stranger()).map((name) => [name, readFileSync(join(stranger(), name), 'utf8')]),
  );

/** Puts a link to the stranger's folder, or to a file in it, in the place of an entry. */
function link(entry: string, dataDir = join(folder, '.ragstone')): void {
  const isFile = /\.(?:db|lock|json|jsonl|wanted)(?:-wal)?$/.test(entry);
  mkdirSync(dirname(join(dataDir, entry)), { recursive: true });
  symlinkSync(isFile ? join(stranger(), 'notes.txt') : stranger(), join(dataDir, entry));
}

const ENTRIES = [...Object.values(DATA_FILES), ...Object.values(DATA_FOLDERS)];
const REFUSED = { reason: 'INDEX_UNTRUSTED' };

const config = (): Parameters<typeof createEngine>[0] => ({
  cwd: folder,
  env: env(),
  config: { provider: 'libsql', audit: { enabled: true, library: true }, feedback: { enabled: true } },
});

test.each([
  ...ENTRIES,
  'ledger.db-wal',
  'service.db-wal',
  'audit/audit.jsonl',
  'feedback/a.jsonl',
  'deployments/acme/store',
  'knowledge/handbook',
  'try/slot/ledger.db',
  'failover/primary/store.db',
  'sync/state',
  'models/org/model',
  'an entry of a later version',
])('a link at %s: the index is refused, and nothing of a stranger is read or changed', async (entry) => {
  const before = strangersFiles();
  link(entry);
  await expect(createEngine(config())).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('holds the symbolic link'),
  });
  expect(strangersFiles()).toEqual(before);
});

test.each(ENTRIES)('a link at %s in a data folder that is the project too is refused', async (entry) => {
  link(entry, folder);
  await expect(createEngine({ ...config(), dataDir: folder })).rejects.toMatchObject(REFUSED);
  rmSync(join(folder, entry));
  symlinkSync(stranger(), join(folder, 'vendor'));
  await (await createEngine({ ...config(), dataDir: folder })).close();
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  test.each(ENTRIES)('at %s is refused at once', async (entry) => {
    mkdirSync(join(folder, '.ragstone'));
    execFileSync('mkfifo', [join(folder, '.ragstone', entry)]);
    await expect(createEngine(config())).rejects.toMatchObject({ reason: 'INDEX_DAMAGED' });
  });
});

test.each(Object.values(DATA_FOLDERS))('a file in the place of the folder %s is refused', async (entry) => {
  writeFiles(folder, { [`.ragstone/${entry}`]: 'text' });
  await expect(createEngine(config())).rejects.toMatchObject({
    reason: 'INDEX_DAMAGED',
    message: expect.stringContaining('in the place of folders'),
  });
});

describe('a link that the account trusts', () => {
  test('is followed, until it leads elsewhere', async () => {
    link('store');
    await trustFolder(folder, { env: env() });
    await (await createEngine(config())).close();
    rmSync(join(folder, '.ragstone/store'));
    symlinkSync(outer, join(folder, '.ragstone/store'));
    await expect(createEngine(config())).rejects.toMatchObject(REFUSED);
  });
});

describe('each command that opens a data folder without an engine', () => {
  const COMMANDS: readonly (readonly [string, readonly string[], string])[] = [
    ['audit', ['audit'], 'audit'],
    ['keys create', ['keys', 'create', '--tenant', 'acme'], 'keys'],
    ['keys list', ['keys', 'list'], 'keys'],
    ['keys create, whose log is a link', ['keys', 'create', '--tenant', 'acme'], 'audit'],
    ['model list', ['model', 'list'], 'models.json'],
    ['forget', ['forget', '--document', 'a.md', '--yes'], 'receipts'],
    ['clear', ['clear', '--yes'], 'try'],
    ['search', ['search', 'kiln'], 'results.db'],
    ['try', ['try', 'docs', 'kiln'], 'try'],
    ['serve', ['serve', '--port', '0'], 'service.db'],
    ['backup', ['backup', 'b.tar'], 'copying.lock'],
    ['backup of a folder', ['backup', 'b.tar'], 'deployments'],
  ];

  test.each(COMMANDS)('%s is refused', async (_, args, entry) => {
    writeFiles(folder, { 'ragstone.yaml': 'rag: { provider: libsql, audit: { enabled: true } }\n' });
    const before = strangersFiles();
    link(entry);
    const { code, stdout, stderr } = await runRagstone(args, { cwd: folder, env: env() });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('INDEX_UNTRUSTED');
    expect(stdout + stderr).not.toContain('of a stranger');
    expect(strangersFiles()).toEqual(before);
  });

  test('a backup is put into no folder behind a link', async () => {
    const place = { cwd: folder, env: env(), config: { provider: 'libsql' } } as const;
    const engine = await createEngine(place);
    await engine.index({ paths: ['docs'] });
    await engine.close();
    await backUp(join(outer, 'b.tar'), place);
    rmSync(join(folder, '.ragstone'), { recursive: true });
    mkdirSync(join(outer, 'empty'));
    symlinkSync(join(outer, 'empty'), join(folder, '.ragstone'));
    await expect(restoreBackup(join(outer, 'b.tar'), place)).rejects.toMatchObject(REFUSED);
    expect(readdirSync(join(outer, 'empty'))).toEqual([]);
  });
});

test('the code names entries of a data folder in one place alone', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/test[^/]*$|^testing/.test(path),
  );
  const written = files.filter((path) =>
    /\b(?:join|resolve)\(\s*(?:[\w.#]+\.)?#?dataDir,\s*['`]/.test(readFileSync(join(src, path), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(written).toEqual([]);
});

test('what work leaves in a data folder are entries that are known', async () => {
  const engine = await createEngine(config());
  await engine.index({ paths: ['docs'] });
  await engine.search('kiln');
  await engine.ask('How hot is the kiln?');
  await engine.verify({ repair: true });
  await engine.forget({ documents: ['a.md'] });
  await engine.close();
  writeFileSync(join(folder, 'ragstone.yaml'), 'rag: { provider: libsql }\n');
  await runRagstone(['keys', 'create', '--tenant', 'acme'], { cwd: folder, env: env() });
  await runRagstone(['try', 'docs', 'kiln'], { cwd: folder, env: env() });
  const names = readdirSync(join(folder, '.ragstone'));
  expect(names.length).toBeGreaterThan(6);
  expect(names.filter((name) => !isDataEntry(name))).toEqual(['.gitignore']);
  expect(names.filter((name) => lstatSync(join(folder, '.ragstone', name)).isSymbolicLink())).toEqual([]);
});
