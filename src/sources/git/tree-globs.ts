import type { readdir as readdirWithCallback } from 'node:fs';
import { posix, relative, resolve, sep } from 'node:path';
import { escapePath, type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { RAGError } from '../../core/errors.js';
import { compareText } from '../../core/filter.js';
import { DEFAULT_FILE_TYPES } from '../file-types.js';
import { entryOf, type FolderEntry } from '../folder-entry.js';

/** Which files of a tree belong to a source, as for files of a folder: see `resolveFilePatterns`. */
export interface TreeSelection {
  /** Files, folders or globs; `**` stands for documents and source code. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Name of the source, for messages. */
  readonly source: string;
}

/** A folder that exists everywhere; nothing of it is read. */
const ROOT = resolve('/');

/** The paths that match, in code point order, and patterns that name nothing. */
export async function selectPaths(
  paths: readonly string[],
  { include, exclude, source }: TreeSelection,
): Promise<{ readonly paths: readonly string[]; readonly missing: readonly string[] }> {
  const folders = foldersOf(paths);
  const missing: string[] = [];
  const globs = include.flatMap((written) => {
    const pattern = relativePattern(written, source);
    const kind = kindOf(pattern, folders);
    if (kind === 'file') return [escapePath(pattern)];
    if (kind === 'folder') return below(pattern === '.' ? '' : `${escapePath(pattern)}/`);
    if (pattern === '**' || pattern.endsWith('/**')) return below(pattern.slice(0, -2));
    if (!isDynamicPattern(pattern)) missing.push(written);
    return isDynamicPattern(pattern) ? [pattern] : [];
  });
  if (globs.length === 0) return { paths: [], missing };
  const found = await glob(globs, {
    cwd: ROOT,
    ignore: [...exclude, '**/node_modules/**'],
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: adapterOf(folders),
  });
  return { paths: found.sort(compareText), missing };
}

const below = (prefix: string): string[] => DEFAULT_FILE_TYPES.map((type) => `${prefix}**/${type}`);

type Folders = ReadonlyMap<string, ReadonlyMap<string, 'file' | 'folder'>>;

/** The children of each folder by its path; the root is ''. */
function foldersOf(paths: readonly string[]): Folders {
  const folders = new Map<string, Map<string, 'file' | 'folder'>>([['', new Map()]]);
  const add = (path: string, kind: 'file' | 'folder'): void => {
    const slash = path.lastIndexOf('/');
    const parent = slash < 0 ? '' : path.slice(0, slash);
    if (!folders.has(parent)) {
      folders.set(parent, new Map());
      add(parent, 'folder');
    }
    folders.get(parent)?.set(path.slice(slash + 1), kind);
  };
  for (const path of paths) add(path, 'file');
  return folders;
}

function kindOf(path: string, folders: Folders): 'file' | 'folder' | undefined {
  if (path === '.' || folders.has(path)) return 'folder';
  const slash = path.lastIndexOf('/');
  return folders.get(slash < 0 ? '' : path.slice(0, slash))?.get(path.slice(slash + 1));
}

function relativePattern(written: string, source: string): string {
  const pattern = posix.normalize(written).replace(/(?<=.)\/$/, '');
  if (written !== '' && !pattern.startsWith('/') && pattern !== '..' && !pattern.startsWith('../'))
    return pattern;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": the path ${JSON.stringify(written)} is not inside the repository. Give one relative to its root.`,
    { details: { source, path: written } },
  );
}

/** The globber reads the tree of a commit through this as if it were a disk. */
function adapterOf(folders: Folders): FileSystemAdapter {
  const read = (folder: string, _: unknown, done: (error: null, entries: FolderEntry[]) => void): void => {
    const path = relative(ROOT, folder).split(sep).join('/');
    done(
      null,
      [...(folders.get(path) ?? [])].map(([name, kind]) => entryOf(name, kind)),
    );
  };
  // The globber calls `readdir` with exactly these three arguments; its type names all overloads of Node's.
  return { readdir: read as unknown as typeof readdirWithCallback };
}
