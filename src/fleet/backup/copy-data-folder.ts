import { execFile } from 'node:child_process';
import { constants, type Dirent } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { DATA_FILES, DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { whileNobodyWrites } from '../../ledger/copying-pause.js';
import { ledgerError } from '../../ledger/sqlite/ledger-errors.js';
import { makePrivateFile, PRIVATE_FOLDER } from '../../platform/security/private-files.js';
import { isPlain } from '../../platform/sqlite/encrypted-file.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { DATA, STORE } from './backup-manifest.js';

export interface CopyOptions {
  readonly dataDir: string;
  /** Where the store has its files; `isKept`: they are of this index's, and can be copied. */
  readonly store: { readonly path: string; readonly isKept: boolean };
  /** An empty folder. */
  readonly to: string;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onFile: () => void;
}

/** Files that hold nothing: locks, who holds them, and what SQLite keeps beside a database. */
const OF_THE_MOMENT = /\.(?:db|lock)-(?:wal|shm|journal)$|\.(?:lock|wanted)$|^writer\.json/;
/** Clones of repositories, which are fetched again, and what searches found. */
const MADE_AGAIN = [DATA_FOLDERS.clones, DATA_FILES.searchResults];
const DATABASE = '.db';

/**
 * Copies a data folder. Each index in it (tenants may have their own) is copied while it is not written, so that ledger and store agree. Searches
 * go on.
 *
 * @returns the longest time for which writers of one had to wait, in milliseconds
 * @throws RAGError `INDEX_LOCKED`, `INDEX_DAMAGED`, `INDEX_DISK_FULL`, `USAGE` for a link, `ABORTED`
 */
export function copyDataFolder(options: CopyOptions): Promise<number> {
  const { dataDir, store, to } = options;
  return copyIndex(dataDir, {
    ...options,
    to: join(to, DATA),
    store: { ...store, to: join(to, STORE) },
  });
}

interface IndexCopy extends Omit<CopyOptions, 'dataDir' | 'store'> {
  readonly store?: (CopyOptions['store'] & { readonly to: string }) | undefined;
}

/** The folder of an index, then those of others in it, each in its own pause. */
async function copyIndex(folder: string, options: IndexCopy): Promise<number> {
  const { waitMs, signal, store } = options;
  const inner: string[] = [];
  let longest = await whileNobodyWrites(folder, { waitMs, signal }, async () => {
    const since = runtime().elapsed();
    const left = new Set([
      ...MADE_AGAIN.map((name) => join(folder, name)),
      ...(store === undefined ? [] : [store.path]),
    ]);
    await copyTree(folder, options.to, { ...options, left, inner });
    if (store?.isKept === true && (await exists(store.path)))
      await copyTree(store.path, store.to, { ...options, left: new Set(), inner });
    return runtime().elapsed() - since;
  });
  for (const path of inner) {
    const to = join(options.to, relative(folder, path));
    longest = Math.max(longest, await copyIndex(path, { ...options, to, store: undefined }));
  }
  return Math.round(longest);
}

async function copyTree(
  from: string,
  to: string,
  options: Pick<IndexCopy, 'signal' | 'onFile'> & {
    readonly left: ReadonlySet<string>;
    /** Is given the folders of other indexes. */
    readonly inner: string[];
  },
): Promise<void> {
  const { signal, left, inner, onFile } = options;
  await mkdir(to, { recursive: true, mode: PRIVATE_FOLDER });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    throwIfAborted(signal);
    const path = join(from, entry.name);
    if (OF_THE_MOMENT.test(entry.name) || left.has(path)) continue;
    if (entry.isDirectory()) {
      if (await exists(join(path, DATA_FILES.ledger))) inner.push(path);
      else await copyTree(path, join(to, entry.name), options);
    } else {
      assertFile(path, entry);
      await copyOne(path, join(to, entry.name));
      onFile();
    }
  }
}

function assertFile(path: string, entry: Dirent): void {
  if (entry.isFile()) return;
  throw new RAGError(
    'USAGE',
    `${path} is a link or no file at all, and would be missing in the backup. Put the files themselves there, or name the folder in \`rag.storage.local.path\`.`,
  );
}

/** A database as it stands at one moment, even while it is written; else the file, sharing its blocks where the file system can. */
async function copyOne(from: string, to: string): Promise<void> {
  try {
    if (from.endsWith(DATABASE)) await copyDatabase(from, to);
    else await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT' && !(await exists(from))) return;
    throw cause;
  }
}

async function copyDatabase(from: string, to: string): Promise<void> {
  let database: SqliteDatabase;
  try {
    database = SqliteDatabase.open(from, { toError: (kind, cause) => ledgerError(from, kind, cause) });
  } catch (error) {
    if (!RAGError.isInstance(error) || error.reason !== 'INDEX_DAMAGED') throw error;
    await copyEncrypted(from, to, error);
    return;
  }
  try {
    makePrivateFile(to);
    database.run('VACUUM INTO ?', to);
  } finally {
    database.close();
  }
}

/**
 * A file whose key a customer's store holds is copied as it is, its log before it: there are no writers, and whatever of the log is moved into the file
 * meanwhile is what the copy of the log says, too. Another process does it, for closing a file here would give up the locks on it.
 */
async function copyEncrypted(from: string, to: string, damage: RAGError): Promise<void> {
  for (const suffix of ['-wal', ''])
    if (await exists(from + suffix)) await run(process.execPath, ['-e', COPY, from + suffix, to + suffix]);
  if (isPlain(to)) throw damage;
}

const COPY = 'const [from, to] = process.argv.slice(1); require("node:fs").copyFileSync(from, to);';
const run = promisify(execFile);

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
