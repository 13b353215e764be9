import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { escapePath, isDynamicPattern } from 'tinyglobby';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { sourceFiles } from '../core/runtime.js';
import { isPathInside } from '../platform/security/path-containment.js';
import { unreadableError } from './file-errors.js';
import type { UnreadableItem } from './source.js';

/** A folder and the globs to match below it. */
export interface FilePatterns {
  /** Absolute. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly globs: readonly string[];
  /** The root itself is one file, named on purpose: rules that leave files out do not apply to it. */
  readonly isSingleFile: boolean;
  /** Paths without wildcards that name nothing on disk. */
  readonly missing: readonly string[];
  /** Folders on the way to what was asked for that are closed (ids ending in `/`): what lies below them is unknown. */
  readonly unreadable: readonly UnreadableItem[];
}

export interface FilePatternOptions {
  /** Name of the source, for messages. */
  readonly source: string;
  /** A folder, or one file. */
  readonly root: string;
  /** Files, folders or globs relative to the root; absent or empty means the whole root. */
  readonly include?: readonly string[] | undefined;
  /** What a folder stands for: `['*.md']`. */
  readonly fileTypes: readonly string[];
}

/**
 * Turns what a person writes (`./docs`, `docs/**`, `README.md`, `/abs/docs/*.md`) into globs relative to one root.
 * A folder, or a pattern that ends in `**`, stands for the source's own file types below it.
 *
 * @throws RAGError `SOURCE_NOT_FOUND` where the root, or the folder before a glob's first wildcard, does not exist: an
 *   unmounted folder must not look like one whose documents were all deleted. `SOURCE_UNREADABLE` where the root cannot
 *   be looked at, `CONFIG_INVALID` where a pattern leaves the root.
 */
export async function resolveFilePatterns(options: FilePatternOptions): Promise<FilePatterns> {
  const { source, fileTypes } = options;
  const { folder: root, file } = await resolveRoot(options.root, source);
  if (file !== undefined)
    return { root, globs: [escapePath(file)], isSingleFile: true, missing: [], unreadable: [] };
  const globs: string[] = [];
  const missing: string[] = [];
  const closed = new Map<string, UnreadableItem>();
  for (const written of options.include?.length ? options.include : ['**']) {
    const pattern = relativePattern(root, written, source);
    const literal = await findLiteral(root, pattern);
    const behind = literal === undefined ? await closedFolderOf(root, pattern, source) : undefined;
    if (behind !== undefined) closed.set(behind.id, behind);
    else if (literal?.kind === 'file') globs.push(escapePath(literal.path));
    else if (literal?.kind === 'folder')
      globs.push(...below(literal.path === '.' ? '' : `${escapePath(literal.path)}/`, fileTypes));
    else if (!isDynamicPattern(pattern)) missing.push(written);
    else {
      await assertPrefixExists(root, pattern, source);
      globs.push(...expandTrailingGlobstar(pattern, fileTypes));
    }
  }
  return { root, globs, isSingleFile: false, missing, unreadable: [...closed.values()] };
}

/**
 * The folder that ids are relative to, and the name of the one file where the root is a file. A link to a file stands
 * for its target: it was named on purpose.
 *
 * @throws RAGError `SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE`.
 */
export async function resolveRoot(root: string, source: string): Promise<{ folder: string; file?: string }> {
  const path = resolve(root);
  if ((await kindOf(path, source)) === 'folder') return { folder: path };
  const file = await sourceFiles().realpath(path);
  return { folder: dirname(file), file: basename(file) };
}

const below = (prefix: string, fileTypes: readonly string[]): string[] =>
  fileTypes.map((type) => `${prefix}**/${type}`);

const expandTrailingGlobstar = (pattern: string, fileTypes: readonly string[]): string[] =>
  pattern === '**' || pattern.endsWith('/**') ? below(pattern.slice(0, -2), fileTypes) : [pattern];

function relativePattern(root: string, written: string, source: string): string {
  const local = isAbsolute(written) ? relative(root, written) : written;
  const pattern = posix
    .normalize(sep === '\\' ? local.replaceAll('\\', '/') : local)
    .replace(/(?<=.)\/$/, '');
  if (written !== '' && isPathInside(root, pattern)) return pattern;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": the path ${JSON.stringify(written)} ${written === '' ? 'is empty' : 'leaves the folder of the source'} (${root}). Give a path below it, or configure another source with that folder as its root.`,
    { details: { source, path: written } },
  );
}

type PathKind = 'file' | 'folder';

async function kindOf(path: string, source: string): Promise<PathKind> {
  try {
    return (await sourceFiles().stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (cause) {
    throw rootError(path, source, cause);
  }
}

const isAbsent = (cause: unknown): boolean => /^(?:ENOENT|ENOTDIR)$/.test(systemErrorCode(cause) ?? '');

/** The error for a folder a source stands on and cannot use. */
export function rootError(path: string, source: string, cause: unknown): RAGError {
  const code = systemErrorCode(cause) ?? 'unknown error';
  const details = { source, path };
  if (isAbsent(cause)) {
    return new RAGError(
      'SOURCE_NOT_FOUND',
      `Source "${source}": ${JSON.stringify(path)} does not exist. Check the path; if the folder is mounted, mount it. What was indexed of it is kept.`,
      { cause, details },
    );
  }
  return new RAGError(
    'SOURCE_UNREADABLE',
    `Source "${source}": ${JSON.stringify(path)} cannot be read (${code}). Check its permissions. What was indexed of it is kept.`,
    { cause, details },
  );
}

// A file whose name holds `[` or `*` is meant literally when it exists under exactly that name, escaped or not.
async function findLiteral(
  root: string,
  pattern: string,
): Promise<{ path: string; kind: PathKind } | undefined> {
  for (const path of isDynamicPattern(pattern) ? [pattern] : [pattern, unescapeGlob(pattern)]) {
    const stats = await sourceFiles()
      .lstat(join(root, path))
      .catch(() => undefined);
    if (stats !== undefined) return { path, kind: stats.isDirectory() ? 'folder' : 'file' };
  }
  return undefined;
}

const assertPrefixExists = (root: string, pattern: string, source: string): Promise<PathKind> =>
  kindOf(join(root, ...fixedSegments(pattern)), source);

/** The folders before the first wildcard; of a path without one all, and its own name. */
function fixedSegments(pattern: string): string[] {
  const segments = pattern.split('/');
  const firstWildcard = segments.findIndex((segment) => isDynamicPattern(segment));
  return (firstWildcard < 0 ? segments : segments.slice(0, firstWildcard)).map(unescapeGlob);
}

/**
 * The folder that hides what a pattern asks for: the last on the way to it that can be looked at, where the next one is neither there nor absent.
 *
 * @throws RAGError `SOURCE_UNREADABLE` where that is the root.
 */
async function closedFolderOf(
  root: string,
  pattern: string,
  source: string,
): Promise<UnreadableItem | undefined> {
  const segments = fixedSegments(pattern);
  for (let length = 1; length <= segments.length; length++) {
    try {
      await sourceFiles().lstat(join(root, ...segments.slice(0, length)));
    } catch (cause) {
      // A name that is too long is none.
      if (isAbsent(cause) || systemErrorCode(cause) === 'ENAMETOOLONG') return undefined;
      if (length === 1) throw rootError(root, source, cause);
      const id = `${segments.slice(0, length - 1).join('/')}/`;
      return { id, error: unreadableError(id, cause) };
    }
  }
  return undefined;
}

const unescapeGlob = (segment: string): string => segment.replace(/\\(?=[()[\]{}!*+?@|])/g, '');

/** `md` as a glob that matches `.md`, `.MD` and `.Md`. */
export const anyCase = (extension: string): string =>
  [...extension].map((c) => (/[a-z]/i.test(c) ? `[${c.toLowerCase()}${c.toUpperCase()}]` : c)).join('');
