import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import systemPath, { type PlatformPath } from 'node:path';
import { systemErrorCode } from '../core/errors.js';
import { readRegularFileSync } from '../platform/security/regular-file.js';

/** Whether a file or folder is there; `unknown` where only the way to it is closed or away: then nothing of it is gone. */
export type FolderPresence = 'there' | 'gone' | 'unknown';

/** What is asked of the machine. */
export interface PresenceSystem {
  /** Throws the system's error where there is nothing. */
  readonly stat: (path: string) => unknown;
  /** Throws the system's error. */
  readonly entries: (folder: string) => readonly string[];
  /** Folders that disks may be mounted at, absolute. */
  readonly mountPoints: () => readonly string[];
  readonly path: PlatformPath;
}

const SYSTEM: PresenceSystem = {
  stat: (path) => statSync(path),
  entries: (folder) => readdirSync(folder),
  mountPoints: () => mountPointsOf(readTable()),
  path: systemPath,
};

export function presenceOf(path: string, system: PresenceSystem = SYSTEM): FolderPresence {
  try {
    system.stat(path);
    return 'there';
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return 'unknown';
    return isBelowAbsentDisk(path, system) ? 'unknown' : 'gone';
  }
}

/** Whether it may be there and cannot be read: the way to it is closed or away, or it is closed itself. */
export function isClosed(path: string): boolean {
  const presence = presenceOf(path);
  if (presence !== 'there') return presence === 'unknown';
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

/** Below a drive that is not there, or a place of disks that is missing or empty, as it is while nothing is mounted. */
function isBelowAbsentDisk(absolute: string, { stat, entries, mountPoints, path }: PresenceSystem): boolean {
  const { root } = path.parse(absolute);
  if (path.sep === '\\' && isMissing(() => stat(root))) return true;
  const places = [...mountPoints(), ...removableDiskOf(absolute)];
  return places.some((place) => isBelow(place, absolute, path) && isMissing(() => entries(place)));
}

/** Whether it is missing or holds nothing. */
function isMissing(read: () => unknown): boolean {
  try {
    const found = read();
    return Array.isArray(found) && found.length === 0;
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT';
  }
}

/** Where systems mount disks that come and go (Filesystem Hierarchy Standard 3.0, 3.11 and 3.12; udisks; macOS). */
const removableDiskOf = (absolute: string): string[] => {
  const found =
    /^(\/run\/media\/[^/]+\/[^/]+|\/media\/[^/]+(?:\/[^/]+)?|\/mnt(?:\/[^/]+)?|\/Volumes\/[^/]+)\//.exec(
      absolute,
    );
  return found?.[1] === undefined ? [] : [found[1]];
};

const isBelow = (folder: string, absolute: string, path: PlatformPath): boolean => {
  const inside = path.relative(folder, absolute);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
};

/** Mount points of a table of file systems (fstab(5)) but the root; spaces in them are written `\040`. */
export const mountPointsOf = (table: string): string[] =>
  table.split('\n').flatMap((line) => {
    const [device = '#', point = ''] = line.trim().split(/\s+/);
    const place = point.replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(parseInt(code, 8)),
    );
    return device.startsWith('#') || !place.startsWith('/') || place === '/' ? [] : [place];
  });

function readTable(): string {
  try {
    return readRegularFileSync('/etc/fstab').toString('utf8');
  } catch {
    return '';
  }
}
