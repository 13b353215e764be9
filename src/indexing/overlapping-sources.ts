import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RAGError } from '../core/errors.js';
import { isPathInside } from '../platform/security/path-containment.js';
import { withoutFiles } from '../sources/skipped-kinds.js';
import { isUnreadable, type ListedItem, type ListOptions, type Source } from '../sources/source.js';
import type { FindPath } from './document-paths.js';
import { isPathSource } from './folder-names.js';
import type { ConfiguredSource } from './source-task.js';

/** A folder that a call named, without the files that another source indexes. */
interface OverlapSource extends Source {
  /** Whether the last listing left out every file: the folder need not be remembered. */
  isRedundant(): boolean;
  /** Ids that the last listing left out, because their files are another source's. */
  leftToOthers(): ReadonlySet<string>;
}

export const isRedundant = (source: Source): boolean =>
  'isRedundant' in source && (source as OverlapSource).isRedundant();

/** Ids of a source that its last listing left to another one. */
export const leftToOthers = (source: Source): ReadonlySet<string> =>
  'leftToOthers' in source ? (source as OverlapSource).leftToOthers() : NONE;

const NONE: ReadonlySet<string> = new Set();

/**
 * Makes each file the business of one source: a configured source wins over a folder that a call named, and an outer folder over
 * one inside it. What shares files with a selected source joins the run, so that no file is held twice after it.
 *
 * @param known every source that may hold files: the configured ones, and folders of earlier runs
 */
export function withoutOverlaps(
  selected: readonly ConfiguredSource[],
  known: readonly ConfiguredSource[],
  findPath: FindPath,
): ConfiguredSource[] {
  const joined = joinOverlapping(selected, known);
  const parted = joined.map((configured) => {
    if (!isPathSource(configured.source.name)) return configured;
    const owners = joined.filter((other) => other !== configured && winsOver(other, configured));
    if (owners.length === 0) return configured;
    return { ...configured, source: leavingOut(configured.source, owners, findPath) };
  });
  return parted.map((configured) => {
    const inner = joined.filter((other) => isFileOf(other, configured)).flatMap(({ root }) => root ?? []);
    return inner.length === 0
      ? configured
      : { ...configured, source: withoutSkipped(configured.source, inner, findPath) };
  });
}

function joinOverlapping(
  selected: readonly ConfiguredSource[],
  known: readonly ConfiguredSource[],
): ConfiguredSource[] {
  const joined = [...selected];
  // It grows while it is walked: what joins may share files with others in turn.
  for (const source of joined) {
    const names = new Set(joined.map(({ source: { name } }) => name));
    const others = known.filter((other) => !names.has(other.source.name) && overlap(source, other));
    // Two configured sources of one folder are what somebody wrote down.
    joined.push(...others.filter((other) => isPath(source) || isPath(other)));
  }
  return joined;
}

const isPath = ({ source }: ConfiguredSource): boolean => isPathSource(source.name);

const overlap = (a: ConfiguredSource, b: ConfiguredSource): boolean => holds(a, b) || holds(b, a);

function holds(outer: ConfiguredSource, inner: ConfiguredSource): boolean {
  if (outer.root === undefined || inner.root === undefined) return false;
  return isPathInside(canonical(outer.root), canonical(inner.root));
}

function winsOver(other: ConfiguredSource, path: ConfiguredSource): boolean {
  if (!isPath(other)) return overlap(other, path);
  // Of two names of one folder, by way of a link, the first in order wins.
  return holds(other, path) && (!holds(path, other) || other.source.name < path.source.name);
}

/** A file that was named by itself, and lies in a folder that was named, too. */
const isFileOf = (file: ConfiguredSource, folder: ConfiguredSource): boolean =>
  isPath(folder) &&
  isPath(file) &&
  holds(folder, file) &&
  !holds(file, folder) &&
  statSync(file.root ?? '', { throwIfNoEntry: false })?.isFile() === true;

/** A folder that does not count among what it skips files that were named by themselves: they are read. */
function withoutSkipped(source: Source, files: readonly string[], findPath: FindPath): Source {
  const { listingSkipped } = source;
  if (listingSkipped === undefined) return source;
  const named = new Set(files.map(canonical));
  const own = new Set<string>();
  const fileOf = fileFinder(findPath);
  return {
    ...source,
    list: async function* (options) {
      own.clear();
      for await (const item of source.list(options)) {
        const file = fileOf(source.name, item.id);
        if (file !== undefined && named.has(file)) own.add(file);
        yield item;
      }
    },
    listingSkipped: () =>
      withoutFiles(
        listingSkipped(),
        [...named].filter((file) => !own.has(file)),
      ),
  };
}

/** Without links, as far as it exists. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function leavingOut(source: Source, owners: readonly ConfiguredSource[], findPath: FindPath): OverlapSource {
  const counts = new Map<string, number>();
  const left = new Set<string>();
  let kept = 0;
  async function* list(options?: ListOptions): AsyncGenerator<ListedItem> {
    counts.clear();
    left.clear();
    kept = 0;
    const ownerOf = await filesOf(owners, findPath, options);
    const fileOf = fileFinder(findPath);
    for await (const item of source.list(options)) {
      const owner = ownerOf.get(fileOf(source.name, item.id) ?? '');
      if (owner === undefined) {
        kept++;
        yield item;
      } else {
        counts.set(owner, (counts.get(owner) ?? 0) + 1);
        left.add(item.id);
      }
    }
  }
  const redundant = (): boolean => kept === 0 && counts.size > 0;
  const notices = (): string[] =>
    [...counts].map(
      ([owner, count]) =>
        `The source "${owner}" indexes ${count === 1 ? 'a file' : `${count} files`} of "${source.name}"; each file is indexed once, so it is left to "${owner}", which this run brings in step too.${redundant() ? ` "${source.name}" holds nothing else and is not remembered.` : ''}`,
    );
  return {
    ...source,
    list,
    isRedundant: redundant,
    leftToOthers: () => left,
    listingNotices: () => [...(source.listingNotices?.() ?? []), ...notices()],
  };
}

/** Names of the owners by the files that they list. An owner whose folder is not there owns nothing. */
async function filesOf(
  owners: readonly ConfiguredSource[],
  findPath: FindPath,
  options: ListOptions | undefined,
): Promise<ReadonlyMap<string, string>> {
  const fileOf = fileFinder(findPath);
  const files = new Map<string, string>();
  for (const { source } of owners) {
    try {
      for await (const item of source.list(options)) {
        const file = isUnreadable(item) && item.id.endsWith('/') ? undefined : fileOf(source.name, item.id);
        if (file !== undefined && !files.has(file)) files.set(file, source.name);
      }
    } catch (error) {
      if (!RAGError.isInstance(error) || error.reason !== 'SOURCE_NOT_FOUND') throw error;
    }
  }
  return files;
}

/** Paths without links in their folders, so that two ways to a file are one. */
function fileFinder(findPath: FindPath): FindPath {
  const folders = new Map<string, string>();
  return (source, id) => {
    const path = findPath(source, id);
    if (path === undefined) return undefined;
    const folder = dirname(path);
    const real = folders.get(folder) ?? canonical(folder);
    folders.set(folder, real);
    return join(real, basename(path));
  };
}
