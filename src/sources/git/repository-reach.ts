import { type Dirent, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isPathInside, realPathOf } from '../../platform/security/path-containment.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import { type ForeignRepository, findRepository } from './foreign-repository.js';

/** What reading a repository opens beside files below a folder. */
export interface RepositoryReach {
  /** Real paths of Git folders, stores of objects and targets of links that lie outside. */
  readonly outside: readonly string[];
  /** Pipes, devices and sockets in the place of files: Git would wait for them for ever. */
  readonly notFiles: readonly string[];
}

/** What is read of a Git folder: by us its names, by Git its objects. */
const PARTS = ['HEAD', 'config', 'commondir', 'shallow', 'packed-refs', 'refs', 'reftable', 'objects'];
/** A store of objects names others, which may name others; Git follows so many. */
const MOST_STORES = 6;

/**
 * Looks through a repository for what leads out of a folder: a linked worktree, a submodule or a repository around the folder (its Git
 * folder is elsewhere), a clone with `--shared` (`objects/info/alternates`), links. All have their uses, and each of them is a way to have
 * the files of another repository read.
 */
export async function reachOf(
  { gitFolder, commonFolder }: Pick<ForeignRepository, 'gitFolder' | 'commonFolder'>,
  folder: string,
): Promise<RepositoryReach> {
  const outside = new Set<string>();
  const notFiles = new Set<string>();
  const root = realPathOf(folder);
  const inside = [root];
  /** What lies in a folder that was found already is found with it. */
  const add = (path: string): void => {
    const real = realPathOf(path);
    if (inside.some((root) => isPathInside(root, real))) return;
    outside.add(real);
    inside.push(real);
  };
  const seen = new Set<string>();
  const look = async (path: string, entry: Entry): Promise<void> => {
    if (entry.isSymbolicLink()) {
      add(path);
      const target = realPathOf(path);
      const facts = await stat(target).catch(() => undefined);
      // What is outside is not looked through: it is named as a whole.
      if (facts !== undefined && isPathInside(root, target)) await look(target, facts);
    } else if (entry.isDirectory()) {
      if (seen.has(path)) return;
      seen.add(path);
      for (const child of await entriesOf(path)) await look(join(path, child.name), child);
    } else if (!entry.isFile()) notFiles.add(path);
  };
  const lookAt = async (folders: readonly string[]): Promise<void> => {
    for (const place of new Set(folders)) {
      add(place);
      for (const entry of await entriesOf(place))
        if (PARTS.includes(entry.name)) await look(join(place, entry.name), entry);
    }
  };
  await lookAt([commonFolder, gitFolder]);
  let stores = [join(commonFolder, 'objects')];
  for (let step = 1; step < MOST_STORES && stores.length > 0; step++) {
    stores = (await Promise.all(stores.map(alternatesOf))).flat().filter((store) => existsSync(store));
    for (const store of stores) {
      add(store);
      for (const entry of await entriesOf(store)) await look(join(store, entry.name), entry);
    }
  }
  return { outside: [...outside], notFiles: [...notFiles] };
}

/** The outside of the repository that a path lies in; nothing where there is none. */
export async function reachOfFolder(path: string, folder: string): Promise<readonly string[]> {
  const repository = existsSync(path) ? await findRepository(path) : undefined;
  return repository === undefined ? [] : (await reachOf(repository, folder)).outside;
}

/** See gitrepository-layout(5): a path a line, relative to the store. */
async function alternatesOf(store: string): Promise<string[]> {
  const text = await readRegularText(join(store, 'info', 'alternates')).catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(store, unquoted(line)));
}

function unquoted(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}

type Entry = Pick<Dirent, 'isSymbolicLink' | 'isDirectory' | 'isFile'>;

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => []);
