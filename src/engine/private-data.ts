import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_DATA_DIR } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { isPathInside } from '../platform/security/path-containment.js';
import { isOpenToOthers, PRIVATE_FILE, tighten } from '../platform/security/private-files.js';

/** So that `git add .` commits no indexed text. A data folder of another name may hold what the user wants to commit. */
export function keepOutOfGit({ projectRoot }: Pick<ResolvedConfig, 'projectRoot'>): void {
  const folder = join(projectRoot, DEFAULT_DATA_DIR);
  if (!existsSync(folder)) return;
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: PRIVATE_FILE });
  } catch {
    // It is there, or nothing can be written; the index does without.
  }
}

/**
 * Takes the folders of an index that others of this machine may read (an earlier version left them as the umask said) from
 * them. A folder that may hold more than the index keeps its mode, for others may have to read what else is in it: one above
 * the project, and one that a setting names outside of the data folder.
 *
 * @returns what was done and what could not be, in words for the user
 */
export function keepFoldersPrivate({ dataDir, projectRoot, rag }: ResolvedConfig): string[] {
  const folders = new Set(
    [dataDir, rag.storage.local.path, rag.embedding.cache.path].map((path) => resolve(path)),
  );
  return [...folders].filter(isOpenToOthers).map((folder) => {
    if (isPathInside(folder, projectRoot) || !isPathInside(dataDir, folder))
      return `The folder ${folder} holds indexed text and perhaps other files, can be read by other accounts of this machine, and keeps its mode. Give the index a folder of its own (\`--data\`, \`rag.storage.local.path\`) to keep it from other accounts of this machine.`;
    return tighten(folder)
      ? `The folder ${folder}, which holds indexed text, could be read by other accounts of this machine; now only its owner can.`
      : `The folder ${folder}, which holds indexed text, can be read by other accounts of this machine, and only its owner can change that: \`chmod 700\`.`;
  });
}
