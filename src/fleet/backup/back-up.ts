import { createWriteStream, existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import { type LoadConfigOptions, loadConfig } from '../../config/load-config.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { assertPlainDataFolder } from '../../config/trust/index-reach.js';
import { RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { isoNow } from '../../core/runtime.js';
import { tryLockFile } from '../../ledger/lock-file.js';
import { isPathInside } from '../../platform/security/path-containment.js';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../platform/security/private-files.js';
import { flushFolderSync } from '../../platform/security/regular-file.js';
import { type BackedUpFile, type BackupManifest, FORMAT, MANIFEST } from './backup-manifest.js';
import { copyDataFolder } from './copy-data-folder.js';
import { flushFile, hashOf } from './file-hash.js';
import { type PlaceOfChunks, placeOfSecond, placesOfChunks } from './places-of-chunks.js';

/** Which index, as `createEngine` takes it. */
export type BackupPlace = Pick<LoadConfigOptions, 'file' | 'config' | 'dataDir' | 'cwd' | 'env'>;

export interface BackupOptions extends BackupPlace {
  /** How long a writer that makes no room is waited for, in milliseconds. @default 600000 */
  readonly waitMs?: number | undefined;
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BackupProgress {
  /** `copying`: writers wait. `packing`: they go on. */
  readonly stage: 'copying' | 'packing' | 'restoring';
  /** Files. */
  readonly done: number;
  /** 0 while it is not known. */
  readonly total: number;
}

export interface BackupResult {
  /** The archive. */
  readonly path: string;
  readonly files: number;
  /** Bytes of the files, and of the archive. */
  readonly bytes: number;
  readonly archiveBytes: number;
  /** How long a writer of an index had to wait, in milliseconds, at most. */
  readonly pausedMs: number;
  /** What the archive does not hold. */
  readonly notices: readonly string[];
}

const DEFAULT_WAIT_MS = 600_000;
/** Vectors hardly shrink: the quickest level. */
const LEVEL = 1;
/** A folder beside the archive, behind its name, and what stands in it while the archive is made. */
const PARTIAL = '.partial';
const [LOCK, FILES, ARCHIVE] = ['backup.lock', 'files', 'archive'] as const;

/**
 * Packs the data folder and the store of an index into one file, for `restoreBackup`. Searches go on; a run that writes waits between two
 * batches while files are copied, not while they are packed. The archive holds texts, keys by their hashes and the audit log: it is
 * readable by its owner alone. A name that ends with `.tar` is not compressed, any other is.
 *
 * @throws RAGError `USAGE` where the file exists or there is nothing to back up; `INDEX_LOCKED`, `INDEX_DAMAGED`, `INDEX_DISK_FULL`
 */
export async function backUp(file: string, options: BackupOptions = {}): Promise<BackupResult> {
  const { waitMs = DEFAULT_WAIT_MS, onProgress, signal, ...place } = options;
  const config = await loadConfig({ trust: 'unchecked', ...place });
  const path = resolve(place.cwd ?? process.cwd(), file);
  assertPlace(path, config);
  assertPlainDataFolder(config);
  const draft = await openDraft(path);
  try {
    const killed = await removeKilled(dirname(path));
    const { dataDir, rag } = config;
    let copied = 0;
    const places = await placesOfChunks(config);
    const isKept = places.some(({ place }) => place === 'here');
    const store = { path: rag.storage.local.path, isKept };
    const pausedMs = await copyDataFolder({
      ...{ dataDir, store, to: draft.files, waitMs, signal },
      onFile: () => onProgress?.({ stage: 'copying', done: ++copied, total: 0 }),
    });
    const listed = await listFiles(draft.files, signal);
    const manifest: BackupManifest = {
      format: FORMAT,
      at: isoNow(),
      files: listed,
    };
    await writeFile(join(draft.files, MANIFEST), JSON.stringify(manifest), { mode: PRIVATE_FILE });
    let packed = 0;
    const onFile = (): void => onProgress?.({ stage: 'packing', done: ++packed, total: listed.length + 1 });
    const archiveBytes = await pack(draft, manifest, { path, signal, onFile });
    const bytes = listed.reduce((sum, one) => sum + one.bytes, 0);
    const notices = [...leftOutOf(config, places), ...killed];
    return { path, files: listed.length, bytes, archiveBytes, pausedMs, notices };
  } catch (error) {
    throw systemErrorCode(error) === 'ENOSPC' ? noSpace(path, error) : error;
  } finally {
    await draft.remove();
  }
}

/** A folder beside the archive while it is made. */
interface Draft {
  readonly files: string;
  readonly archive: string;
  remove(): Promise<void>;
}

/** What a backup that was killed left there is removed. */
async function openDraft(path: string): Promise<Draft> {
  const folder = path + PARTIAL;
  const lockFile = join(folder, LOCK);
  if (existsSync(folder) && !existsSync(lockFile))
    throw new RAGError('USAGE', `${folder} is in the way: name another file, or move it.`);
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const lock = tryLockFile(lockFile);
  if (lock === undefined)
    throw new RAGError(
      'USAGE',
      `Another process makes ${path} at this moment. Wait for it, or name another file.`,
    );
  const [files, archive] = [join(folder, FILES), join(folder, ARCHIVE)];
  await rm(files, { recursive: true, force: true });
  await rm(archive, { force: true });
  await mkdir(files, { mode: PRIVATE_FOLDER });
  return {
    files,
    archive,
    remove: async () => {
      await rm(files, { recursive: true, force: true });
      await rm(archive, { force: true });
      // At once: a draft without a lock is taken for what a killed backup left.
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Renamed when it is whole, so that no file of the name is ever half an archive. */
async function pack(
  draft: Draft,
  { files }: BackupManifest,
  {
    path,
    signal,
    onFile,
  }: { readonly path: string; readonly signal: AbortSignal | undefined; readonly onFile: () => void },
): Promise<number> {
  const packing = create(
    {
      cwd: draft.files,
      portable: true,
      onWriteEntry: onFile,
      ...(path.endsWith('.tar') ? {} : { gzip: { level: LEVEL } }),
    },
    [MANIFEST, ...files.map((one) => one.path)],
  );
  const written = createWriteStream(draft.archive, { flags: 'wx', mode: PRIVATE_FILE });
  await pipeline(packing, written, { signal });
  await flushFile(draft.archive);
  const { size } = await stat(draft.archive);
  await rename(draft.archive, path);
  flushFolderSync(dirname(path));
  return size;
}

/** What a folder holds, as the manifest names it, with the hash of each file. */
async function listFiles(root: string, signal: AbortSignal | undefined): Promise<BackedUpFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files: BackedUpFile[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    throwIfAborted(signal);
    const path = join(entry.parentPath, entry.name);
    const { size } = await stat(path);
    files.push({
      path: relative(root, path).split(sep).join('/'),
      bytes: size,
      sha256: await hashOf(path, signal),
    });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function assertPlace(path: string, { dataDir, projectRoot, rag }: ResolvedConfig): void {
  if (existsSync(path))
    throw new RAGError('USAGE', `${path} exists already. Name another file, or remove it first.`);
  if (!existsSync(dataDir))
    throw new RAGError('USAGE', `There is nothing to back up: the data folder ${dataDir} does not exist.`);
  if (isPathInside(dataDir, projectRoot))
    throw new RAGError(
      'USAGE',
      `The data folder ${dataDir} holds the project too, and all of it would be backed up. Keep the index in a folder of its own (\`--data\`).`,
    );
  for (const folder of [dataDir, rag.storage.local.path])
    if (isPathInside(folder, path))
      throw new RAGError(
        'USAGE',
        `${path} is in the folder that is backed up. Name a file outside of ${folder}.`,
      );
}

function leftOutOf(config: ResolvedConfig, places: readonly PlaceOfChunks[]): string[] {
  const { ledger, failover } = config.rag;
  const second = placeOfSecond(config);
  return [
    ...(ledger.type === 'postgres'
      ? [
          'The ledger is on PostgreSQL and not in this archive: back up its schema by the means of the server (pg_dump), together with the store.',
        ]
      : []),
    ...places
      .filter(({ place }) => place !== 'here')
      .map(
        ({ store, place }) =>
          `The chunks are ${place}, in the store "${store}", and not in this archive: back them up by its means. When both are restored, \`ragstone verify --repair\` brings them in step.`,
      ),
    ...(second === undefined
      ? []
      : [
          `The second store of rag.failover, "${failover?.secondary.name ?? ''}", is ${second} and not in this archive. \`ragstone stores sync\` fills it anew.`,
        ]),
  ];
}

/** Removes what backups that were killed left beside an archive, under whatever name; says so. */
async function removeKilled(folder: string): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || !entry.name.endsWith(PARTIAL)) continue;
    try {
      if (isDraft(path) && (await removeUnlocked(path)))
        removed.push(`${path} was removed: a backup that was killed had left it.`);
    } catch (error) {
      // A backup beside this one that ended took its draft along.
      if (existsSync(path)) throw error;
    }
  }
  return removed;
}

/** Whether a folder holds what a backup makes, and nothing else. */
function isDraft(folder: string): boolean {
  const names = readdirSync(folder);
  return (
    names.includes(LOCK) && names.every((name) => name === FILES || name === ARCHIVE || name.startsWith(LOCK))
  );
}

/** Removes a draft unless its backup still goes on. */
async function removeUnlocked(folder: string): Promise<boolean> {
  const lock = tryLockFile(join(folder, LOCK));
  if (lock === undefined) return false;
  lock.release();
  await rm(folder, { recursive: true, force: true });
  return true;
}

const noSpace = (path: string, cause: unknown): RAGError =>
  new RAGError(
    'INDEX_DISK_FULL',
    `There is no room for ${path}: while it is made it takes the size of the index twice. Make room, or name a file on another disk.`,
    { cause },
  );
