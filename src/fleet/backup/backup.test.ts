import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { create, extract, list } from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { contentHash } from '../../core/ids.js';
import { createEngine } from '../../engine/create-engine.js';
import { tryLockFile } from '../../ledger/lock-file.js';
import { testDeployments } from '../deployments/test-deployments.js';
import { backUp } from './back-up.js';
import type { BackupManifest } from './backup-manifest.js';
import { restoreBackup } from './restore.js';
import { backedUp, engineIn, isWhole, notes } from './test-backup.js';

const DOCUMENTS = 400;
const TRUSTING = { ...process.env, RAGSTONE_TRUST: '1' };

function filesIn(folder: string): string[] {
  const dataDir = join(folder, '.ragstone');
  return existsSync(dataDir) ? readdirSync(dataDir) : [];
}

it('disturbs no other backup that is made beside it', async () => {
  const { folder } = await backedUp();
  const notices: string[] = [];
  const makeOnes = async (name: string): Promise<void> => {
    for (let number = 0; number < 8; number++)
      notices.push(...(await backUp(`${name}-${number}.tar`, { cwd: folder })).notices);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(makeOnes));
  expect(notices).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

describe.each(['libsql', 'lancedb'] as const)('a backup of %s', (provider) => {
  it('that is taken while an index run writes is whole elsewhere, and the run ends as ever', async () => {
    const folder = temporaryFolder(notes(DOCUMENTS));
    const engine = await engineIn(folder, provider);
    const options = { cwd: folder, config: { provider } };
    let batches = 0;
    const backups: Promise<unknown>[] = [];
    await engine.index({
      options: { batchSize: 16 },
      onProgress: ({ chunksWritten }) => {
        if (chunksWritten < 40 * (batches + 1) || backups.length === 3) return;
        batches += 1;
        backups.push(backUp(`copy-${batches}.tar.gz`, options));
      },
    });
    await Promise.all(backups);
    expect(backups).toHaveLength(3);
    expect(await engine.verify()).toMatchObject({ ok: true });
    await engine.close();

    const sizes: number[] = [];
    for (const number of [1, 2, 3]) {
      const elsewhere = temporaryFolder();
      await restoreBackup(join(folder, `copy-${number}.tar.gz`), { cwd: elsewhere, config: { provider } });
      const { drift, documents } = await isWhole(elsewhere, provider);
      expect(drift).toEqual([]);
      sizes.push(documents);
    }
    expect(sizes[0]).toBeGreaterThan(0);
    // It was taken in the middle of the run.
    expect(sizes[0]).toBeLessThan(DOCUMENTS);
  });

  it('holds the store where the configuration puts it, and goes where another puts it', async () => {
    const folder = temporaryFolder(notes(5));
    const config = (path: string) => ({ provider, storage: { local: { path } } });
    const engine = await createEngine({ cwd: folder, config: config('vector-db') });
    await engine.push([{ id: 'a', text: 'The gate of house 3 is open.' }]);
    await engine.close();
    await backUp('copy.tar', { cwd: folder, config: config('vector-db') });
    const elsewhere = temporaryFolder();
    await restoreBackup(join(folder, 'copy.tar'), { cwd: elsewhere, config: config('other') });
    const restored = await createEngine({ cwd: elsewhere, config: config('other') });
    expect(await restored.verify({ sources: false })).toMatchObject({ ok: true });
    expect((await restored.search('gate of house 3')).results).toHaveLength(1);
    await restored.close();
  });
});

describe('backUp', () => {
  it('holds the indexes that tenants have of their own, and keeps everything private', async () => {
    const folder = temporaryFolder();
    const deployments = await testDeployments(folder);
    await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
    await (await deployments.of({ tenant: 'acme' })).view.push([{ id: 'a', text: 'A lamp of acme.' }]);
    const place = { cwd: folder, dataDir: 'data', config: { provider: 'libsql' } } as const;
    const { path } = await backUp('copy.tar.gz', place);
    expect(statSync(path).mode & 0o077).toBe(0);
    const elsewhere = temporaryFolder();
    await restoreBackup(path, { ...place, cwd: elsewhere });
    const modes = readdirSync(join(elsewhere, 'data'), { recursive: true }).map(
      (name) => statSync(join(elsewhere, 'data', String(name))).mode & 0o077,
    );
    expect(new Set(modes)).toEqual(new Set([0]));
    const restored = await testDeployments(elsewhere);
    const { view } = await restored.of({ tenant: 'acme' });
    expect((await view.search('lamp')).results).toHaveLength(1);
    expect(await view.verify({ sources: false })).toMatchObject({ ok: true });
  });

  it('overwrites nothing, and leaves nothing half made', async () => {
    const { folder, archive } = await backedUp();
    const before = readFileSync(archive);
    await expect(backUp('small.tar.gz', { cwd: folder })).rejects.toMatchObject({ reason: 'USAGE' });
    expect(readFileSync(archive)).toEqual(before);
    symlinkSync('/etc/passwd', join(folder, '.ragstone', 'odd'));
    await expect(backUp('other.tar.gz', { cwd: folder })).rejects.toMatchObject({
      reason: 'INDEX_UNTRUSTED',
      message: expect.stringMatching(/holds the symbolic link .*odd/),
    });
    // Trust in a link does not pack what is behind it.
    await expect(backUp('other.tar.gz', { cwd: folder, env: TRUSTING })).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('odd is a link'),
    });
    rmSync(join(folder, '.ragstone', 'odd'));
    const stopped = backUp('third.tar.gz', { cwd: folder, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(readdirSync(folder).sort()).toEqual(['.ragstone', 'docs', 'small.tar.gz']);
  });

  it('removes what killed ones left under other names and says so, but for what others make or have there', async () => {
    const { folder } = await backedUp();
    writeFiles(folder, {
      'monday.tar.gz.partial/backup.lock': '',
      'monday.tar.gz.partial/files/data/ledger.db': 'half',
      'tuesday.tar.partial/backup.lock': '',
      'mine.partial/backup.lock': '',
      'mine.partial/notes.txt': 'kept',
    });
    const lock = tryLockFile(join(folder, 'tuesday.tar.partial', 'backup.lock'));
    onTestFinished(() => lock?.release());
    const { notices } = await backUp('wednesday.tar', { cwd: folder });
    expect(notices).toEqual([expect.stringMatching(/monday\.tar\.gz\.partial was removed/)]);
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('.partial'))
        .sort(),
    ).toEqual(['mine.partial', 'tuesday.tar.partial']);
  });

  it.each([
    ['auto', { s3: { url: 's3://bucket/folder' } }, /in S3, in the store "lancedb"/],
    ['lancedb', { s3: { url: 's3://bucket/folder' } }, /in S3, in the store "lancedb"/],
    ['libsql', { s3: { url: 's3://bucket/folder' } }, /in S3, in the store "lancedb"/],
    ['qdrant', { server: { url: 'http://127.0.0.1:1' } }, undefined],
    ['auto', {}, undefined],
  ] as const)(
    'says where the chunks of the index are, whatever rag.provider names: %s %j',
    async (provider, storage, told) => {
      const folder = temporaryFolder(notes(2));
      const engine = await engineIn(folder, 'lancedb');
      await engine.index();
      await engine.close();
      const { notices } = await backUp('copy.tar', { cwd: folder, config: { provider, storage } });
      expect(notices).toEqual(told === undefined ? [] : [expect.stringMatching(told)]);
    },
  );

  it('says that a second store elsewhere is not in it', async () => {
    const { folder } = await backedUp();
    const elsewhere = temporaryFolder();
    const secondary = {
      provider: 'libsql',
      name: 'second',
      storage: { local: { path: elsewhere } },
    } as const;
    const config: RAGConfigInput = { provider: 'libsql', failover: { secondary } };
    const { notices } = await backUp('copy.tar', { cwd: folder, config });
    expect(notices).toEqual([expect.stringContaining(`"second", is in ${elsewhere}`)]);
  });

  it('removes what a killed one left, and leaves alone what others have there', async () => {
    const { folder } = await backedUp();
    writeFiles(folder, { 'b.tar.partial/backup.lock': '', 'b.tar.partial/files/data/ledger.db': 'half' });
    writeFiles(folder, { 'c.tar.partial/mine.txt': 'kept' });
    await backUp('b.tar', { cwd: folder });
    await expect(backUp('c.tar', { cwd: folder })).rejects.toMatchObject({ reason: 'USAGE' });
    const both = await Promise.allSettled([
      backUp('d.tar', { cwd: folder }),
      backUp('d.tar', { cwd: folder }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const names = ['.ragstone', 'b.tar', 'c.tar.partial', 'd.tar', 'docs', 'small.tar.gz'];
    expect(readdirSync(folder).sort()).toEqual(names);
  });

  it('says where there is nothing to back up, and where it would back up itself', async () => {
    const empty = temporaryFolder();
    await expect(backUp('a.tar', { cwd: empty })).rejects.toMatchObject({ reason: 'USAGE' });
    const { folder } = await backedUp();
    const inside = backUp('.ragstone/a.tar', { cwd: folder });
    await expect(inside).rejects.toThrow(/is in the folder that is backed up/);
    const all = backUp('../a.tar', { cwd: folder, dataDir: '.' });
    await expect(all).rejects.toThrow(/holds the project too/);
  });
});

describe('restoreBackup', () => {
  it('overwrites nothing', async () => {
    const { folder, archive } = await backedUp();
    await expect(restoreBackup(archive, { cwd: folder })).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringContaining('is not empty'),
    });
    expect(await isWhole(folder, 'libsql')).toMatchObject({ documents: 5 });
  });

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 2000)],
    ['has a wrong byte', (bytes: Buffer) => bytes.fill(bytes[5000] ?? 0 ^ 1, 5000, 5040)],
    ['is none', () => Buffer.from('no archive\n'.repeat(200))],
    ['is empty', () => Buffer.alloc(0)],
  ])('refuses an archive that %s, and puts nothing in place', async (_, damage) => {
    const { archive } = await backedUp();
    writeFileSync(archive, damage(readFileSync(archive)));
    const elsewhere = temporaryFolder();
    await expect(restoreBackup(archive, { cwd: elsewhere })).rejects.toMatchObject({
      reason: 'BACKUP_INVALID',
    });
    expect(filesIn(elsewhere)).toEqual([]);
  });

  /** A backup of an index whose store has files of its own, unpacked. */
  async function unpacked(): Promise<string> {
    const folder = temporaryFolder(notes(5));
    const engine = await engineIn(folder, 'lancedb');
    await engine.index();
    await engine.close();
    await backUp('whole.tar', { cwd: folder, config: { provider: 'lancedb' } });
    const pack = join(folder, 'pack');
    mkdirSync(pack);
    await extract({ file: join(folder, 'whole.tar'), cwd: pack });
    return pack;
  }

  async function expectRefused(pack: string, why: RegExp, storage = {}): Promise<void> {
    const archive = join(pack, '..', 'changed.tar');
    await create({ file: archive, cwd: pack }, ['manifest.json', 'data', 'store']);
    const elsewhere = temporaryFolder();
    const restored = restoreBackup(archive, { cwd: elsewhere, config: { provider: 'lancedb', storage } });
    await expect(restored).rejects.toMatchObject({
      reason: 'BACKUP_INVALID',
      message: expect.stringMatching(why),
    });
    expect(filesIn(elsewhere)).toEqual([]);
  }

  it.each([
    ['in the data folder', {}],
    ['elsewhere', { local: { path: 'vectors' } }],
  ])('says what is damaged where the store is %s', async (_, storage) => {
    const pack = await unpacked();
    const inStore = readdirSync(join(pack, 'store'), { recursive: true, withFileTypes: true });
    const file = inStore.find((entry) => entry.isFile());
    const damaged = join(file?.parentPath ?? '', file?.name ?? '');
    writeFileSync(
      damaged,
      readFileSync(damaged).map((byte) => byte ^ 1),
    );
    await expectRefused(pack, /store\/.* is damaged/, storage);
  });

  it('refuses a store without the ledger of the index', async () => {
    const pack = await unpacked();
    const manifest = JSON.parse(readFileSync(join(pack, 'manifest.json'), 'utf8')) as BackupManifest;
    const files = manifest.files.filter(({ path }) => path !== 'data/ledger.db');
    writeFileSync(join(pack, 'manifest.json'), JSON.stringify({ ...manifest, files }));
    rmSync(join(pack, 'data', 'ledger.db'));
    await expectRefused(pack, /ledger\.db is missing/);
  });

  it('refuses an archive whose list names a folder', async () => {
    const pack = await unpacked();
    const manifest = JSON.parse(readFileSync(join(pack, 'manifest.json'), 'utf8')) as BackupManifest;
    const one = { path: 'store/l', bytes: 0, sha256: contentHash('') };
    const two = { path: 'store/l/a', bytes: 1, sha256: contentHash('x') };
    const files = [...manifest.files, one, two];
    writeFileSync(join(pack, 'manifest.json'), JSON.stringify({ ...manifest, files }));
    writeFiles(pack, { 'store/l/a': 'x' });
    await expectRefused(pack, /store\/l is missing/);
  });

  it.each(['data/.restored', 'data/.restored/a', 'data/.restoring', 'data/store/a'])(
    'refuses an archive with %s, where it works itself or the store goes',
    async (path) => {
      const pack = await unpacked();
      const manifest = JSON.parse(readFileSync(join(pack, 'manifest.json'), 'utf8')) as BackupManifest;
      const one = { path, bytes: 1, sha256: contentHash('x') };
      writeFileSync(
        join(pack, 'manifest.json'),
        JSON.stringify({ ...manifest, files: [...manifest.files, one] }),
      );
      writeFiles(pack, { [path]: 'x' });
      await expectRefused(pack, new RegExp(`${path.replaceAll('.', '\\.')} is no file of an index`));
    },
  );

  it.skipIf(process.platform === 'win32').each(['4755', '2777', '1777', '666', '644', '400', '0'])(
    'gives files and folders to their owner alone, whatever modes an archive has: %s',
    async (written) => {
      const mode = parseInt(written, 8);
      const { folder, archive } = await backedUp();
      const pack = join(folder, 'pack');
      mkdirSync(pack);
      await extract({ file: archive, cwd: pack });
      const names = ['manifest.json', ...readdirSync(pack).filter((name) => name !== 'manifest.json')];
      for (const name of readdirSync(pack, { recursive: true, encoding: 'utf8' })) {
        const isFile = statSync(join(pack, name)).isFile();
        chmodSync(join(pack, name), isFile ? mode : mode | 0o700);
      }
      const loose = join(folder, 'loose.tar');
      await create({ file: loose, cwd: pack }, names);
      const elsewhere = temporaryFolder();
      mkdirSync(join(elsewhere, '.ragstone'), { mode: 0o755 });
      const before = process.umask(0);
      await restoreBackup(loose, { cwd: elsewhere }).finally(() => process.umask(before));
      const dataDir = join(elsewhere, '.ragstone');
      const modes = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => {
        const stats = statSync(join(dataDir, name));
        return [stats.isDirectory() ? 'folder' : 'file', (stats.mode & 0o7777).toString(8)].join(' ');
      });
      expect(new Set([...modes, `folder ${(statSync(dataDir).mode & 0o7777).toString(8)}`])).toEqual(
        new Set(['file 600', 'folder 700']),
      );
      expect(await isWhole(elsewhere, 'libsql')).toMatchObject({ documents: 5 });
    },
  );

  it('follows no link and no path out of the folder of an archive that somebody made', async () => {
    const folder = temporaryFolder({ 'pack/data/ledger.db': 'x', 'outside.txt': 'kept' });
    const pack = join(folder, 'pack');
    symlinkSync('/etc', join(pack, 'data', 'etc'));
    const sha256 = 'a'.repeat(64);
    const make = async (files: readonly string[], named: readonly string[]): Promise<string> => {
      const manifest = {
        format: 1,
        at: '2026-01-01T00:00:00Z',
        files: named.map((path) => ({ path, bytes: 1, sha256 })),
      };
      writeFileSync(join(pack, 'manifest.json'), JSON.stringify(manifest));
      const file = join(folder, `${Math.random()}.tar`);
      await create({ file, cwd: pack, preservePaths: true }, ['manifest.json', ...files]);
      return file;
    };
    const archives = [
      await make(['data/etc'], ['data/etc']),
      await make(['../outside.txt'], ['data/../../outside.txt']),
      await make(['data/ledger.db'], ['data/ledger.db']),
      await make(['data/ledger.db'], ['data/ledger.db', 'data/missing.db']),
    ];
    for (const archive of archives) {
      const elsewhere = temporaryFolder();
      await expect(restoreBackup(archive, { cwd: elsewhere })).rejects.toMatchObject({
        reason: 'BACKUP_INVALID',
      });
      expect(filesIn(elsewhere)).toEqual([]);
    }
    expect(readFileSync(join(folder, 'outside.txt'), 'utf8')).toBe('kept');
  });

  it('packs a list of the files first', async () => {
    const { archive } = await backedUp();
    const names: string[] = [];
    await list({ file: archive, onReadEntry: ({ path }) => names.push(path) });
    expect(names[0]).toBe('manifest.json');
    expect(names).toContain('data/ledger.db');
  });
});
