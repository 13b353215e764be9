import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';

/** Modes of what holds indexed text: the owner alone, whatever the umask of the process lets through. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const OWNER = 0o700;

/**
 * Makes a folder, and those above it that are missing, for its owner alone. One that is there keeps its mode; see
 * `tighten`. Throws the system's error.
 */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Makes an empty file for its owner alone where there is none, for a driver that would make it readable for others. A file that
 * is there is not opened: closing it would drop the locks that this process holds on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch {
    // It is there, or cannot be made; then the driver says why.
  }
}

/** Whether accounts beside the owner may reach a path; false for a missing one, and on Windows, which has other lists. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}

/** Takes a file or folder from everybody but its owner; false where another account owns it, so that it stays open. */
export function tighten(path: string): boolean {
  if (!isOpenToOthers(path)) return true;
  try {
    chmodSync(path, statSync(path).mode & OWNER);
    return true;
  } catch {
    return false;
  }
}
