import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { triesFolderOf } from '../../config/find-project.js';
import type { RemovedFrom } from '../../operations/forget-types.js';

/** Indexes of `ragstone try` that are kept. */
export const triesOf = (dataDir: string): readonly string[] => {
  const folder = triesFolderOf(dataDir);
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Removes the indexes of `ragstone try`, which are made again when a folder is tried again. */
export async function eraseTries(dataDir: string): Promise<RemovedFrom[]> {
  const tries = triesOf(dataDir);
  if (tries.length === 0) return [];
  await rm(triesFolderOf(dataDir), { recursive: true, force: true });
  return [{ place: 'indexes of "ragstone try"', what: 'indexes', count: tries.length }];
}
