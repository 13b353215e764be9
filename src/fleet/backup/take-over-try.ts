import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { trySlotOf } from '../../config/find-project.js';
import { loadConfig } from '../../config/load-config.js';
import { DATA_FILES, DATA_FOLDERS } from '../../core/data-folder.js';
import { PRIVATE_FOLDER } from '../../platform/security/private-files.js';
import type { BackupPlace } from './back-up.js';
import { DATA, STORE } from './backup-manifest.js';
import { copyDataFolder } from './copy-data-folder.js';

export interface TakeOverOptions extends BackupPlace {
  readonly signal?: AbortSignal | undefined;
}

/** Somebody tries the folder at this moment: it is waited for so long, in milliseconds. */
const WAIT_MS = 60_000;
/** Holds the copy until it is whole. */
const STAGE = '.taking-over';

/**
 * Makes the index that `ragstone try` keeps of a folder the first of this data folder, so that a run reads only what changed since. Nothing is
 * done where something is indexed already, the folder was not tried, or a configuration file says how it is to be indexed.
 *
 * @param folder as it was tried, relative to `cwd`
 * @returns whether there is an index now
 * @throws RAGError `INDEX_LOCKED`, `INDEX_DAMAGED`, `INDEX_DISK_FULL`, `ABORTED`
 */
export async function takeOverTry(folder: string, options: TakeOverOptions = {}): Promise<boolean> {
  const { signal, ...place } = options;
  const config = await loadConfig({ trust: 'unchecked', ...place });
  const { dataDir, rag, origins } = config;
  const isUsual = config.file === undefined && origins.size === 0 && rag.ledger.type === 'sqlite';
  const isEmpty = !existsSync(join(dataDir, DATA_FILES.ledger));
  const slot = await trySlotOf(dataDir, resolve(place.cwd ?? process.cwd(), folder));
  if (!isUsual || !isEmpty || slot === undefined || !existsSync(join(slot, DATA_FILES.ledger))) return false;
  const stage = join(dataDir, STAGE);
  // Without a ledger it is the beginning of a copy that was stopped.
  const isStopped = existsSync(stage);
  const parts = [DATA_FOLDERS.store, DATA_FOLDERS.words, DATA_FOLDERS.lexical];
  const taken = parts.map((name) => join(dataDir, name)).filter((path) => existsSync(path));
  if (taken.length > 0 && !isStopped) return false;
  for (const path of [...taken, stage]) await rm(path, { recursive: true, force: true });
  await mkdir(stage, { recursive: true, mode: PRIVATE_FOLDER });
  try {
    await copyDataFolder({
      ...{ dataDir: slot, store: { path: join(slot, DATA_FOLDERS.store), isKept: true } },
      ...{ to: stage, waitMs: WAIT_MS, signal, onFile: () => undefined },
    });
    if (existsSync(join(stage, STORE))) await rename(join(stage, STORE), join(dataDir, DATA_FOLDERS.store));
    const names = (await readdir(join(stage, DATA))).filter((name) => parts.some((part) => part === name));
    for (const name of names) await rename(join(stage, DATA, name), join(dataDir, name));
    // It makes the folder an index, so it comes last.
    await rename(join(stage, DATA, DATA_FILES.ledger), join(dataDir, DATA_FILES.ledger));
  } finally {
    if (existsSync(join(dataDir, DATA_FILES.ledger))) await rm(stage, { recursive: true, force: true });
  }
  return true;
}
