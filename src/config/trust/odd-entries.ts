import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isPathInside } from '../../security/path-containment.js';
import { realPathOf } from '../../security/real-path.js';
import { DEFAULT_DATA_DIR } from '../find-project.js';
import type { ResolvedConfig } from '../resolved-config.js';

/** What is no plain file or folder in the places that an index writes to. */
export interface OddEntries {
  readonly links: ReadonlySet<string>;
  /** Pipes, devices, sockets. */
  readonly notFiles: ReadonlySet<string>;
}

/** Files of a data folder, by how their names begin: SQLite puts others beside its own. */
const FILES = /^(?:ledger\.db|writer\.lock|writer\.json|models\.json)/;
const FOLDERS = ['store', 'lexical', 'cache', 'git', 'keys', 'receipts'];
/** Holds a file for each written context; each is opened by itself and never through a link. */
const CONTEXTS = join('cache', 'contexts');

/**
 * Looks through what an index writes. Other files of a data folder may be anything, for it may be the folder of a project; so may
 * models, which are only read.
 */
export function findOddEntries(config: ResolvedConfig): OddEntries {
  const { dataDir, projectRoot } = config;
  const links = new Set<string>();
  const notFiles = new Set<string>();
  const look = (path: string, entry: Pick<Dirent, 'isSymbolicLink' | 'isFile' | 'isDirectory'>): void => {
    if (entry.isSymbolicLink()) links.add(path);
    else if (entry.isDirectory()) for (const child of entriesOf(path)) lookBelow(path, child);
    else if (!entry.isFile()) notFiles.add(path);
  };
  const lookBelow = (folder: string, entry: Dirent): void => {
    const isContexts = folder === join(dataDir, CONTEXTS) && entry.isDirectory();
    if (!isContexts) look(join(folder, entry.name), entry);
  };
  for (const entry of entriesOf(dataDir)) if (FILES.test(entry.name)) look(join(dataDir, entry.name), entry);
  for (const folder of writtenFolders(config)) {
    const stats = statsOf(folder);
    if (stats !== undefined) look(folder, stats);
  }
  // One in the place of the usual data folder, which must not lead out of the project. Another folder is the user's choice.
  const isUsual = isPathInside(join(projectRoot, DEFAULT_DATA_DIR), dataDir);
  if (isUsual && !isPathInside(realPathOf(projectRoot), realPathOf(dataDir))) links.add(dataDir);
  return { links, notFiles };
}

/** Without those that the configuration names elsewhere, which it is trusted with, and those that hold the whole project. */
function writtenFolders({ dataDir, projectRoot, rag }: ResolvedConfig): string[] {
  const stated = [rag.storage.local.path, rag.embedding.cache.path].filter(
    (path) =>
      (isPathInside(projectRoot, path) || isPathInside(dataDir, path)) && !isPathInside(path, projectRoot),
  );
  return [...FOLDERS.map((name) => join(dataDir, name)), ...stated];
}

/** What cannot be looked at cannot be opened either: whoever opens it says why. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Whoever opens it says what is wrong with it.
    return [];
  }
}
