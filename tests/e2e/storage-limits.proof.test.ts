import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { IndexResult, SearchResponse, VerifyResult } from '../../src/index.js';
import { acquireWriterLock } from '../../src/ledger/writer-lock.js';
import { EMBEDDED_STORES } from '../long-forms.js';
import {
  DIST,
  type ErrorDocument,
  finished,
  type RunOptions,
  ragstoneJson,
  runRagstone,
  startRagstone,
} from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';
import { runs, UNPRIVILEGED } from './unprivileged.js';

const EARLIER = { 'docs/earlier.md': '# Earlier\n\nThe marmalade was here before.\n' };
const LATER = Object.fromEntries(
  Array.from({ length: 300 }, (_, i) => [`docs/later-${i}.md`, `# Later ${i}\n\nShort note number ${i}.\n`]),
);

async function indexedFolder(provider: string): Promise<string> {
  const cwd = temporaryFolder({ 'ragstone.yaml': `rag: { provider: ${provider} }\n`, ...EARLIER });
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  return cwd;
}

async function expectFound(
  cwd: string,
  args: readonly string[] = [],
  under: Partial<RunOptions> = {},
): Promise<void> {
  const { code, document } = await ragstoneJson<SearchResponse>(
    ['search', 'marmalade', '--mode', 'lexical', ...args],
    { cwd, ...under },
  );
  expect(code).toBe(0);
  expect(document.results[0]?.metadata.source).toBe('earlier.md');
}

interface Recovery extends Pick<RunOptions, 'under'> {
  readonly paths?: readonly string[];
  readonly args?: readonly string[];
}

/** The next run completes the work, and nothing is missing or left over. */
async function expectRecovery(cwd: string, { paths = [], args = [], under }: Recovery = {}): Promise<void> {
  const options = { cwd, ...(under === undefined ? {} : { under }) };
  const next = await ragstoneJson<IndexResult>(['index', ...paths, ...args], options);
  expect(next).toMatchObject({ code: 0, document: { success: true } });
  expect(await ragstoneJson<VerifyResult>(['verify', ...args], options)).toMatchObject({
    code: 0,
    document: { ok: true, drift: [] },
  });
  await expectFound(cwd, args, options);
}

const expectDiskFull = ({ code, document }: { code: number | null; document: ErrorDocument }): void => {
  expect(code).toBe(1);
  expect(['INDEX_DISK_FULL', 'STORE_FULL']).toContain(document.error.reason);
  expect(document.error.message).toMatch(/full.*free some space/is);
};

const HAS_PRLIMIT = runs('prlimit', '--fsize=100000', 'true');
if (!HAS_PRLIMIT) console.warn('file-size limits are skipped: prlimit is absent');

describe.skipIf(!HAS_PRLIMIT)('a file-size limit', () => {
  // Smallest first: each stops at another file, of the ledger or of the store.
  test.each(EMBEDDED_STORES)(
    'ends the run with 1 and what to do; what was indexed stays, the next run completes (%s)',
    async (provider) => {
      const cwd = await indexedFolder(provider);
      const later = temporaryFolder(LATER);
      const reasons = new Set<string>();
      for (const bytes of [100_000, 300_000, 450_000]) {
        const args = ['index', 'docs', join(later, 'docs')];
        const run = await ragstoneJson<ErrorDocument>(args, { cwd, under: ['prlimit', `--fsize=${bytes}`] });
        expectDiskFull(run);
        reasons.add(run.document.error.reason);
        await expectFound(cwd);
      }
      expect([...reasons]).not.toEqual([]);
      await expectRecovery(cwd);
    },
  );

  test.each(EMBEDDED_STORES)('does not keep clear from making room (%s)', async (provider) => {
    const cwd = await indexedFolder(provider);
    const cleared = await runRagstone(['clear', '--yes'], { cwd, under: ['prlimit', '--fsize=1000'] });
    expect(cleared).toMatchObject({ code: 0 });
    const { code, document } = await ragstoneJson<ErrorDocument>(['search', 'marmalade'], { cwd });
    expect({ code, reason: document.error.reason }).toMatchObject({ reason: 'INDEX_EMPTY' });
    await expectRecovery(cwd, { paths: ['docs'] });
  });

  test('a first run that fails so leaves nothing that hinders the next', async () => {
    const cwd = temporaryFolder({ 'ragstone.yaml': 'rag: { provider: libsql }\n', ...EARLIER });
    for (const bytes of [1000, 30_000]) {
      expectDiskFull(
        await ragstoneJson<ErrorDocument>(['index', 'docs'], { cwd, under: ['prlimit', `--fsize=${bytes}`] }),
      );
    }
    await expectRecovery(cwd, { paths: ['docs'] });
  });
});

/** Mounts a small file system on the folder for one test; false where this user may not. */
function mountSmallDisk(folder: string, size: string): boolean {
  mkdirSync(folder, { recursive: true });
  if (!runs('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder)) return false;
  onTestFinished(() => {
    spawnSync('umount', [folder]);
  });
  return true;
}

describe('a full disk', () => {
  test.for(EMBEDDED_STORES)(
    'is as a file-size limit, and room again is all it takes (%s)',
    async (provider, { skip }) => {
      const cwd = temporaryFolder({
        'ragstone.yaml': `rag: { provider: ${provider} }\n`,
        ...EARLIER,
        ...LATER,
      });
      const disk = join(cwd, 'disk');
      if (!mountSmallDisk(disk, '300k')) skip('this user cannot mount a tmpfs');
      const data = ['--data', join(disk, 'data')];
      // In a process of its own: the driver of libSQL closes files when its memory is collected, and a disk in use stays mounted.
      const under = ['env'];
      expectDiskFull(await ragstoneJson<ErrorDocument>(['index', 'docs', ...data], { cwd, under }));
      expect(runs('mount', '-o', 'remount,size=100m', disk)).toBe(true);
      await expectRecovery(cwd, { paths: ['docs'], args: data, under });
    },
  );
});

describe.skipIf(UNPRIVILEGED === undefined)('a read-only data folder', () => {
  const setWritable = (folder: string, isWritable: boolean): void => {
    for (const path of [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ])
      chmodSync(path, isWritable ? 0o755 : 0o555);
  };

  test.each(EMBEDDED_STORES)(
    'can be searched, and refuses to be written with what to do (%s)',
    async (provider) => {
      const cwd = await indexedFolder(provider);
      const dataDir = join(cwd, '.ragstone');
      setWritable(dataDir, false);
      onTestFinished(() => setWritable(dataDir, true));
      const options = { cwd, ...UNPRIVILEGED };
      await expectFound(cwd, [], UNPRIVILEGED);
      expect((await runRagstone(['status'], options)).code).toBe(0);
      expect((await runRagstone(['verify'], options)).code).toBe(0);
      expect((await runRagstone(['index', 'docs', '--dry-run'], options)).code).toBe(0);
      for (const args of [
        ['index', 'docs'],
        ['index', '--force'],
        ['clear', '--yes'],
        ['index', 'docs', '--data', '.ragstone/inner'],
      ]) {
        const { code, document } = await ragstoneJson<ErrorDocument>(args, options);
        expect(code).toBe(2);
        expect(document.error).toMatchObject({
          reason: 'INDEX_READ_ONLY',
          message: expect.stringMatching(/you may write to it|make the folder writable/),
        });
      }
      setWritable(dataDir, true);
      await expectFound(cwd);
    },
  );
});

describe('two runs at once', () => {
  test('the second is refused with 1 and names the holder; readers go on; it works when the first is done', async () => {
    const cwd = await indexedFolder('libsql');
    const lock = await acquireWriterLock({
      folder: join(cwd, '.ragstone'),
      holder: { command: 'ragstone index' },
    });
    try {
      const second = await ragstoneJson<ErrorDocument>(['index', 'docs'], { cwd });
      expect(second.code).toBe(1);
      expect(second.document.error).toMatchObject({
        reason: 'INDEX_LOCKED',
        message: expect.stringMatching(new RegExp(`process ${process.pid} .*ragstone index.*try again`)),
      });
      await expectFound(cwd);
      expect((await runRagstone(['index', 'docs', '--dry-run'], { cwd })).code).toBe(0);
    } finally {
      await lock.release();
    }
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  test('--wait waits for the first', async () => {
    const cwd = await indexedFolder('libsql');
    const lock = await acquireWriterLock({
      folder: join(cwd, '.ragstone'),
      holder: { command: 'ragstone index' },
    });
    const child = startRagstone(['index', 'docs', '--wait', '60', '--log-level', 'debug'], { cwd });
    child.stderr.once('data', () => void lock.release());
    expect((await finished(child)).code).toBe(0);
  });

  test('the lock of a dead holder is taken over', async () => {
    const cwd = await indexedFolder('libsql');
    const dataDir = join(cwd, '.ragstone');
    const script = `
      const { acquireWriterLock } = await import(${JSON.stringify(new URL('ledger/writer-lock.js', DIST).href)});
      await acquireWriterLock({ folder: ${JSON.stringify(dataDir)}, holder: { command: 'ragstone index' } });
      process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script]);
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(dataDir)).toContain('writer.json');
    await expectRecovery(cwd);
    expect(readdirSync(dataDir)).not.toContain('writer.json');
  });
});
