import { createHash } from 'node:crypto';
import { constants, existsSync, readlinkSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { SYSTEM_RUNTIME, sourceFiles } from '../core/runtime.js';
import { assertPathInside, isPathInside } from '../platform/security/path-containment.js';
import { NOT_REGULAR, openRegularFile } from '../platform/security/regular-file.js';
import {
  brokenLinkError,
  notAFileError,
  outsideRootError,
  tooLargeError,
  unreadableError,
  vanishedError,
} from './file-errors.js';
import { maxBytesOf } from './file-types.js';

/** Where a file may be read from. */
export interface FileGuard {
  /** Absolute folder that ids are relative to. */
  readonly root: string;
  /** The root with its links resolved. */
  readonly realRoot: string;
  readonly followSymlinks: boolean;
  /** Absent: by format. */
  readonly maxFileBytes: number | undefined;
}

const READ_BYTES = 256 * 1024;

/** SHA-256 of the bytes, read in pieces: memory does not grow with the file. */
export function hashFile(id: string, guard: FileGuard): Promise<{ version: string; bytes: number }> {
  // Without links to follow this saves a call to the system for each file.
  const path = guard.followSymlinks ? undefined : assertPathInside(guard.root, id);
  return withFile({ id, guard, path }, async (handle, stats) => {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of pieces(id, handle, { stats, guard })) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { version: hash.digest('hex'), bytes };
  });
}

/** The bytes and facts of a file. */
export function readWholeFile(id: string, guard: FileGuard): Promise<{ content: Uint8Array; stats: Stats }> {
  return withFile({ id, guard }, async (handle, stats) => {
    // Made at once, for parts and then the whole would be twice the file.
    let content = new Uint8Array(stats.size);
    let length = 0;
    for await (const piece of pieces(id, handle, { stats, guard })) {
      if (length + piece.length > content.length) content = resized(content, length + piece.length);
      content.set(piece, length);
      length += piece.length;
    }
    return { content: length === content.length ? content : resized(content, length), stats };
  });
}

function resized(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(length);
  copy.set(bytes.subarray(0, length));
  return copy;
}

// A file may grow while it is read, so the limit is checked on what arrives, not only on the size it claimed.
async function* pieces(
  id: string,
  handle: FileHandle,
  { stats, guard }: { stats: Stats; guard: FileGuard },
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, stats.size + 1));
  const most = guard.maxFileBytes ?? maxBytesOf(id);
  let total = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    total += bytesRead;
    if (total > most) throw tooLargeError(id, total, most);
    yield buffer.subarray(0, bytesRead);
    // It says that it has ended, which saves a call. Some file systems give less than asked for before.
    if (bytesRead < buffer.length && total >= stats.size) return;
  }
}

async function withFile<Result>(
  { id, guard, path }: { id: string; guard: FileGuard; path?: string | undefined },
  use: (handle: FileHandle, stats: Stats) => Promise<Result>,
): Promise<Result> {
  let handle: FileHandle | undefined;
  try {
    // A link put in the file's place since the listing must not lead elsewhere.
    const opening = path ?? (await resolveInside(id, guard));
    const opened = await openRegularFile(opening, {
      followLink: false,
      open: sourceFiles().open,
    });
    handle = opened.handle;
    const { stats } = opened;
    if (!(await isInPlace(handle, opening, { id, ...guard }))) throw outsideRootError(id);
    const most = guard.maxFileBytes ?? maxBytesOf(id);
    if (stats.size > most) throw tooLargeError(id, stats.size, most);
    return await use(handle, stats);
  } catch (error) {
    throw fileReadError(id, error);
  } finally {
    await handle?.close();
  }
}

/** The path to open, links resolved, proven to lie below the root. */
async function resolveInside(id: string, guard: FileGuard): Promise<string> {
  const path = assertPathInside(guard.root, id);
  const target = await resolveTarget(id, path);
  if (!isPathInside(guard.realRoot, target)) throw outsideRootError(id);
  // Unfollowed, the last step keeps its own name, so that O_NOFOLLOW refuses a link put there since the listing.
  return guard.followSymlinks ? target : path;
}

async function resolveTarget(id: string, path: string): Promise<string> {
  try {
    return await sourceFiles().realpath(path);
  } catch (error) {
    const isLink = await sourceFiles()
      .lstat(path)
      .then(
        (stats) => stats.isSymbolicLink(),
        () => false,
      );
    throw isLink ? brokenLinkError(id) : error;
  }
}

function fileReadError(id: string, error: unknown): RAGError {
  if (RAGError.isInstance(error)) return error;
  const code = systemErrorCode(error);
  if (code === NOT_REGULAR || code === 'EISDIR') return notAFileError(id);
  return code === 'ENOENT' || code === 'ENOTDIR' ? vanishedError(id, error) : unreadableError(id, error);
}

/** The folder of a source, and whether links in it are followed. */
interface OpenedRoot {
  /** With its links resolved. */
  readonly realRoot: string;
  readonly followSymlinks: boolean;
}

/** Whether what was opened can say where it is: `readlink(2)` of a descriptor, proc_pid_fd(5). */
const tellsPlace = (): boolean => HAS_DESCRIPTORS && sourceFiles().open === SYSTEM_RUNTIME.files.open;
const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Whether what was opened lies where its id says, or, where links are followed, below the root: between a look at a path and its opening
 * anybody who may write there can put a link in the place of a folder. A descriptor says it on Linux; elsewhere the path is looked at again, and
 * is to lead to the same file by device and inode.
 *
 * @param path what was opened
 */
async function isInPlace(
  handle: FileHandle,
  path: string,
  { id, realRoot, followSymlinks }: OpenedRoot & { readonly id: string },
): Promise<boolean> {
  const place = tellsPlace() ? placeOfDescriptor(handle) : await placeOfSame(handle, path);
  if (place === undefined || !isPathInside(realRoot, place)) return false;
  return followSymlinks || dirname(place) === dirname(join(realRoot, id));
}

// Of a file that was deleted meanwhile the name ends otherwise, and its folder is the same.
function placeOfDescriptor({ fd }: FileHandle): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

async function placeOfSame(handle: FileHandle, path: string): Promise<string | undefined> {
  const { realpath, lstat } = sourceFiles();
  const place = await realpath(path);
  const [opened, found] = await Promise.all([handle.stat({ bigint: true }), lstat(place, { bigint: true })]);
  return opened.dev === found.dev && opened.ino === found.ino ? place : undefined;
}

/** A folder was not where it was expected. */
export class FolderMovedError extends Error {
  override readonly name = 'FolderMovedError';
}

/**
 * Reads a folder by a path that keeps leading to it, whatever is put in its place meanwhile.
 *
 * @throws FolderMovedError where it does not lie as `isExpected` says; the system's error
 */
export async function readFolderInPlace<Result>(
  folder: string,
  isExpected: (place: string) => boolean,
  read: (path: string) => Promise<Result>,
): Promise<Result> {
  const assertExpected = (place: string | undefined): void => {
    if (place === undefined || !isExpected(place)) throw new FolderMovedError(folder);
  };
  if (tellsPlace()) {
    const handle = await sourceFiles().open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      assertExpected(placeOfDescriptor(handle));
      return await read(`/proc/self/fd/${handle.fd}`);
    } finally {
      await handle.close();
    }
  }
  const { realpath } = sourceFiles();
  assertExpected(await realpath(folder));
  const result = await read(folder);
  assertExpected(await realpath(folder));
  return result;
}
