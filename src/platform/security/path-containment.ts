import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RAGError } from '../../core/errors.js';

/**
 * Guards against a path that climbs out of the folder it was promised to stay in: `../../etc/passwd`, an absolute path,
 * or the prefix twin `/data/docs-private` of the root `/data/docs`.
 *
 * The check is lexical and touches no disk. Symbolic links are the caller's part: resolve both paths with `realpath`
 * first, then ask again.
 */
export function isPathInside(root: string, path: string): boolean {
  if (path.includes('\0') || root.includes('\0')) return false;
  const base = resolve(root);
  const fromRoot = relative(base, resolve(base, path));
  // On Windows a path on another drive has no relative form and stays absolute.
  return fromRoot !== '..' && !fromRoot.startsWith(`..${sep}`) && !isAbsolute(fromRoot);
}

/**
 * The absolute form of `path` (read relative to `root`), which is `root` itself or lies below it.
 *
 * @throws RAGError `DOCUMENT_OUTSIDE_ROOT` where it would not; see {@link isPathInside}.
 */
export function assertPathInside(root: string, path: string): string {
  if (isPathInside(root, path)) return resolve(root, path);
  throw new RAGError(
    'DOCUMENT_OUTSIDE_ROOT',
    `${JSON.stringify(path)} lies outside its root folder ${JSON.stringify(root)}. Only files below the root are read; configure the other folder as a source of its own.`,
    { details: { root, path } },
  );
}

/** The absolute path without symbolic links, also where its end does not exist yet. */
export function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPathOf(parent), basename(absolute));
  }
}
