import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoadConfigOptions, loadConfig } from '../../src/config/load-config.js';
import { trustFolder } from '../../src/engine/trust-folder.js';
import { createSourcesFor } from '../../src/resources/assembly/open-sources.js';
import { isUnreadable } from '../../src/sources/source.js';

let outer: string;
let folder: string;
let secret: string;
const state = process.env.XDG_STATE_HOME;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'ragstone-reach-'));
  folder = join(outer, 'clone');
  secret = join(outer, 'private');
  process.env.XDG_STATE_HOME = join(outer, 'state');
  makeRepository(secret, { 'salaries.md': '# Salaries' });
  makeRepository(folder, { 'guide.md': '# Guide' });
  writeFileSync(join(folder, 'ragstone.yaml'), 'rag: { sources: [{ name: code, type: git }] }');
});
afterEach(() => {
  if (state === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = state;
  rmSync(outer, { recursive: true });
});

const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', ...args],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: outer },
    },
  );

function makeRepository(at: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(at);
  git(at, 'init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'one');
}

/** Paths of what the configured source lists, or the reason why it lists nothing. */
async function listed(options: LoadConfigOptions = { cwd: folder }): Promise<string[] | string> {
  const [setup] = await createSourcesFor(await loadConfig(options));
  const ids: string[] = [];
  try {
    for await (const item of setup?.source.list() ?? []) if (!isUnreadable(item)) ids.push(item.id);
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
  return ids;
}

const inGit = (...parts: string[]): string => join(folder, '.git', ...parts);
const theirs = (...parts: string[]): string => join(secret, '.git', ...parts);
const replaceByLink = (path: string, target: string): void => {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
};
const commitOf = (repository: string): string => git(repository, 'rev-parse', 'HEAD').trim();

const WAYS: Readonly<Record<string, () => void>> = {
  'a file .git that names another repository': () => {
    rmSync(inGit(), { recursive: true });
    writeFileSync(inGit(), `gitdir: ${theirs()}\n`);
  },
  'a link .git': () => replaceByLink(inGit(), theirs()),
  'a linked worktree': () => {
    rmSync(folder, { recursive: true });
    git(secret, 'worktree', 'add', '-q', folder);
    writeFileSync(join(folder, 'ragstone.yaml'), 'rag: { sources: [{ name: code, type: git }] }');
  },
  'a file commondir': () => {
    rmSync(inGit('objects'), { recursive: true });
    rmSync(inGit('refs'), { recursive: true });
    writeFileSync(inGit('commondir'), `${theirs()}\n`);
  },
  'objects of another one (clone --shared)': () => {
    writeFileSync(inGit('objects', 'info', 'alternates'), `${theirs('objects')}\n`);
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'objects by a relative path in quotes': () => {
    writeFileSync(inGit('objects', 'info', 'alternates'), '"../../../private/.git/objects"\n');
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'objects of one that names others': () => {
    mkdirSync(join(folder, 'more', 'info'), { recursive: true });
    writeFileSync(join(folder, 'more', 'info', 'alternates'), `${theirs('objects')}\n`);
    writeFileSync(inGit('objects', 'info', 'alternates'), '../../more\n');
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'a link in place of the objects': () => {
    replaceByLink(inGit('objects'), theirs('objects'));
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'a link in place of some objects': () => {
    for (const name of readdirSync(theirs('objects')).filter((name) => name.length === 2))
      replaceByLink(inGit('objects', name), theirs('objects', name));
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'a link to a folder of links': () => {
    renameSync(inGit('objects'), join(folder, 'kept'));
    symlinkSync('../kept', inGit('objects'));
    for (const name of readdirSync(theirs('objects')).filter((name) => name.length === 2))
      replaceByLink(join(folder, 'kept', name), theirs('objects', name));
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'a link in place of a pack': () => {
    git(secret, 'gc', '-q');
    for (const name of readdirSync(theirs('objects', 'pack')))
      symlinkSync(theirs('objects', 'pack', name), inGit('objects', 'pack', name));
    writeFileSync(inGit('refs', 'heads', 'main'), `${commitOf(secret)}\n`);
  },
  'a repository around the folder': () => {
    rmSync(inGit(), { recursive: true });
    cpSync(theirs(), join(outer, '.git'), { recursive: true });
  },
};

// Invariant: a source of a configuration that was found reads nothing beyond its folder that nobody trusted, whatever the files of a
// repository refer to. Kept by src/sources/git/repository-reach.ts.
describe('a repository that leads out of the folder that it came with', () => {
  it.each(Object.entries(WAYS))(
    'by %s is not read until that is trusted, but where the user names it',
    async (_, plant) => {
      plant();
      expect(await listed()).toBe('CONFIG_UNTRUSTED');
      expect(await listed({ cwd: outer, file: join(folder, 'ragstone.yaml') })).toContain('salaries.md');
      const { risks } = await trustFolder(folder);
      expect(risks.map(({ key }) => key)).toContain('rag.sources[0]');
      expect(await listed()).toContain('salaries.md');
    },
  );

  it('is asked for again where it leads elsewhere', async () => {
    WAYS['a file .git that names another repository']?.();
    await trustFolder(folder);
    const other = join(outer, 'other');
    makeRepository(other, { 'more.md': '# More' });
    writeFileSync(inGit(), `gitdir: ${join(other, '.git')}\n`);
    expect(await listed()).toBe('CONFIG_UNTRUSTED');
    writeFileSync(inGit(), `gitdir: ${theirs()}\n`);
    appendFileSync(theirs('objects', 'info', 'alternates'), `${join(other, '.git', 'objects')}\n`);
    expect(await listed()).toBe('CONFIG_UNTRUSTED');
  });
});

describe('a repository that stays in its folder', () => {
  it('is read without trust: itself, its worktree, its submodule, a clone that shares its objects', async () => {
    expect(await listed()).toEqual(['guide.md']);
    git(folder, 'worktree', 'add', '-q', 'tree');
    git(folder, 'clone', '-q', '--shared', '.', 'shared');
    git(folder, 'submodule', 'add', '-q', secret, 'part');
    for (const [repository, file] of [
      ['tree', 'guide.md'],
      ['shared', 'guide.md'],
      ['part', 'salaries.md'],
    ] as const) {
      writeFileSync(
        join(folder, 'ragstone.yaml'),
        `rag: { sources: [{ name: code, type: git, repository: ${repository} }] }`,
      );
      expect([repository, await listed()]).toEqual([repository, [file]]);
    }
  });

  it.skipIf(process.platform === 'win32')('is refused with a pipe among its objects', async () => {
    execFileSync('mkfifo', [inGit('objects', 'pack', 'pack-1.idx')]);
    expect(await listed()).toBe('SOURCE_UNREADABLE');
    expect(await listed({ cwd: outer, file: join(folder, 'ragstone.yaml') })).toBe('SOURCE_UNREADABLE');
  });
});
