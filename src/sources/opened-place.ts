import { constants, existsSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SYSTEM_RUNTIME, sourceFiles } from '../core/runtime.js';
import { isPathInside } from '../platform/security/path-containment.js';

/** The folder of a source, and whether links in it are followed. */
export interface OpenedRoot {
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
export async function isInPlace(
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
