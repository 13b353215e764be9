import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { IndexResult, SearchResponse, VerifyResult } from '../../src/index.js';
import { IS_LONG } from '../long-forms.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { sharedFolder, temporaryFolder } from './temporary-folder.js';

const DOCUMENTS = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [
    `docs/note-${i}.md`,
    `# Note ${i}\n\nThe marmalade number ${i} is kept on shelf ${i * 7}, beside the queue of retries.\n`,
  ]),
);

/** Paths of all files below a folder whose path matches. */
const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .map((path) => join(folder, path));

/** Bytes that no file format takes for its own, the same in every run. */
const garbage = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 167 + 13) % 251);

const overwrite = (path: string): void => writeFileSync(path, garbage(3000));
const cut = (path: string): void => truncateSync(path, 100);
const empty = (path: string): void => truncateSync(path, 0);

/** Replaces some of a file's pages of 4096 bytes. */
function overwritePages(path: string, first: number, count: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, garbage(count * 4096), 0, count * 4096, first * 4096);
  closeSync(file);
}

/** A function that damages every file of a data folder whose path matches. */
const each =
  (pattern: RegExp, damage: (path: string) => void) =>
  (dataDir: string): void => {
    const paths = filesBelow(dataDir, pattern);
    expect(paths).not.toEqual([]);
    for (const path of paths) damage(path);
  };

const remove = (path: string): void => rmSync(path, { recursive: true });

const STORE_DAMAGES = {
  libsql: {
    'its folder is deleted': each(/^store$/, remove),
    'its file is cut short': each(/store\.db$/, (path) => truncateSync(path, 9000)),
    'its file is emptied': each(/store\.db$/, empty),
    'its file is overwritten': each(/store\.db$/, overwrite),
    'pages in its middle are overwritten': each(/store\.db$/, (path) => overwritePages(path, 6, 12)),
  },
  lancedb: {
    'its folder is deleted': each(/^store$/, remove),
    'its data are cut short': each(/data\/[^/]+\.lance$/, cut),
    'its data are deleted': each(/data\/[^/]+\.lance$/, remove),
    'its data are overwritten': each(/data\/[^/]+\.lance$/, overwrite),
    'pages in the middle of its data are overwritten': each(/data\/[^/]+\.lance$/, (path) =>
      overwritePages(path, 1, 1),
    ),
    'its manifests are overwritten': each(/\.manifest$/, overwrite),
    'the index of its words is overwritten': each(/lexical\/store\.db$/, overwrite),
  },
};

/** Of each store every fourth way in the short form. */
const waysOf = (damages: Readonly<Record<string, (dataDir: string) => void>>) =>
  Object.entries(damages).filter((_, i) => IS_LONG || i % 4 === 0);

describe.each(Object.entries(STORE_DAMAGES))('a damaged store (%s)', (provider, damages) => {
  // A folder of its own, because the libSQL store is else in the ledger's file; that is damaged below.
  const config = `rag: { provider: ${provider}, storage: { local: { path: .ragstone/store } } }\n`;
  const pristine = sharedFolder({ 'ragstone.yaml': config, ...DOCUMENTS });
  beforeAll(async () => {
    const { code } = await runRagstone(['index', 'docs'], { cwd: pristine });
    expect(code).toBe(0);
  });

  test.each(waysOf(damages))(
    '%s: verify, search and index say so, index --force heals it',
    async (_, damage) => {
      const cwd = temporaryFolder();
      cpSync(pristine, cwd, { recursive: true, preserveTimestamps: true });
      damage(join(cwd, '.ragstone'));

      const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd });
      expect(verified.code).toBe(1);
      expect(verified.document.drift).toContainEqual({
        kind: 'store-damaged',
        source: provider,
        detail: expect.stringContaining('ragstone index --force'),
      });
      expect((await runRagstone(['status', '--json'], { cwd })).code).toBe(0);

      // A lane whose files are whole may still answer; then a notice says what is missing.
      const found = await ragstoneJson<Partial<ErrorDocument & SearchResponse>>(['search', 'marmalade'], {
        cwd,
      });
      const said = found.document.error?.message ?? found.document.notices?.join('\n') ?? '';
      if (found.document.error !== undefined) expect(found.code).toBe(1);
      if (found.document.error !== undefined || found.document.degradationLevel !== 0)
        expect(said).toContain('ragstone index --force');

      const indexed = await ragstoneJson<ErrorDocument>(['index'], { cwd });
      expect(indexed).toMatchObject({ code: 1, document: { error: { reason: 'STORE_DAMAGED' } } });

      const healed = await ragstoneJson<IndexResult>(['index', '--force'], { cwd });
      expect(healed).toMatchObject({
        code: 0,
        document: { success: true, stats: { documentsProcessed: 40 } },
      });
      expect(await ragstoneJson<VerifyResult>(['verify'], { cwd })).toMatchObject({
        code: 0,
        document: { ok: true },
      });
      const after = await ragstoneJson<SearchResponse>(['search', 'marmalade'], { cwd });
      expect(after).toMatchObject({ code: 0, document: { degradationLevel: 0, notices: [] } });
      expect(after.document.results).toHaveLength(5);
    },
  );
});

const LEDGER_DAMAGES = {
  'it is overwritten': overwrite,
  'it is cut short': (path: string) => truncateSync(path, 9000),
  'pages in its middle are overwritten': (path: string) => overwritePages(path, 3, 4),
};

describe('a damaged ledger', () => {
  const config = 'rag:\n  provider: libsql\n  sources: [{ name: notes, type: markdown, paths: [docs/**] }]\n';
  const pristine = sharedFolder({ 'ragstone.yaml': config, ...DOCUMENTS });
  beforeAll(async () => {
    expect((await runRagstone(['index'], { cwd: pristine })).code).toBe(0);
  });

  function damagedCopy(damage: (path: string) => void): string {
    const cwd = temporaryFolder();
    cpSync(pristine, cwd, { recursive: true, preserveTimestamps: true });
    damage(join(cwd, '.ragstone', 'ledger.db'));
    return cwd;
  }

  async function expectWhole(cwd: string): Promise<void> {
    expect(await ragstoneJson<VerifyResult>(['verify'], { cwd })).toMatchObject({
      code: 0,
      document: { ok: true, drift: [] },
    });
    const { document } = await ragstoneJson<SearchResponse>(['search', 'marmalade'], { cwd });
    expect(document.results).toHaveLength(5);
  }

  test.each(Object.entries(LEDGER_DAMAGES))(
    '%s: verify names it with 1, index --force heals it',
    async (_, damage) => {
      const cwd = damagedCopy(damage);
      const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd });
      expect(verified.code).toBe(1);
      expect(verified.document.drift[0]).toMatchObject({ kind: 'ledger-damaged', source: 'ledger' });
      const healed = await ragstoneJson<IndexResult>(['index', '--force'], { cwd });
      expect(healed).toMatchObject({ code: 0, document: { stats: { documentsProcessed: 40 } } });
      await expectWhole(cwd);
    },
  );

  test('overwritten: search and index refuse with 1 and say what to do', async () => {
    const cwd = damagedCopy(overwrite);
    for (const args of [['search', 'marmalade'], ['status'], ['index']]) {
      const { code, document } = await ragstoneJson<ErrorDocument>(args, { cwd });
      expect(code).toBe(1);
      expect(document.error).toMatchObject({
        reason: 'INDEX_DAMAGED',
        message: expect.stringContaining('ragstone index --force'),
      });
    }
  });

  test('verify --repair heals it', async () => {
    const cwd = damagedCopy(overwrite);
    expect(await ragstoneJson<VerifyResult>(['verify', '--repair'], { cwd })).toMatchObject({
      code: 0,
      document: { ok: true, repaired: 1 },
    });
    await expectWhole(cwd);
  });

  test('where folders were indexed by name, index --force asks for them', async () => {
    const cwd = temporaryFolder({ 'ragstone.yaml': 'rag: { provider: libsql }\n', ...DOCUMENTS });
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
    overwrite(join(cwd, '.ragstone', 'ledger.db'));
    const asked = await ragstoneJson<ErrorDocument>(['index', '--force'], { cwd });
    expect(asked.code).toBe(1);
    expect(asked.document.error).toMatchObject({
      reason: 'INDEX_DAMAGED',
      message: expect.stringContaining('ragstone index FOLDER --force'),
    });
    expect((await runRagstone(['index', 'docs', '--force'], { cwd })).code).toBe(0);
    await expectWhole(cwd);
  });
});
