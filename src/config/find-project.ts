import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where a configuration is looked for in a folder, in this order. */
export const CONFIG_FILES = ['config/rag-config.yaml', 'ragstone.yaml'] as const;

/** The data folder, relative to the project's folder. */
export const DEFAULT_DATA_DIR = '.ragstone';

const MARKS = [...CONFIG_FILES, join(DEFAULT_DATA_DIR, 'ledger.db')];

/**
 * The project that a folder lies in, found like a Git repository: the nearest folder, it or one above it, with a configuration or an
 * index; the folder itself where there is none. Above the folder only what this account or the system's made counts, so that
 * nobody plants an index in a folder that accounts share.
 */
export function findProject(folder: string): string {
  if (MARKS.some((mark) => isFile(join(folder, mark)))) return folder;
  for (let above = dirname(folder), below = folder; above !== below; above = dirname(above)) {
    if (MARKS.some((mark) => isFile(join(above, mark), isOurs))) return above;
    below = above;
  }
  return folder;
}

interface Owned {
  readonly uid: number;
}

function isFile(path: string, test: (file: Owned) => boolean = () => true): boolean {
  try {
    const file = statSync(path);
    return file.isFile() && test(file);
  } catch {
    return false;
  }
}

function isOurs({ uid }: Owned): boolean {
  const account = process.getuid?.() ?? 0;
  return account === 0 || uid === 0 || uid === account;
}
