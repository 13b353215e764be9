import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import type { IndexResult, IndexStatus, SearchResponse, VerifyResult } from '../../src/index.js';
import { documentOf, type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

const MINILM = fileURLToPath(new URL('../../../shared/models/all-MiniLM-L6-v2', import.meta.url));
if (!existsSync(MINILM)) console.warn('a change of the model is skipped: shared/models is absent');

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder({
    'ragstone.yaml': 'rag: { provider: libsql }\n',
    'one/alpha.md': '# Alpha\n\nThe marmalade queue is drained hourly.\n',
    'two/beta.md': '# Beta\n\nThe gondola waits for passengers.\n',
  });
});

const configure = (settings: string): void => writeFileSync(join(cwd, 'ragstone.yaml'), `rag: ${settings}\n`);

const index = (...args: string[]) => ragstoneJson<IndexResult>(['index', ...args], { cwd });

async function found(query: string): Promise<string[]> {
  const { document } = await ragstoneJson<SearchResponse>(['search', query, '--mode', 'lexical'], { cwd });
  return document.results.map(({ metadata }) => metadata.source);
}

const expectClean = async (): Promise<void> =>
  expect(await ragstoneJson<VerifyResult>(['verify'], { cwd })).toMatchObject({
    code: 0,
    document: { ok: true, drift: [] },
  });

describe('before any index', () => {
  test.each([[['status']], [['search', 'x']], [['verify']], [['verify', '--repair']]])(
    '%j ends with 1, says what to run, and leaves no file',
    async (args) => {
      const { code, document } = await ragstoneJson<ErrorDocument>(args, { cwd });
      expect(code).toBe(1);
      expect(document.error).toMatchObject({
        reason: 'INDEX_EMPTY',
        message: expect.stringContaining('ragstone index FOLDER'),
      });
      expect(existsSync(join(cwd, '.ragstone'))).toBe(false);
    },
  );

  test('index without anything to index ends with 2 and says what to name', async () => {
    const { code, document } = await ragstoneJson<ErrorDocument>(['index'], { cwd });
    expect(code).toBe(2);
    expect(document.error.message).toMatch(/name a folder.*rag\.sources/);
  });
});

describe('--dry-run', () => {
  test('says what would be done and leaves nothing behind, neither here nor in the temporary folder', async () => {
    const temporary = join(cwd, 'tmp');
    mkdirSync(temporary);
    const before = readdirSync(cwd, { recursive: true });
    const { code, document } = await ragstoneJson<IndexResult>(['index', 'one', 'two', '--dry-run'], {
      cwd,
      env: { TMPDIR: temporary },
    });
    expect(code).toBe(0);
    expect(document).toMatchObject({ dryRun: true, stats: { documentsProcessed: 2, chunksCreated: 2 } });
    expect(readdirSync(cwd, { recursive: true })).toEqual(before);
  });

  test('of a change and a deletion changes nothing', async () => {
    await index('one', 'two');
    rmSync(join(cwd, 'one/alpha.md'));
    writeFiles(cwd, { 'two/beta.md': '# Beta\n\nThe gondola has left.\n' });
    expect((await index('--dry-run')).document.stats).toMatchObject({
      documentsProcessed: 1,
      documentsDeleted: 1,
      vectorsIndexed: 0,
    });
    expect(await found('marmalade')).toEqual(['alpha.md']);
    expect((await index()).document.stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 1 });
  });
});

describe('what goes from the sources', () => {
  test('goes from the index', async () => {
    await index('one', 'two');
    rmSync(join(cwd, 'one/alpha.md'));
    const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd });
    expect(verified).toMatchObject({
      code: 1,
      document: { drift: [{ kind: 'source-deleted', source: 'alpha.md' }] },
    });
    const { code, document } = await index();
    expect(code).toBe(0);
    expect(document.stats).toMatchObject({ documentsDeleted: 1, documentsUnchanged: 1 });
    expect(await found('marmalade')).toEqual([]);
    await expectClean();
  });

  test('a missing folder is wrong usage where it is named, else a notice, and deletes nothing; --prune gives it up', async () => {
    await index('one', 'two');
    renameSync(join(cwd, 'one'), join(cwd, 'elsewhere'));
    const named = await index('one');
    expect(named.code).toBe(2);
    expect(named.document).toMatchObject({
      error: { reason: 'USAGE', message: 'There is no file or folder one.' },
    });
    const { code, document } = await index();
    expect(code).toBe(0);
    expect(document.stats).toMatchObject({ documentsDeleted: 0, errors: [] });
    expect(document.notices).toContainEqual(expect.stringMatching(/one, .* is not there any more.*--prune/));
    expect(await found('marmalade')).toEqual(['alpha.md']);
    expect((await index('--prune', '--yes')).document.stats).toMatchObject({ documentsDeleted: 1 });
    expect(await found('marmalade')).toEqual([]);
    expect(await found('gondola')).toEqual(['beta.md']);
    await expectClean();
  });

  test('--prune deletes what is neither named nor configured, and only then', async () => {
    await index('one', 'two');
    expect((await index('two')).document.stats.documentsDeleted).toBe(0);
    expect(await found('marmalade')).toEqual(['alpha.md']);
    expect((await index('two', '--prune', '--yes')).document.stats.documentsDeleted).toBe(1);
    expect(await found('marmalade')).toEqual([]);
    const { document } = await ragstoneJson<IndexStatus>(['status'], { cwd });
    expect(document.sources.map(({ source }) => source)).toEqual(['path:two']);
  });

  test('clear --yes leaves nothing of the documents on disk', async () => {
    await index('one', 'two');
    expect((await runRagstone(['clear', '--yes'], { cwd })).code).toBe(0);
    const left = readdirSync(join(cwd, '.ragstone'), { recursive: true, encoding: 'utf8' })
      .map((path) => join(cwd, '.ragstone', path))
      .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes('gondola'));
    expect(left).toEqual([]);
    const { document } = await ragstoneJson<ErrorDocument>(['search', 'marmalade'], { cwd });
    expect(document.error.reason).toBe('INDEX_EMPTY');
    expect((await index('two')).document.stats.documentsProcessed).toBe(1);
    await expectClean();
  });
});

describe('what decides how an index is made', () => {
  test.skipIf(!existsSync(MINILM))(
    'another model is refused with 2 and what to do; searches go on with the present one; --force embeds everything anew',
    async () => {
      await index('one', 'two');
      configure(`{ provider: libsql, embedding: { model: ${JSON.stringify(`transformers:${MINILM}`)} } }`);
      const refused = await ragstoneJson<ErrorDocument>(['index'], { cwd });
      expect(refused.code).toBe(2);
      expect(refused.document.error).toMatchObject({
        reason: 'STORE_FINGERPRINT_MISMATCH',
        message: expect.stringMatching(/"builtin".*ragstone index --force/),
      });
      const followed = await ragstoneJson<SearchResponse>(['search', 'marmalade'], { cwd });
      expect(followed.document.results[0]?.metadata.source).toBe('alpha.md');
      expect(followed.document.notices).toContainEqual(
        expect.stringMatching(/"builtin".*ragstone index --force/),
      );
      const forced = await index('--force');
      expect(forced).toMatchObject({
        code: 0,
        document: { stats: { documentsProcessed: 2, embeddingsComputed: 2 } },
      });
      const { document } = await ragstoneJson<SearchResponse>(['search', 'waiting boat', '--mode', 'dense'], {
        cwd,
      });
      expect(document.results[0]?.metadata.source).toBe('beta.md');
      expect(await ragstoneJson<IndexStatus>(['status'], { cwd })).toMatchObject({
        document: { dimensions: 384 },
      });
      await expectClean();
    },
  );

  test('another store is refused with 2 and what to do; searches go on in the present one; --force builds the index there', async () => {
    await index('one', 'two');
    configure('{ provider: lancedb }');
    const refused = await ragstoneJson<ErrorDocument>(['index'], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.document.error.message).toMatch(/"libsql".*"lancedb".*ragstone index --force/);
    const followed = await ragstoneJson<SearchResponse>(['search', 'marmalade'], { cwd });
    expect(followed.document.results[0]?.metadata.source).toBe('alpha.md');
    expect(followed.document.notices).toContainEqual(
      expect.stringMatching(/"libsql".*"lancedb".*ragstone index --force/),
    );
    expect((await ragstoneJson(['verify'], { cwd })).code).toBe(0);
    expect((await index('--force')).code).toBe(0);
    expect(await found('marmalade')).toEqual(['alpha.md']);
    await expectClean();
  });
});

test('try: a second run re-indexes nothing', async () => {
  const tried = async () =>
    (await ragstoneJson<{ index: IndexResult }>(['try', 'one', 'what is drained?'], { cwd })).document.index
      .stats;
  expect(await tried()).toMatchObject({ documentsProcessed: 1 });
  expect(await tried()).toMatchObject({
    documentsProcessed: 0,
    documentsUnchanged: 1,
    embeddingsComputed: 0,
  });
});

test('with --json stdout is one document, whatever the command and its end', async () => {
  const commands = [
    ['status'],
    ['index', 'nowhere'],
    ['index', 'one'],
    ['index', 'one', '--force'],
    ['search', 'marmalade'],
    ['search'],
    ['verify'],
    ['status'],
    ['config', 'show'],
    ['config', 'check'],
    ['model', 'list'],
    ['model', 'add', 'nowhere'],
    ['eval', 'nowhere'],
    ['nonsense'],
    ['clear', '--yes'],
    ['init'],
  ];
  for (const args of commands) {
    const outcome = await runRagstone([...args, '--json'], { cwd });
    const document = documentOf(outcome);
    expect('error' in document, args.join(' ')).toBe(outcome.code !== 0 && !('success' in document));
  }
});
