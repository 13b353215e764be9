import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DATA_FILES, DATA_FOLDERS } from '../core/data-folder.js';
import { realPathOf } from '../platform/security/path-containment.js';
import type { ResolvedConfig } from './resolved-config.js';

export { DATA_FILES };

/** Where a configuration is looked for in a folder, in this order. */
export const CONFIG_FILES = ['config/rag-config.yaml', 'ragstone.yaml'] as const;

/** The data folder, relative to the project's folder. */
export const DEFAULT_DATA_DIR = '.ragstone';

/** Where `ragstone try` keeps an index for each folder, by the data folder of the project. */
export const triesFolderOf = (dataDir: string): string => join(dataDir, DATA_FOLDERS.tries);

/** The folder of the index that `ragstone try` keeps of what lies at an absolute path, under a name that a person can recognise; undefined where nothing lies there. */
export async function trySlotOf(dataDir: string, target: string): Promise<string | undefined> {
  const path = await realpath(target).catch(() => undefined);
  if (path === undefined) return undefined;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, TRY_HASH);
  const name = basename(path)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 32);
  return join(triesFolderOf(dataDir), `${name}-${hash}`);
}

const TRY_HASH = 12;

/** The names of the folders that were tried, as far as the folders of their indexes say. */
export function triedFolders(dataDir: string): readonly string[] {
  const names = readdirSync(triesFolderOf(dataDir), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name.slice(0, -TRY_HASH - 1));
  return [...new Set(names)].filter((name) => name !== '').sort();
}

const MARKS = [...CONFIG_FILES, join(DEFAULT_DATA_DIR, DATA_FILES.ledger)];

/**
 * The project that a folder lies in, found like a Git repository: the nearest folder, it or one above it, with a configuration or an
 * index; the folder itself where there is none. Above the folder only what this account or the system's made counts, and no
 * symbolic link, so that nobody plants an index in a folder that accounts share.
 */
export function findProject(folder: string): string {
  if (MARKS.some((mark) => statsOf(join(folder, mark), statSync)?.isFile())) return folder;
  for (let above = dirname(folder), below = folder; above !== below; above = dirname(above)) {
    if (MARKS.some((mark) => isOurFile(above, mark)) && isOursOrAbsent(join(above, DEFAULT_DATA_DIR)))
      return above;
    below = above;
  }
  return folder;
}

/** The file itself and, where it is in a folder of the project, that. */
function isOurFile(project: string, mark: string): boolean {
  const file = statsOf(join(project, mark), lstatSync);
  if (file?.isFile() !== true || !isOurs(file)) return false;
  return dirname(mark) === '.' || isOursOrAbsent(join(project, dirname(mark)));
}

function isOursOrAbsent(path: string): boolean {
  const stats = statsOf(path, lstatSync);
  return stats === undefined || (stats.isDirectory() && isOurs(stats));
}

function statsOf(path: string, read: (path: string) => Stats): Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

const isOurs = ({ uid }: Stats): boolean => uid === 0 || uid === (process.getuid?.() ?? 0);

/** Whether the ledger is one that hosts share, each with files of its own. */
export const isLedgerElsewhere = ({ rag, own }: Pick<ResolvedConfig, 'rag' | 'own'>): boolean =>
  rag.ledger.type !== 'sqlite' || own?.ledger !== undefined;

/**
 * The folder of the project that an index belongs to, without links: what holds `.ragstone`, from wherever a command runs. Undefined for
 * a data folder of another name, which belongs to no project. A ledger that hosts share is the configuration's.
 */
export function projectOfIndex(
  config: Pick<ResolvedConfig, 'rag' | 'own' | 'dataDir' | 'projectRoot'>,
): string | undefined {
  if (isLedgerElsewhere(config)) return realPathOf(config.projectRoot);
  const dataDir = outOfTries(config.dataDir);
  const real = realPathOf(dataDir);
  if (basename(real) === DEFAULT_DATA_DIR) return dirname(real);
  return basename(dataDir) === DEFAULT_DATA_DIR ? realPathOf(dirname(dataDir)) : undefined;
}

/** What `ragstone try` keeps belongs to the project that it lies in, so that an index may take it over. */
const outOfTries = (dataDir: string): string =>
  basename(dirname(dataDir)) === DATA_FOLDERS.tries ? dirname(dirname(dataDir)) : dataDir;
