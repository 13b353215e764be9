import { resolve } from 'node:path';
import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { contentHash } from '../core/ids.js';
import { mapInOrder } from '../core/map-in-order.js';
import { sourceFiles } from '../core/runtime.js';
import { resolveFilePatterns, resolveRoot, rootError } from './file-patterns.js';
import { GitignoreRules } from './gitignore.js';
import { type FileGuard, hashFile, readWholeFile } from './open-file.js';
import type { ListedItem, ListOptions, ReadResult, SourceItem } from './source.js';
import { type SkippedCounts, walkFiles } from './walk-files.js';

/** Which files below a folder belong to a source, and which folder that is. */
export interface RootedSelection extends FileSelection {
  /** The folder of the root with its links resolved. Throws `SOURCE_UNREADABLE` once it is another than at first. */
  readonly realRoot: (folder: string) => Promise<string>;
}

/** Holds a source to the folder that its root leads to when it is first read, or, with `isRealRoot`, to the root itself. */
export function rooted<Selection extends FileSelection>(selection: Selection): Selection & RootedSelection {
  const { name, root, isRealRoot = false } = selection;
  let first: string | undefined;
  const checked = (real: string): string => {
    selection.assertRoot?.(real);
    return real;
  };
  const realRoot = async (folder: string): Promise<string> => {
    const real = await sourceFiles().realpath(folder);
    const isRoot = folder === resolve(root);
    first ??= checked(isRealRoot && isRoot ? folder : real);
    if (real === first) return real;
    throw new RAGError(
      'SOURCE_UNREADABLE',
      `Source "${name}": ${JSON.stringify(root)} leads to ${JSON.stringify(real)} now, and led to ${JSON.stringify(first)}. Nothing of it is read. Name the other folder if it is meant. What was indexed is kept.`,
      { details: { source: name, path: root } },
    );
  };
  return { ...selection, realRoot };
}

/** Which files below a folder belong to a source. */
export interface FileSelection {
  /** Name of the source, for messages. */
  readonly name: string;
  /** A folder, or one file. Ids are relative to the folder. */
  readonly root: string;
  /** Whether the root is a path without links, and none may come to stand in it. Default false. */
  readonly isRealRoot?: boolean;
  /** Told the root with its links resolved, before anything of it is listed. Throws where that must not be read. */
  readonly assertRoot?: ((real: string) => void) | undefined;
  /** Files, folders or globs relative to the root; default: the source's file types in the whole root. */
  readonly include?: readonly string[];
  /** Globs relative to the root. `node_modules` and `.git` folders are always left out. */
  readonly exclude?: readonly string[];
  /** Whether `.gitignore` files are honoured. */
  readonly gitignore?: boolean;
  /** Whether names that start with a dot are listed; a pattern that names one (`.github/*.md`) lists it anyway. Default false. */
  readonly hidden?: boolean;
  /** Whether symbolic links are followed, one deep and inside the root only. Default false. */
  readonly followSymlinks?: boolean;
  /** Larger files are reported as `DOCUMENT_TOO_LARGE`. Bytes; default: by format (`maxBytesOf`). */
  readonly maxFileBytes?: number | undefined;
  /** Told once per listing, when it is complete. */
  readonly onListed?: (summary: ListingSummary) => void;
}

/** What a listing found and what it left out by rule, so that an empty one can be explained. */
export interface ListingSummary {
  /** Files that match the patterns, readable or not. */
  readonly matched: number;
  /** Items and folders reported as unreadable. */
  readonly unreadable: number;
  /** Paths without wildcards in `include` that name nothing on disk. */
  readonly missing: readonly string[];
  readonly skipped: Readonly<SkippedCounts>;
  /** Files of kinds that were not asked for, by extension; empty where patterns say what is read, and match something. */
  readonly others: ReadonlyMap<string, number>;
}

// Enough to keep the disk and four hashing threads busy; each file holds one 256 KiB buffer.
const FILES_IN_FLIGHT = 16;

const guardOf = async (selection: RootedSelection, root: string): Promise<FileGuard> => ({
  root,
  realRoot: await selection.realRoot(root),
  followSymlinks: selection.followSymlinks ?? false,
  maxFileBytes: selection.maxFileBytes,
});

/** A file's bytes and times. */
export interface FileContent {
  readonly content: Uint8Array;
  readonly isMovable: true;
  readonly isDatedByFile: true;
  /** ISO-8601 UTC; absent where the file system keeps no birth time. */
  readonly createdAt?: string;
  /** ISO-8601 UTC. */
  readonly updatedAt: string;
}

/**
 * Reads one listed file; what comes of it has the version of the bytes that were read, which others may have written since the listing.
 *
 * @throws RAGError `DOCUMENT_VANISHED`, `DOCUMENT_UNREADABLE`, `DOCUMENT_TOO_LARGE`, `DOCUMENT_OUTSIDE_ROOT`, `ABORTED`.
 */
export async function readListedFile(
  selection: RootedSelection,
  { id }: Pick<SourceItem, 'id'>,
  {
    signal,
    toResult,
  }: { readonly signal: AbortSignal | undefined; readonly toResult: (file: FileContent) => ReadResult },
): Promise<ReadResult> {
  const file = await readFileContent(selection, id, signal);
  return { ...toResult(file), version: contentHash(file.content) };
}

async function readFileContent(
  selection: RootedSelection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<FileContent> {
  throwIfAborted(signal);
  const { folder } = await resolveRoot(selection.root, selection.name);
  const { content, stats } = await readWholeFile(id, await guardOf(selection, folder));
  return {
    content,
    isMovable: true,
    isDatedByFile: true,
    updatedAt: stats.mtime.toISOString(),
    ...(stats.birthtimeMs > 0 ? { createdAt: stats.birthtime.toISOString() } : {}),
  };
}

/**
 * Lists the selected files in code point order of their ids, each with the SHA-256 of its bytes as version. A file
 * that disappears while listing is not named, unless the root does with it; one that cannot be read is reported and the rest goes on.
 *
 * @throws RAGError `SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE` or `CONFIG_INVALID` (see `resolveFilePatterns`), `ABORTED`.
 */
export async function* listFiles(
  selection: RootedSelection,
  defaults: { readonly fileTypes: readonly string[]; readonly gitignore: boolean },
  { signal }: ListOptions = {},
): AsyncGenerator<ListedItem> {
  throwIfAborted(signal);
  const {
    root,
    globs,
    isSingleFile,
    missing,
    unreadable: closed,
  } = await resolveFilePatterns({
    source: selection.name,
    root: selection.root,
    include: selection.include,
    fileTypes: defaults.fileTypes,
  });
  const honoursGitignore = !isSingleFile && (selection.gitignore ?? defaults.gitignore);
  const unlistable = (error: unknown): never => {
    throwIfAborted(signal);
    if (!RAGError.isInstance(error)) throw rootError(root, selection.name, error);
    // Rules that hold for all of it.
    const { message, details, reason } = error;
    throw reason === 'DOCUMENT_UNREADABLE'
      ? new RAGError('SOURCE_UNREADABLE', `Source "${selection.name}": ${message}`, { cause: error, details })
      : error;
  };
  const guard = await guardOf(selection, root).catch(unlistable);
  const gitignore = honoursGitignore ? await GitignoreRules.forRoot(root).catch(unlistable) : undefined;
  const walk = await walkFiles({
    root,
    realRoot: guard.realRoot,
    globs,
    exclude: selection.exclude ?? [],
    hidden: selection.hidden ?? false,
    followSymlinks: selection.followSymlinks ?? false,
    gitignore,
    signal,
  }).catch(unlistable);
  throwIfAborted(signal);
  const met = new Set(walk.unreadable.map(({ id }) => id));
  const unreached = [...walk.unreadable, ...closed.filter(({ id }) => !met.has(id))];
  let unreadable = unreached.length;
  yield* unreached;
  for await (const item of mapInOrder(walk.paths, FILES_IN_FLIGHT, (id) =>
    listFile(id, selection, guard, signal),
  )) {
    if (item === undefined) continue;
    if ('error' in item) unreadable++;
    yield item;
  }
  const { skipped, paths } = walk;
  // Beside a single file, and beside what patterns name, everything else is meant to be left out.
  const isChosen = isSingleFile || (selection.include !== undefined && paths.length > 0);
  const others = isChosen ? new Map<string, number>() : walk.others;
  selection.onListed?.({ matched: paths.length, unreadable, missing, skipped, others });
}

async function listFile(
  id: string,
  selection: FileSelection,
  guard: FileGuard,
  signal: AbortSignal | undefined,
): Promise<ListedItem | undefined> {
  throwIfAborted(signal);
  try {
    return { id, ...(await hashFile(id, guard)) };
  } catch (cause) {
    const error = toRAGError(cause, 'DOCUMENT_UNREADABLE', `${JSON.stringify(id)} cannot be read.`);
    if (error.reason !== 'DOCUMENT_VANISHED') return { id, error };
    // Where the root itself is away, as a share that is unmounted meanwhile, no file of it is gone.
    await resolveRoot(selection.root, selection.name);
    return undefined;
  }
}
