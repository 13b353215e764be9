import { existsSync, lstatSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { extract, list } from 'tar';
import { loadConfig } from '../../config/load-config.js';
import { assertPlainDataFolder } from '../../config/trust/index-reach.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { isPathInside } from '../../platform/security/path-containment.js';
import { PRIVATE_FILE, PRIVATE_FOLDER, tighten } from '../../platform/security/private-files.js';
import { assertOpenable } from '../../platform/security/regular-file.js';
import type { BackupPlace, BackupProgress } from './back-up.js';
import {
  type BackedUpFile,
  type BackupManifest,
  DATA,
  invalidBackup,
  MANIFEST,
  parseManifest,
  STORE,
} from './backup-manifest.js';
import { flushFile, hashOf } from './file-hash.js';

export interface RestoreOptions extends BackupPlace {
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RestoreResult {
  /** The data folder. */
  readonly dataDir: string;
  /** When the backup was taken: ISO-8601 UTC. */
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
}

/** There from the first moment to the last: a folder that a restore left behind, half full, is not taken for somebody's files. */
const MARK = '.restoring';
const STAGE = '.restored';
/** It makes the folder an index, so it comes last. */
const LEDGER = DATA_FILES.ledger;
const MOST_MANIFEST_BYTES = 256 * 1024 * 1024;

/**
 * Puts what `backUp` packed in place, as the configuration here says: the data folder and the folder of the store, which must be empty. Each
 * file is checked against the list that the archive begins with before any is put in place. One that was killed is begun again by
 * calling it again.
 *
 * @throws RAGError `BACKUP_INVALID`; `USAGE` where a folder is not empty; `INDEX_DISK_FULL`; `ABORTED`
 */
export async function restoreBackup(file: string, options: RestoreOptions = {}): Promise<RestoreResult> {
  const { onProgress, signal, ...place } = options;
  const config = await loadConfig({ trust: 'unchecked', ...place });
  assertPlainDataFolder(config);
  const { dataDir, rag } = config;
  const archive = resolve(place.cwd ?? process.cwd(), file);
  const manifest = await readManifest(archive);
  if (rag.ledger.type !== 'postgres') assertLedger(manifest, archive);
  const parts = [
    { part: DATA, folder: dataDir },
    { part: STORE, folder: rag.storage.local.path },
  ];
  const wanted = parts.filter(({ part }) => filesOf(manifest, part).length > 0);
  assertPlaces(manifest, archive, wanted);
  for (const { folder } of wanted) await makeRoom(folder);
  let done = 0;
  const total = manifest.files.length;
  const onFile = (): void => onProgress?.({ stage: 'restoring', done: ++done, total });
  try {
    for (const { part, folder } of wanted) await unpack(archive, manifest, { part, folder, signal, onFile });
    // The store first: without a ledger nobody looks for it.
    for (const { folder } of [...wanted].reverse()) await putInPlace(folder);
  } catch (error) {
    // The store may lie in the data folder. What cannot be removed is marked, and the next one removes it: the fault to be told is this one.
    for (const { folder } of [...wanted].reverse()) await empty(folder).catch(() => undefined);
    if (systemErrorCode(error) !== 'ENOSPC') throw error;
    throw new RAGError('INDEX_DISK_FULL', `There is no room to restore into ${dataDir}.`, { cause: error });
  }
  const bytes = manifest.files.reduce((sum, one) => sum + one.bytes, 0);
  return { dataDir, at: manifest.at, files: total, bytes };
}

async function readManifest(archive: string): Promise<BackupManifest> {
  if (!existsSync(archive)) throw new RAGError('USAGE', `There is no file ${archive}.`);
  assertOpenable(archive);
  const parts: Buffer[] = [];
  let isFirst = true;
  let isWhole = false;
  try {
    await list({
      file: archive,
      strict: true,
      onReadEntry: (entry) => {
        const isManifest = isFirst && entry.path === MANIFEST && entry.size <= MOST_MANIFEST_BYTES;
        isFirst = false;
        if (!isManifest) return entry.resume();
        entry.on('data', (part: Buffer) => parts.push(part)).on('end', () => (isWhole = true));
      },
    });
  } catch (cause) {
    throw invalidBackup(archive, 'it is no archive of this program, or it is damaged', cause);
  }
  if (!isWhole) throw invalidBackup(archive, 'it does not begin with the list of its files');
  return parseManifest(Buffer.concat(parts).toString('utf8'), archive);
}

const filesOf = ({ files }: BackupManifest, part: string): BackedUpFile[] =>
  files.filter(({ path }) => path.startsWith(`${part}/`));

/** A service for tenants alone has no index of its own, and no store of it. */
function assertLedger(manifest: BackupManifest, archive: string): void {
  const ledger = `${DATA}/${LEDGER}`;
  const isThere = manifest.files.some(({ path }) => path === ledger);
  if (!isThere && filesOf(manifest, STORE).length > 0) throw invalidBackup(archive, `${ledger} is missing`);
}

/** An archive of this program has no file where this one works, and none of the data folder where the store goes. */
function assertPlaces(
  manifest: BackupManifest,
  archive: string,
  parts: readonly { readonly part: string; readonly folder: string }[],
): void {
  for (const { part, folder } of parts) {
    const taken = [
      ...[MARK, STAGE].map((name) => join(folder, name)),
      ...parts.filter((other) => other.part !== part).map((other) => other.folder),
    ].filter((path) => path !== folder && isPathInside(folder, path));
    for (const { path } of filesOf(manifest, part))
      if (taken.some((place) => isPathInside(place, join(folder, path.slice(part.length + 1)))))
        throw invalidBackup(archive, `${path} is no file of an index`);
  }
}

/** An empty folder, marked. */
async function makeRoom(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const held = await readdir(folder);
  if (held.includes(MARK)) await empty(folder);
  else if (held.length > 0)
    throw new RAGError(
      'USAGE',
      `${folder} is not empty, and nothing is overwritten. Move it away first (mv ${folder} ${folder}.old), or name another folder with \`--data\`.`,
      { details: { folder } },
    );
  tighten(folder);
  await writeFile(join(folder, MARK), '', { mode: PRIVATE_FILE });
}

/** The mark goes last. The folder stays: it may be where a disk is mounted. */
async function empty(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== MARK);
  for (const name of [...names, MARK]) await rm(join(folder, name), { recursive: true, force: true });
}

interface Unpacking {
  readonly part: string;
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  readonly onFile: () => void;
}

async function unpack(
  archive: string,
  manifest: BackupManifest,
  { part, folder, signal, onFile }: Unpacking,
): Promise<void> {
  const stage = join(folder, STAGE);
  await mkdir(stage, { mode: PRIVATE_FOLDER });
  const files = filesOf(manifest, part);
  const sizes = new Map(files.map(({ path, bytes }) => [path, bytes]));
  try {
    await extract({
      file: archive,
      cwd: stage,
      strict: true,
      strip: 1,
      dmode: PRIVATE_FOLDER,
      preserveOwner: false,
      // Links, devices and what the list does not name are passed over; what is then missing is found below.
      filter: (path, entry) => {
        if (signal?.aborted === true || !('type' in entry) || entry.type !== 'File') return false;
        // That of the archive may be anything.
        entry.mode = PRIVATE_FILE;
        return sizes.get(path) === entry.size;
      },
      onReadEntry: onFile,
    });
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOSPC') throw cause;
    throw invalidBackup(archive, 'it is damaged', cause);
  }
  throwIfAborted(signal);
  for (const { path, sha256 } of files) {
    const unpacked = join(stage, path.slice(part.length + 1));
    if (lstatSync(unpacked, { throwIfNoEntry: false })?.isFile() !== true)
      throw invalidBackup(archive, `${path} is missing`);
    if ((await hashOf(unpacked, signal)) !== sha256) throw invalidBackup(archive, `${path} is damaged`);
    await flushFile(unpacked);
  }
}

async function putInPlace(folder: string): Promise<void> {
  const stage = join(folder, STAGE);
  const names = await readdir(stage);
  const ordered = [...names.filter((name) => name !== LEDGER), ...names.filter((name) => name === LEDGER)];
  for (const name of ordered) await rename(join(stage, name), join(folder, name));
  await rm(stage, { recursive: true });
  await rm(join(folder, MARK));
}
