import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { systemErrorCode } from '../../core/errors.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import { emptyRepository, fillRepository, type RepositoryFormat } from './own-repository.js';

/**
 * A repository that may be anybody's. Git never works in it: Git works in an empty repository of ours, with our settings, and is
 * only shown the objects of this one. So nothing that its configuration, hooks, attributes or remotes name can take effect,
 * whatever key a version of Git may know; a list of forbidden keys would be one key short with the next version.
 */
export interface ForeignRepository {
  /** Holds `HEAD`, and in a linked worktree what belongs to it alone. */
  readonly gitFolder: string;
  /** Holds `objects` and `refs`; differs from `gitFolder` in a linked worktree. */
  readonly commonFolder: string;
  readonly format: RepositoryFormat;
}

/** Files of a repository that we read ourselves are lines; anything longer is none of them. Bytes. */
const MOST_BYTES = 64 * 1024;
/** Symbolic names are followed so often, as Git does (`SYMREF_MAXDEPTH`). */
const MOST_STEPS = 5;

/** The repository that a folder lies in, found as Git finds it; undefined where there is none. */
export async function findRepository(folder: string): Promise<ForeignRepository | undefined> {
  for (let at = await realpath(folder); ; at = dirname(at)) {
    const found = (await repositoryAt(await linkedFolder(join(at, '.git')))) ?? (await repositoryAt(at));
    if (found !== undefined || dirname(at) === at) return found;
  }
}

/** A file `.git` holds the place of the folder: submodules and linked worktrees. */
async function linkedFolder(path: string): Promise<string> {
  const target = /^gitdir: (.+?)\r?\n?$/.exec((await readLine(path)) ?? '')?.[1];
  return target === undefined ? path : resolve(dirname(path), target);
}

/** The repository that a folder is itself. */
export async function repositoryAt(gitFolder: string): Promise<ForeignRepository | undefined> {
  if ((await readLine(join(gitFolder, 'HEAD'))) === undefined) return undefined;
  const common = (await readLine(join(gitFolder, 'commondir')))?.trim();
  const commonFolder = common === undefined ? gitFolder : resolve(gitFolder, common);
  for (const part of ['objects', 'refs']) if (!(await isFolder(join(commonFolder, part)))) return undefined;
  // Two facts of the configuration decide how objects and names are stored. A wrong one makes Git find nothing, no more.
  const config = (await readLine(join(commonFolder, 'config'), 16 * MOST_BYTES)) ?? '';
  return {
    gitFolder,
    commonFolder,
    format: {
      objects: /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 'sha256' : 'sha1',
      names: existsSync(join(commonFolder, 'reftable')) ? 'reftable' : 'files',
    },
  };
}

/** Variables under which Git works in our empty repository and sees the objects of the foreign one. */
export async function readingVariables({
  commonFolder,
  format,
}: ForeignRepository): Promise<Record<string, string>> {
  return variablesOf(await emptyRepository(format.objects), commonFolder);
}

function variablesOf(gitFolder: string, commonFolder: string): Record<string, string> {
  const shallow = join(commonFolder, 'shallow');
  return {
    GIT_DIR: gitFolder,
    GIT_OBJECT_DIRECTORY: join(commonFolder, 'objects'),
    ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
    // Where Git looks for settings of a person and of a machine.
    HOME: gitFolder,
    XDG_CONFIG_HOME: gitFolder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    // What is missing in a partial clone is reported, never fetched: from version 2.44 by the first, and by the second in all.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/** Calls Git where it also sees what a name stands for in the foreign repository; the names are copied for the call. */
export async function withNames<Result>(
  { gitFolder, commonFolder, format }: ForeignRepository,
  name: string,
  use: (variables: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-names-'));
  try {
    await fillRepository(folder, format);
    if (format.names === 'reftable') await copyReftable(commonFolder, folder);
    else await copyNames([gitFolder, commonFolder], folder, name);
    return await use(variablesOf(folder, commonFolder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tags that are files of their own and are read, at most; Git packs them now and then, and packed ones are all read. */
const MOST_LOOSE_TAGS = 5_000;

/** Calls Git where it also sees the tags of the foreign repository, copied for the call. */
export async function withTags<Result>(
  { gitFolder, commonFolder, format }: ForeignRepository,
  use: (variables: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-names-'));
  try {
    await fillRepository(folder, format);
    if (format.names === 'reftable') await copyReftable(commonFolder, folder);
    else
      for (const name of await looseTags(commonFolder))
        await copyNames([gitFolder, commonFolder], folder, `refs/tags/${name}`);
    await copyPacked([gitFolder, commonFolder], folder);
    return await use(variablesOf(folder, commonFolder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function looseTags(commonFolder: string): Promise<string[]> {
  const folder = join(commonFolder, 'refs', 'tags');
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(unlessClosed)) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .slice(0, MOST_LOOSE_TAGS)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** The places where Git looks for a name, see gitrevisions(7). Outside of `refs` only `HEAD` and its like are names. */
const placesOf = (name: string): string[] => [
  ...(/^(?:[A-Z_]*HEAD|refs\/.+)$/.test(name) ? [name] : []),
  ...['refs', 'refs/tags', 'refs/heads', 'refs/remotes'].map((folder) => `${folder}/${name}`),
  `refs/remotes/${name}/HEAD`,
];

async function copyNames(from: readonly string[], to: string, name: string): Promise<void> {
  let places = placesOf(name);
  for (let step = 0; step <= MOST_STEPS && places.length > 0; step++) {
    const next: string[] = [];
    for (const place of places) {
      const text = await firstLine(from.map((folder) => join(folder, place)));
      if (text === undefined) continue;
      await mkdir(dirname(join(to, place)), { recursive: true });
      await writeFile(join(to, place), text);
      const target = /^ref:\s*(refs\/\S+)\s*$/.exec(text)?.[1];
      if (target !== undefined && !/(?:^|\/)\.\.(?:\/|$)/.test(target)) next.push(target);
    }
    places = next;
  }
  await copyPacked(from, to);
}

/** Last: Git packs names by writing this file first and deleting the others then, so that none is missed. */
async function copyPacked(from: readonly string[], to: string): Promise<void> {
  for (const folder of from) {
    const packed = join(folder, 'packed-refs');
    if (await isFile(packed)) await copyFile(packed, join(to, 'packed-refs'));
  }
}

async function copyReftable(from: string, to: string): Promise<void> {
  for (const name of await readdir(join(from, 'reftable')))
    if (await isFile(join(from, 'reftable', name)))
      await copyFile(join(from, 'reftable', name), join(to, 'reftable', name));
}

async function firstLine(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readLine(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A short file; undefined for what is none: a pipe put in its place would hang. */
async function readLine(path: string, most = MOST_BYTES): Promise<string | undefined> {
  const facts = await stat(path).catch(unlessClosed);
  if (facts?.isFile() !== true || facts.size > most) return undefined;
  return readRegularText(path).catch(unlessClosed);
}

/** What is closed may be there: taking it for absent would lead to another repository, or another commit. */
function unlessClosed(error: unknown): undefined {
  if (/^(?:EACCES|EPERM|EIO)$/.test(systemErrorCode(error) ?? '')) throw error;
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(unlessClosed))?.isFile() === true;

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(unlessClosed))?.isDirectory() === true;
