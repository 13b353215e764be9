import { isAbsolute, posix, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { isDynamicPattern } from 'tinyglobby';
import type { WatchedPlace } from './watched-place.js';

/** Which files a source of files names, as its settings have them. */
interface WatchedSelection {
  /** Absolute; a folder or one file. */
  readonly root: string;
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly hidden: boolean;
  readonly followSymlinks: boolean;
}

const TOOLING = new Set(['.git', 'node_modules', '.ragstone']);

/**
 * Where files appear and change that a listing may name. It is told without a look at the disk, so it may say yes to more than a
 * listing then finds, and never to less: a listing costs little, a change that nobody sees stays for long.
 *
 * @param fileTypes globs of what a folder stands for
 */
export function watchedFiles(
  { root, paths, exclude, hidden, followSymlinks }: WatchedSelection,
  fileTypes: readonly string[],
): readonly WatchedPlace[] {
  const patterns = (paths.length === 0 ? ['**'] : paths).map((written) => patternBelow(root, written));
  const globs = patterns.flatMap((pattern) => globsOf(pattern, fileTypes));
  const showsHidden = hidden || globs.some((glob) => /(^|\/)\.[^/]/.test(glob));
  const isNamed = picomatch(globs, { dot: showsHidden });
  const isExcluded = exclude.length === 0 ? () => false : picomatch([...exclude], { dot: true });
  const mayLead = globs.map(leadsInto);
  const isShown = (path: string): boolean =>
    path
      .split('/')
      .every((name) => !TOOLING.has(name) && (showsHidden || !name.startsWith('.') || name === '.gitignore'));
  return [
    {
      path: root,
      followSymlinks,
      enters: (folder) =>
        isShown(folder) &&
        !isExcluded(folder) &&
        // `**/build/**` leaves a folder out by what is in it.
        !isExcluded(`${folder}/any`) &&
        mayLead.some((leads) => leads(folder)),
      // What `.gitignore` says changes what is listed.
      concerns: (file) =>
        isShown(file) && (posix.basename(file) === '.gitignore' || (isNamed(file) && !isExcluded(file))),
    },
  ];
}

function patternBelow(root: string, written: string): string {
  const local = isAbsolute(written) ? relative(root, written) : written;
  return posix.normalize(sep === '\\' ? local.replaceAll('\\', '/') : local).replace(/(?<=.)\/$/, '');
}

/** What a pattern may stand for: whether it names a file or a folder shows only on the disk. */
function globsOf(pattern: string, fileTypes: readonly string[]): string[] {
  const below = (prefix: string): string[] => fileTypes.map((type) => `${prefix}**/${type}`);
  if (pattern === '.') return below('');
  if (pattern === '**' || pattern.endsWith('/**')) return below(pattern.slice(0, -2));
  return isDynamicPattern(pattern) ? [pattern] : [pattern, ...below(`${pattern}/`)];
}

/** Whether files that a glob names may lie below a folder. */
function leadsInto(glob: string): (folder: string) => boolean {
  // A slash inside braces or brackets belongs to no one segment.
  if (/[{([][^})\]]*\//.test(glob)) return () => true;
  const segments = glob.split('/').map((segment) => ({
    isDeep: segment === '**',
    matches: segment === '**' ? () => true : picomatch(segment, { dot: true }),
  }));
  return (folder) => {
    for (const [depth, name] of folder.split('/').entries()) {
      const segment = segments[depth];
      if (segment?.isDeep === true) return true;
      // The last segment names files.
      if (segment === undefined || depth === segments.length - 1 || !segment.matches(name)) return false;
    }
    return true;
  };
}
