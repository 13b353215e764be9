import type { Dirent, readdir as readdirWithCallback } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type FileSystemAdapter, glob } from 'tinyglobby';
import { RAGError } from '../core/errors.js';
import { compareText } from '../core/filter.js';
import { sourceFiles } from '../core/runtime.js';
import { isPathInside } from '../platform/security/path-containment.js';
import { invalidNameError, outsideRootError, unreadableError } from './file-errors.js';
import { entryOf, type FolderEntry } from './folder-entry.js';
import type { GitignoreRules } from './gitignore.js';
import { FolderMovedError, readFolderInPlace } from './open-file.js';
import type { UnreadableItem } from './source.js';

export interface WalkOptions {
  /** Absolute path of an existing folder. */
  readonly root: string;
  /** The root with its links resolved. */
  readonly realRoot: string;
  /** Relative to the root, with `/`. */
  readonly globs: readonly string[];
  readonly exclude: readonly string[];
  readonly hidden: boolean;
  readonly followSymlinks: boolean;
  readonly gitignore: GitignoreRules | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a walk met and left out by rule, so that an empty listing can be explained. */
export interface SkippedCounts {
  /** Files and folders whose name starts with a dot. */
  hidden: number;
  /** Files and folders that a `.gitignore` names. */
  gitignored: number;
  /** `node_modules`, `.git` and `.ragstone` folders. */
  tooling: number;
  /** Symbolic links that are not followed: all of them, or those that loop or lie below another followed link. */
  symlinks: number;
  /** Pipes, sockets, devices. */
  special: number;
}

export interface WalkResult {
  /** Matching paths relative to the root, with `/`, in code point order. */
  readonly paths: readonly string[];
  /** Folders that could not be listed (ids ending in `/`), names that are not text, links that leave the root. */
  readonly unreadable: readonly UnreadableItem[];
  readonly skipped: Readonly<SkippedCounts>;
  /** Files that were met and do not match, by extension; see `extensionOf`. */
  readonly others: ReadonlyMap<string, number>;
}

/** Lower-case extension of a path, without the dot; empty for a name without one. */
export const extensionOf = (path: string): string =>
  /[^./\\]\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

const TOOLING_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.ragstone']);

/**
 * Lists the files that match. Rejects with the system error where the root itself cannot be listed; any other folder
 * that cannot be listed is reported in the result, never taken for empty.
 *
 * Links are followed one deep: a link met below a followed link is skipped. That bounds the walk whatever loops the
 * links form, and does not depend on the order in which folders are read.
 */
export async function walkFiles(options: WalkOptions): Promise<WalkResult> {
  await sourceFiles().readdir(options.root);
  const walk = new Walk(options);
  const paths = await glob([...options.globs], {
    cwd: options.root,
    ignore: [...options.exclude],
    // Hidden entries are filtered while reading, except where a pattern asks for them by name.
    dot: options.hidden,
    expandDirectories: false,
    followSymbolicLinks: false,
    fs: walk.adapter(),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (walk.rootFailure !== undefined) throw walk.rootFailure;
  const { unreadable, skipped, met } = walk;
  return { paths: paths.sort(compareText), unreadable, skipped, others: without(met, paths) };
}

/** Counts by extension, less those of some paths. */
function without(met: ReadonlyMap<string, number>, paths: readonly string[]): Map<string, number> {
  const left = new Map(met);
  for (const path of paths) left.set(extensionOf(path), (left.get(extensionOf(path)) ?? 0) - 1);
  return new Map([...left].filter(([, count]) => count > 0));
}

type Verdict = 'file' | 'folder' | keyof SkippedCounts | 'reported';

/** Each holds a descriptor. */
const FOLDERS_IN_FLIGHT = 16;

/** Lets so many pieces of work be done at once, in the order in which they came. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

class Walk {
  readonly unreadable: UnreadableItem[] = [];
  /** Why the root could not be read, though it could a moment before: no listing then, or all of it would count as gone. */
  rootFailure: Error | undefined;
  readonly skipped: SkippedCounts = { hidden: 0, gitignored: 0, tooling: 0, symlinks: 0, special: 0 };
  /** Files, by extension. */
  readonly met = new Map<string, number>();
  readonly #options: WalkOptions;
  readonly #showHidden: boolean;
  readonly #followed: string[] = [];
  readonly #turns = new Turns(FOLDERS_IN_FLIGHT);

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#showHidden = options.hidden || options.globs.some((glob) => /(^|\/)\.[^/]/.test(glob));
  }

  /** The globber reads folders through this, so that what it would swallow or follow is decided here. */
  adapter(): FileSystemAdapter {
    const read = (folder: string, _: unknown, done: (error: null, entries: FolderEntry[]) => void): void => {
      void this.#readFolder(folder).then((entries) => done(null, entries));
    };
    // The globber calls `readdir` with exactly these three arguments; its type names all overloads of Node's.
    return { readdir: read as unknown as typeof readdirWithCallback };
  }

  async #readFolder(folder: string): Promise<FolderEntry[]> {
    try {
      const names = await this.#turns.take(() =>
        readFolderInPlace(
          folder,
          (place) => this.#isExpected(folder, place),
          (path) => this.#namesIn(folder, path),
        ),
      );
      const verdicts = await Promise.all(names.map((entry) => this.#judge(join(folder, entry.name), entry)));
      return names.flatMap((entry, i) => this.#accept(entry.name, verdicts[i]));
    } catch (error) {
      const id = this.#idOf(folder, true);
      const isMoved = error instanceof FolderMovedError;
      const failure = RAGError.isInstance(error)
        ? error
        : isMoved
          ? outsideRootError(id)
          : unreadableError(id, error);
      if (id !== '/') this.unreadable.push({ id, error: failure });
      else if (isMoved) this.rootFailure = failure;
      else this.rootFailure = error instanceof Error ? error : new Error(String(error));
      return [];
    }
  }

  #accept(name: string, verdict: Verdict | undefined): FolderEntry[] {
    if (verdict === 'file') this.met.set(extensionOf(name), (this.met.get(extensionOf(name)) ?? 0) + 1);
    if (verdict === 'file' || verdict === 'folder') return [entryOf(name, verdict)];
    if (verdict !== undefined && verdict !== 'reported') this.skipped[verdict]++;
    return [];
  }

  async #judge(path: string, entry: Dirent): Promise<Verdict> {
    const isFolder = entry.isDirectory();
    if (isFolder && TOOLING_FOLDERS.has(entry.name)) return 'tooling';
    if (!this.#showHidden && entry.name.startsWith('.')) return 'hidden';
    if (await this.#options.gitignore?.isIgnored(path, isFolder)) return 'gitignored';
    if (isFolder) return 'folder';
    if (entry.isFile()) return 'file';
    if (!entry.isSymbolicLink()) return 'special';
    return this.#options.followSymlinks ? await this.#judgeLink(path) : 'symlinks';
  }

  async #judgeLink(path: string): Promise<Verdict> {
    const target = await followLink(path);
    // Whether a link to a file is broken or leaves the root matters only if its name matches: the listing asks again.
    if (target === undefined || target.kind === 'file') return 'file';
    if (target.kind === 'special') return 'special';
    if (this.#followed.some((link) => path.startsWith(link + sep))) return 'symlinks';
    if (!isPathInside(this.#options.realRoot, target.path)) {
      const id = this.#idOf(path, true);
      this.unreadable.push({ id, error: outsideRootError(id) });
      return 'reported';
    }
    if (isPathInside(target.path, await sourceFiles().realpath(join(path, '..')))) return 'symlinks';
    this.#followed.push(path);
    return 'folder';
  }

  /** Where a folder may really lie: where its path says, or, behind links that are followed, anywhere below the root. */
  #isExpected(folder: string, place: string): boolean {
    const { root, realRoot, followSymlinks } = this.#options;
    return followSymlinks ? isPathInside(realRoot, place) : place === join(realRoot, relative(root, folder));
  }

  /** Drops and reports names that are not valid UTF-8: no text can name them, so nothing can cite them. */
  async #namesIn(folder: string, path: string): Promise<readonly Dirent[]> {
    const entries = await sourceFiles().readdir(path, { withFileTypes: true });
    if (!entries.some((entry) => entry.name.includes('\uFFFD'))) return entries;
    const raw = await sourceFiles().readdir(path, { encoding: 'buffer' });
    const valid = new Set<string>();
    for (const bytes of raw) {
      const name = bytes.toString('utf8');
      if (Buffer.from(name, 'utf8').equals(bytes)) valid.add(name);
      else {
        const id = this.#idOf(join(folder, escapeInvalid(bytes)), false);
        this.unreadable.push({ id, error: invalidNameError(id) });
      }
    }
    return entries.filter((entry) => valid.delete(entry.name));
  }

  #idOf(path: string, isFolder: boolean): string {
    return relative(this.#options.root, path).replaceAll(sep, '/') + (isFolder ? '/' : '');
  }
}

interface LinkTarget {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'special';
}

async function followLink(path: string): Promise<LinkTarget | undefined> {
  try {
    const { realpath, stat } = sourceFiles();
    const target = await realpath(path);
    const facts = await stat(target);
    const kind = facts.isDirectory() ? 'folder' : facts.isFile() ? 'file' : 'special';
    return { path: target, kind };
  } catch {
    return undefined;
  }
}

/** Name bytes with every byte that is not printable ASCII as `\xHH`. */
const escapeInvalid = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
