import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, readFile, open as systemOpen } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFiles } from '../../core/runtime.js';

/** Code of the error for what is no regular file: a pipe, a device, a socket. A folder has the system's `EISDIR`. */
export const NOT_REGULAR = 'EFTYPE';

// A pipe in a file's place would wait for a writer for ever. All three are 0 where the system lacks them.
const NEVER_WAIT = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** Flag of open(2): the last part of the path may be no symbolic link. */
export const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** How a file is opened. */
export interface OpenRegularOptions {
  /** Flags of open(2). @default O_RDONLY */
  readonly flags?: number;
  /** Whether the last part of the path may be a symbolic link. @default true */
  readonly followLink?: boolean;
  /** Mode of a file that is made. */
  readonly mode?: number;
  /** What opens it. @default that of `node:fs/promises` */
  readonly open?: SourceFiles['open'];
}

/**
 * Opens a regular file. What came with a folder may be anything under the name of a file: a pipe, a device or a socket is refused
 * with the code {@link NOT_REGULAR} and never read. Every file whose name or folder others may have chosen is opened here.
 */
export async function openRegularFile(
  path: string,
  { flags = constants.O_RDONLY, followLink = true, mode, open = systemOpen }: OpenRegularOptions = {},
): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  const handle = await open(path, flags | NEVER_WAIT | (followLink ? 0 : NO_LINK), mode);
  try {
    const stats = await handle.stat();
    assertRegular(path, stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** See {@link openRegularFile}; add `NO_LINK` to the flags for a path that may be no symbolic link. Returns the descriptor. */
export function openRegularFileSync(path: string, flags: number = constants.O_RDONLY, mode?: number): number {
  const descriptor = openSync(path, flags | NEVER_WAIT, mode);
  try {
    assertRegular(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** All of a file; see {@link openRegularFile}. Throws the system's error. */
export async function readRegularFile(path: string, options?: OpenRegularOptions): Promise<Buffer> {
  const { handle } = await openRegularFile(path, options);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** All of a file as UTF-8; see {@link openRegularFile}. Throws the system's error. */
export const readRegularText = async (path: string, options?: OpenRegularOptions): Promise<string> =>
  (await readRegularFile(path, options)).toString('utf8');

/** All of what the user himself names, which may be a pipe with a writer: `--config <(...)`. Throws the system's error. */
export const readNamedFile = (path: string): Promise<Buffer> => readFile(path);

/** All of a file; see {@link openRegularFile}. Throws the system's error. */
export function readRegularFileSync(path: string): Buffer {
  const descriptor = openRegularFileSync(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A folder, to have its entries written to the disk. Throws the system's error. */
const openFolderSync = (path: string): number =>
  openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));

/** Makes names in a folder durable: a file that was renamed into it is there after a power cut. Windows needs and allows none. */
export function flushFolderSync(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openFolderSync(path);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Stops before a library opens by its name what is a pipe, a device or a socket. What is missing, or a folder, it tells of itself.
 *
 * @throws with the code {@link NOT_REGULAR}
 */
export function assertOpenable(path: string): void {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch {
    return;
  }
  if (!stats.isDirectory()) assertRegular(path, stats);
}

/** {@link assertOpenable} for everything in a folder. */
export function assertOpenableFiles(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) assertOpenable(join(folder, name));
}

function assertRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const [code, why] = stats.isDirectory()
    ? ['EISDIR', 'is a folder']
    : [NOT_REGULAR, 'is a pipe, a device or a socket'];
  throw Object.assign(new Error(`${path} ${why}, and no file.`), { code, path });
}
