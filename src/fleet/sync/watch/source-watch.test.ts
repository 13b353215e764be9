import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../../tests/wait-for.js';
import { watchedFiles } from '../../../sources/watched-files.js';
import type { WatchedPlace } from '../../../sources/watched-place.js';
import type { WatchFolder } from './place-watch.js';
import { SourceWatch } from './source-watch.js';

function folderWith(...paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of paths) write(folder, path);
  return folder;
}

function write(folder: string, path: string, text = 'text'): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const filesOf = (root: string, paths: readonly string[] = ['**']): readonly WatchedPlace[] =>
  watchedFiles({ root, paths, exclude: [], hidden: false, followSymlinks: false }, ['*.md']);

/** A watch, and what it told. */
async function watching(
  places: readonly WatchedPlace[],
  more: { watchFolder?: WatchFolder; pollMs?: number } = {},
) {
  const told: string[] = [];
  const polling: string[] = [];
  const watch = new SourceWatch({
    places: async () => places,
    onChange: (change) => told.push(change),
    onPolling: (why) => polling.push(why),
    pollMs: 60_000,
    ...more,
  });
  onTestFinished(() => watch.stop());
  await watch.start();
  const seen = async (change: string): Promise<void> => {
    await waitFor(() => expect(told).toContain(change));
    told.length = 0;
  };
  return { watch, told, polling, seen };
}

/** A file of its own whose change is told: what came before it was told before. */
async function untilQuiet(
  { seen }: { seen: (change: string) => Promise<void> },
  folder: string,
): Promise<void> {
  write(folder, 'last.md', 'the end');
  await seen('changed');
}

test('a change, a new file, a deletion and a rename are told', async () => {
  const folder = folderWith('a.md', 'deep/b.md');
  const { seen } = await watching(filesOf(folder));
  write(folder, 'a.md', 'new');
  await seen('changed');
  write(folder, 'deep/c.md');
  await seen('changed');
  rmSync(join(folder, 'deep/b.md'));
  await seen('changed');
  renameSync(join(folder, 'a.md'), join(folder, 'deep/d.md'));
  await seen('changed');
});

test('a save that renames a temporary file into place is told, the temporary file alone is not', async () => {
  const folder = folderWith('a.md');
  const watched = await watching(filesOf(folder));
  write(folder, 'a.md.tmp', 'new');
  write(folder, '.a.md.swp', 'new');
  rmSync(join(folder, '.a.md.swp'));
  // The system tells of things in their order.
  write(folder, 'b.png');
  expect(watched.told).toEqual([]);
  renameSync(join(folder, 'a.md.tmp'), join(folder, 'a.md'));
  await watched.seen('changed');
});

test('what is not of the source is not told', async () => {
  const folder = folderWith('docs/a.md', 'other/b.md', 'node_modules/x/c.md');
  const watched = await watching(filesOf(folder, ['docs/**', 'last.md']));
  expect(watched.watch.folders).toBe(2);
  write(folder, 'other/new.md');
  write(folder, 'node_modules/x/new.md');
  write(folder, 'docs/a.png');
  await untilQuiet(watched, folder);
});

test('a folder that is moved in is told with all that it holds, and watched from then on', async () => {
  const folder = folderWith('a.md');
  const outside = folderWith('new/deep/b.md');
  const { seen, watch } = await watching(filesOf(folder));
  renameSync(join(outside, 'new'), join(folder, 'new'));
  await seen('changed');
  await waitFor(() => expect(watch.folders).toBe(3));
  write(folder, 'new/deep/b.md', 'changed');
  await seen('changed');
});

test('a folder that is deleted and made again at once is watched again', async () => {
  const folder = folderWith('deep/a.md', 'last.md');
  const { seen, told } = await watching(filesOf(folder));
  for (let turn = 0; turn < 5; turn++) {
    rmSync(join(folder, 'deep'), { recursive: true });
    write(folder, 'deep/a.md', `turn ${turn}`);
    await seen('changed');
    // Until it is watched, a change is told with the folder; then by itself.
    await waitFor(() => {
      write(folder, 'deep/a.md', `turn ${turn}, ${Math.random()}`);
      expect(told).toContain('changed');
    });
    told.length = 0;
  }
});

test('the whole place vanishes, and comes back', async () => {
  const folder = folderWith('docs/a.md');
  const { seen, watch } = await watching(filesOf(join(folder, 'docs')));
  rmSync(join(folder, 'docs'), { recursive: true });
  await seen('gone');
  expect(watch.folders).toBe(0);
  write(folder, 'docs/a.md');
  await seen('returned');
  write(folder, 'docs/a.md', 'changed');
  await seen('changed');
});

test('another folder in the place of the watched one is told', async () => {
  const folder = folderWith('docs/a.md', 'next/a.md');
  const { seen } = await watching(filesOf(join(folder, 'docs')));
  renameSync(join(folder, 'docs'), join(folder, 'old'));
  renameSync(join(folder, 'next'), join(folder, 'docs'));
  await seen('returned');
  write(folder, 'docs/a.md', 'changed');
  await seen('changed');
});

test('a place that is missing at first is waited for', async () => {
  const folder = folderWith();
  const { seen } = await watching(filesOf(join(folder, 'docs')));
  await seen('gone');
  write(folder, 'docs/a.md');
  await seen('returned');
});

test('a single file is watched by its folder, and nothing else of it', async () => {
  const folder = folderWith('a.md', 'b.md');
  const watched = await watching(filesOf(join(folder, 'a.md')));
  expect(watched.watch.folders).toBe(1);
  write(folder, 'b.md', 'new');
  write(folder, 'a.md', 'new');
  await watched.seen('changed');
});

test.each([
  ['ENOSPC', 'max_user_watches'],
  ['EMFILE', 'max_user_instances'],
])('%s: the source is read at intervals, and what to do is said', async (code, setting) => {
  const folder = folderWith('one/a.md', 'two/b.md');
  let left = 2;
  const watchFolder: WatchFolder = () => {
    if (left-- === 0) throw Object.assign(new Error('no more'), { code });
    return { close: () => undefined, on: () => ({}) as never };
  };
  const { watch, polling, seen } = await watching(filesOf(folder), { watchFolder, pollMs: 20 });
  expect(polling).toEqual([expect.stringContaining(setting)]);
  expect(watch.isPolling).toBe(true);
  await seen('interval');
  await watch.stop();
});

test('nothing is told after the end', async () => {
  const folder = folderWith('a.md');
  const { watch, told } = await watching(filesOf(folder));
  await watch.stop();
  write(folder, 'a.md', 'new');
  const other = await watching(filesOf(folder));
  write(folder, 'a.md', 'newer');
  await other.seen('changed');
  expect(told).toEqual([]);
});
