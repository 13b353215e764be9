import { posix, win32 } from 'node:path';
import { expect, test } from 'vitest';
import { mountPointsOf, type PresenceSystem, presenceOf } from './folder-presence.js';

const failing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

/** A machine with these folders, each with its entries. */
const machine = (
  folders: Readonly<Record<string, readonly string[]>>,
  parts: Partial<PresenceSystem> = {},
): PresenceSystem => ({
  stat: (path) => folders[path] ?? failing('ENOENT')(),
  entries: (folder) => folders[folder] ?? failing('ENOENT')(),
  mountPoints: () => [],
  path: posix,
  ...parts,
});

test('a folder is gone only where the system says that it is missing', () => {
  expect(presenceOf('/work/docs', machine({ '/work/docs': [] }))).toBe('there');
  expect(presenceOf('/work/docs', machine({ '/work': ['other'] }))).toBe('gone');
  expect(presenceOf('/work/docs', machine({}))).toBe('gone');
});

test.each(['EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'ELOOP'])(
  'a folder whose way is closed (%s) is not gone',
  (code) => expect(presenceOf('/work/docs', machine({}, { stat: failing(code) }))).toBe('unknown'),
);

test.each([
  ['/mnt/backup/docs', { '/mnt/backup': [] }],
  ['/mnt/docs', { '/mnt': [] }],
  ['/media/ann/stick/docs', {}],
  ['/run/media/ann/stick/docs', {}],
  ['/Volumes/Stick/docs', {}],
  ['/srv/share/docs', { '/srv/share': [] }],
] as const)('%s on a disk that is not mounted is not gone', (path, folders) => {
  expect(presenceOf(path, machine(folders, { mountPoints: () => ['/srv/share'] }))).toBe('unknown');
});

test('on a disk that is mounted a missing folder is gone', () => {
  const mounted = machine({ '/mnt/backup': ['notes'], '/mnt': ['backup'], '/srv/share': ['a'] });
  expect(presenceOf('/mnt/backup/docs', mounted)).toBe('gone');
  expect(presenceOf('/srv/share/docs', { ...mounted, mountPoints: () => ['/srv/share'] })).toBe('gone');
});

test('a drive of Windows that is not there holds nothing that is gone', () => {
  const windows = machine({ 'C:\\': ['work'], 'C:\\work': [] }, { path: win32 });
  expect(presenceOf('C:\\work\\docs', windows)).toBe('gone');
  expect(presenceOf('E:\\docs', windows)).toBe('unknown');
});

test('mount points are read from the table of file systems', () => {
  const table =
    '# disks\nUUID=1 / ext4 defaults 0 1\n/dev/sdb1 /srv/my\\040share ext4 noauto 0 0\n/swap none swap sw 0 0\n';
  expect(mountPointsOf(table)).toEqual(['/srv/my share']);
});
