import { join } from 'node:path';
import type { WatchedPlace } from '../watched-place.js';
import { findRepository } from './foreign-repository.js';

/** Where Git writes down which commit a name stands for. A folder that is no repository yet may become one. */
export async function watchedRepository(folder: string): Promise<readonly WatchedPlace[]> {
  const repository = await findRepository(folder).catch(() => undefined);
  const { gitFolder, commonFolder } = repository ?? { gitFolder: join(folder, '.git') };
  return [...new Set([gitFolder, commonFolder ?? gitFolder])].map((path) => ({ path, ...NAMES }));
}

/** Git writes a name as `NAME.lock` first and renames it. */
const NAMES: Omit<WatchedPlace, 'path'> = {
  followSymlinks: false,
  enters: (inner) => /^(refs|reftable)(\/|$)/.test(inner),
  concerns: (file) => !file.endsWith('.lock') && /^(HEAD|packed-refs|refs\/.+|reftable\/.+)$/.test(file),
};
