import systemPath, { type PlatformPath } from 'node:path';

/** Sources that were named as paths carry this prefix, which no configured name can have. */
const PATH_PREFIX = 'path:';

/** Whether a source is a file or folder that a call named. */
export const isPathSource = (name: string): boolean => name.startsWith(PATH_PREFIX);

/** Source of documents that the caller hands in. */
const PUSH_SOURCE = 'push:documents';

/** Each project has a source of its own, so that equal ids of two projects are two documents. */
export const pushSourceName = (project: string | undefined): string =>
  project === undefined ? PUSH_SOURCE : `${PUSH_SOURCE}/${project}`;

/** Whether a source holds what programs handed in. */
export const isPushSource = (name: string): boolean =>
  name === PUSH_SOURCE || name.startsWith(`${PUSH_SOURCE}/`);

/** What a file or folder is named by its real path: relative to the project where it lies inside, so that an index may move with it. */
export function nameOfFolder(
  real: string,
  project: string | undefined,
  path: PlatformPath = systemPath,
): string {
  const inside = project === undefined ? undefined : path.relative(project, real);
  const isInside =
    inside !== undefined &&
    inside !== '..' &&
    !inside.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(inside);
  return PATH_PREFIX + (isInside ? inside.split(path.sep).join('/') || '.' : withDrive(real, path));
}

/** Paths that calls named and that led elsewhere through a link carry this prefix in the ledger. */
const LINK_PREFIX = 'link:';

/** Under what the ledger keeps where a path led that a call named. */
export const keyOfLink = (path: string, project: string | undefined): string =>
  LINK_PREFIX + nameOfFolder(path, project).slice(PATH_PREFIX.length);

/** The absolute path of such a key; undefined for other keys, and for a relative one without a project. */
export const pathOfLink = (key: string, project: string | undefined): string | undefined =>
  key.startsWith(LINK_PREFIX)
    ? folderOfName(PATH_PREFIX + key.slice(LINK_PREFIX.length), project)
    : undefined;

/** The absolute path that a name leads to; undefined for other sources, and for a relative name without a project. */
export function folderOfName(
  name: string,
  project: string | undefined,
  path: PlatformPath = systemPath,
): string | undefined {
  if (!isPathSource(name)) return undefined;
  const named = name.slice(PATH_PREFIX.length);
  if (path.isAbsolute(named)) return path.resolve(named);
  return project === undefined ? undefined : path.resolve(project, named);
}

/** What a folder with an absolute name is called relative to each folder above it; nothing for any other source. */
export function relativeNamesOf(name: string, path: PlatformPath = systemPath): string[] {
  const absolute = folderOfName(name, undefined, path);
  if (absolute === undefined) return [];
  const parts = absolute
    .slice(path.parse(absolute).root.length)
    .split(path.sep)
    .filter((part) => part !== '');
  return parts.map((_, from) => PATH_PREFIX + parts.slice(from).join('/'));
}

/** `c:` and `C:` are one drive. */
const withDrive = (absolute: string, { sep }: PlatformPath): string =>
  sep === '\\' ? absolute.replace(/^[a-z]:/, (drive) => drive.toUpperCase()) : absolute;
