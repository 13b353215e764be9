import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DATA_FOLDERS, isDataEntry, isDataFolder } from '../../core/data-folder.js';
import { systemErrorCode } from '../../core/errors.js';
import { isPathInside, realPathOf } from '../../platform/security/path-containment.js';
import { DEFAULT_DATA_DIR } from '../find-project.js';
import type { ResolvedConfig } from '../resolved-config.js';

/** What is no plain file or folder in the places that an index writes to. */
export interface OddEntries {
  readonly links: ReadonlySet<string>;
  /** Pipes, devices, sockets. */
  readonly notFiles: ReadonlySet<string>;
  /** Files in the place of folders. */
  readonly notFolders: ReadonlySet<string>;
  /** Folders whose entries the system does not tell: anything may be among them. */
  readonly unlisted: ReadonlySet<string>;
}

/** Holds a file for each written context; each is opened by itself and never through a link. */
const CONTEXTS = join(DATA_FOLDERS.cache, 'contexts');
/** Folders of a data folder that hold data folders. */
const OUTER_FOLDERS: ReadonlySet<string> = new Set([
  DATA_FOLDERS.tries,
  DATA_FOLDERS.knowledge,
  DATA_FOLDERS.deployments,
]);

/**
 * Looks through all of a data folder, whatever the entries are called, and the places that settings name in the project. A data folder that
 * holds the whole project has other entries, which may be anything.
 */
export function findOddEntries(config: ResolvedConfig): OddEntries {
  const { dataDir, projectRoot } = config;
  const links = new Set<string>();
  const notFiles = new Set<string>();
  const notFolders = new Set<string>();
  const unlisted = new Set<string>();
  const entriesOf = (folder: string): Dirent[] => {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      if (!isGone(error) && (folder === dataDir || mayBeEntered(folder))) unlisted.add(folder);
      return [];
    }
  };
  const look = (path: string, entry: Pick<Dirent, 'isSymbolicLink' | 'isFile' | 'isDirectory'>): void => {
    if (entry.isSymbolicLink()) links.add(path);
    else if (entry.isDirectory()) for (const child of entriesOf(path)) lookBelow(path, child);
    else if (!entry.isFile()) notFiles.add(path);
  };
  const lookBelow = (folder: string, entry: Dirent): void => {
    const isContexts = folder === join(dataDir, CONTEXTS) && entry.isDirectory();
    if (!isContexts) look(join(folder, entry.name), entry);
  };
  const isOwn = !isPathInside(dataDir, projectRoot);
  for (const entry of entriesOf(dataDir)) {
    if (isOwn || isDataEntry(entry.name)) lookBelow(dataDir, entry);
    if (isDataFolder(entry.name) && entry.isFile()) notFolders.add(join(dataDir, entry.name));
  }
  for (const folder of statedFolders(config)) {
    const stats = isOwn && isPathInside(dataDir, folder) ? undefined : statsOf(folder);
    if (stats !== undefined) look(folder, stats);
  }
  for (const folder of outerFolders(dataDir))
    if (statsOf(folder)?.isSymbolicLink() === true) links.add(folder);
  // One in the place of the usual data folder, which must not lead out of the project. Another folder is the user's choice.
  const isUsual = isPathInside(join(projectRoot, DEFAULT_DATA_DIR), dataDir);
  if (isUsual && !isPathInside(realPathOf(projectRoot), realPathOf(dataDir))) links.add(dataDir);
  return { links, notFiles, notFolders, unlisted };
}

/** Without those that the configuration names elsewhere, which it is trusted with, and those that hold the whole project. */
const statedFolders = ({ dataDir, projectRoot, rag }: ResolvedConfig): string[] =>
  [rag.storage.local.path, rag.embedding.cache.path].filter(
    (path) =>
      (isPathInside(projectRoot, path) || isPathInside(dataDir, path)) && !isPathInside(path, projectRoot),
  );

/** The data folder itself and those above it, up to the data folder that it is a part of. */
const outerFolders = (dataDir: string): string[] =>
  OUTER_FOLDERS.has(basename(dirname(dataDir))) ? [dataDir, dirname(dataDir)] : [];

/** Undefined for what cannot be looked at: it cannot be opened either, and opening it says why. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** It is missing, or no folder any more. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');

/** Nothing in a folder that may not be entered can be opened, as in the `lost+found` of a disk. */
function mayBeEntered(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
