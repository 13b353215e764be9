import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RawDocument } from '../../core/document.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { tooLargeError } from '../file-errors.js';
import { fileTypeOf, maxBytesOf, unparsedNotices } from '../file-types.js';
import { kindsOf } from '../skipped-kinds.js';
import type { ListedItem, ListOptions, ReadResult, Source, SourceItem } from '../source.js';
import type { Confinement } from '../source-definition.js';
import {
  describeLeftOut,
  mayBeUnwritten,
  type UnwrittenReason,
  unwrittenByContent,
  unwrittenByName,
} from '../unwritten-files.js';
import { extensionOf } from '../walk-files.js';
import { BlobReader } from './blob-reader.js';
import { FileHistory } from './file-history.js';
import { type GitAddress, parseGitAddress } from './git-address.js';
import { type GitContext, lacksObjects } from './git-process.js';
import { type OpenRepository, openRepository, resolveCommit, tagsOf } from './git-repository.js';
import { type BadPath, readTree, type Tree, type TreeFile } from './git-tree.js';
import { historyAt } from './history-cache.js';
import { selectPaths } from './tree-globs.js';

export interface GitSourceOptions {
  readonly name: string;
  /** A folder with a repository, `https://`, `ssh://`, `file://`, or `user@host:path`. */
  readonly repository: string;
  /** Folder that a relative `repository` starts from. Absolute. */
  readonly baseFolder: string;
  /** Folder for clones and for what was read of histories. Absolute. */
  readonly cacheFolder: string;
  /** Where the repository must lie, with everything that it refers to. @default anywhere */
  readonly confinement?: Confinement | undefined;
  /** Of the process; see `GitContext`. */
  readonly environment: GitContext['environment'];
  /** Branch, tag or commit. @default HEAD */
  readonly ref?: string;
  /** Files, folders or globs. `**` stands for documents and source code. @default ['**'] */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether vendored, minified, generated and lock files are read too. @default false */
  readonly generated?: boolean;
  /** Whether the history is read: authors, dates, and an identity that renames keep. @default true */
  readonly history?: boolean;
  /** Larger files are reported as `DOCUMENT_TOO_LARGE`. Bytes, default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Address of a file for people, with `{commit}` and `{path}`. */
  readonly link?: string | undefined;
  /** For https. */
  readonly auth?: { readonly username?: string | undefined; readonly token: string } | undefined;
  readonly metadata?: Metadata;
}

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer starts so and is shorter than 1024 bytes. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';
const LFS_POINTER_BYTES = 1_024;

/**
 * Files of a Git repository at a commit; what is not committed is not read. The listing names every file with the object id of
 * its content, so a run reads what changed between two commits, by one process for all files.
 *
 * A document's id is the path under which the file was added, and stays when the file is renamed; its present path is
 * `metadata.source`. Submodules, symbolic links and pointers of Git LFS are reported, not read.
 *
 * @throws RAGError `CONFIG_INVALID` for an address that is not allowed.
 */
export function createGitSource(options: GitSourceOptions): Source {
  return new GitSource(options);
}

/** A file of the listing, and what its history says. */
interface KnownFile extends TreeFile {
  readonly facts: ReturnType<FileHistory['factsOf']>;
}

/** One commit as it was listed. */
interface Snapshot {
  readonly commit: string;
  readonly files: ReadonlyMap<string, KnownFile>;
  readonly blobs: BlobReader;
}

class GitSource implements Source {
  readonly name: string;
  readonly type = 'git';
  readonly listing = 'complete';
  readonly #options: GitSourceOptions;
  readonly #address: GitAddress;
  #snapshot: Snapshot | undefined;
  #taking: Promise<Snapshot> | undefined;
  #notices: readonly string[] = [];
  #skipped: Readonly<Record<string, number>> = {};

  constructor(options: GitSourceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#address = parseGitAddress(options.repository, {
      source: options.name,
      baseFolder: options.baseFolder,
    });
  }

  listingNotices(): readonly string[] {
    return this.#notices;
  }

  listingSkipped(): Readonly<Record<string, number>> {
    return this.#skipped;
  }

  listedState(): string | undefined {
    return this.#snapshot?.commit;
  }

  async namedStates(signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    return tagsOf(await this.#open(signal));
  }

  async *list({ signal }: ListOptions = {}): AsyncGenerator<ListedItem> {
    const { files } = await this.#take(signal);
    for (const [id, { path, blob, bytes, facts }] of files) {
      const limit = this.#options.maxFileBytes ?? maxBytesOf(path);
      if (bytes === undefined) yield { id, error: missingError(path) };
      else if (bytes > limit) yield { id, error: tooLargeError(path, bytes, limit) };
      else yield { id, version: versionOf({ path, blob, facts }), bytes };
    }
  }

  /** The commit that was taken serves as long as everything is in it as it was listed. */
  expectReads(items: readonly SourceItem[]): void {
    const files = this.#snapshot?.files;
    if (files === undefined) return;
    const isThere = ({ id, version }: SourceItem): boolean => {
      const file = files.get(id);
      return file !== undefined && versionOf(file) === version;
    };
    if (!items.every(isThere)) this.#snapshot = undefined;
  }

  async read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult> {
    throwIfAborted(signal);
    const { files, blobs, commit } = this.#snapshot ?? (await this.#takeOnce(signal));
    const file = files.get(item.id);
    if (file === undefined)
      throw new RAGError(
        'DOCUMENT_VANISHED',
        `${JSON.stringify(item.id)} is not in the repository any more.`,
      );
    const content = await blobs.read(file.blob);
    const reason = this.#reasonToSkip(file, content);
    if (reason !== undefined) return { documents: [], failures: [], notices: [reason] };
    const type = fileTypeOf(file.path);
    return {
      documents: [this.#document(item.id, file, { content, commit })],
      failures: [],
      ...unparsedNotices(type),
    };
  }

  #reasonToSkip({ path }: TreeFile, content: Uint8Array): string | undefined {
    if (
      content.length < LFS_POINTER_BYTES &&
      Buffer.from(content.subarray(0, LFS_POINTER.length)).toString('latin1') === LFS_POINTER
    )
      return 'A pointer of Git LFS was left out: the content of the file is not in the repository.';
    const type = fileTypeOf(path);
    if (this.#options.generated === true || type.kind !== 'code') return undefined;
    const reason = unwrittenByContent(content);
    return reason === undefined
      ? undefined
      : `A ${reason} file was left out; \`generated: true\` in the source's configuration reads it.`;
  }

  #document(
    externalId: string,
    { path, facts }: KnownFile,
    { content, commit }: { content: Uint8Array; commit: string },
  ): RawDocument {
    const type = fileTypeOf(path);
    const { link, metadata } = this.#options;
    return {
      externalId,
      mediaType: type.mediaType,
      ...(typeof metadata?.sourceType === 'string' ? {} : { sourceType: type.kind }),
      content,
      ...(path === externalId ? {} : { location: path }),
      // A Markdown file without a title keeps none: its path is not what it says.
      ...(type.kind === 'markdown' ? {} : { title: path }),
      ...(link === undefined
        ? {}
        : {
            url: link
              .replaceAll('{commit}', commit)
              .replaceAll('{path}', () => path.split('/').map(encodeURIComponent).join('/')),
          }),
      ...(facts === undefined
        ? {}
        : { createdAt: facts.createdAt, updatedAt: facts.updatedAt, isDatedByFile: true }),
      metadata: {
        path,
        ...(type.language === undefined ? {} : { language: type.language }),
        ...(facts === undefined
          ? {}
          : {
              author: facts.author,
              commit: facts.commit,
              ...(facts.commits.length === 0 ? {} : { commits: [...facts.commits] }),
            }),
        ...metadata,
      },
      access: OPEN_ACCESS,
    };
  }

  /** Reads that come side by side before anything was listed take one commit. */
  #takeOnce(signal: AbortSignal | undefined): Promise<Snapshot> {
    this.#taking ??= this.#take(signal).finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  /** Lists the commit that `ref` names now. */
  async #take(signal: AbortSignal | undefined): Promise<Snapshot> {
    throwIfAborted(signal);
    const { ref = 'HEAD', include = ['**'], exclude = [], history = true, name } = this.#options;
    const opened = await this.#open(signal);
    const { context } = opened;
    const commit = await resolveCommit(opened, ref);
    const tree = await readTree(context, commit);
    const leftOut = new Map<UnwrittenReason, number>();
    const candidates = tree.files.filter(({ path }) => this.#isKept(path, leftOut));
    const selected = await selectPaths(
      candidates.map(({ path }) => path),
      { include, exclude, source: name },
    );
    const facts = history ? await this.#history(context, commit, ref) : new FileHistory();
    const chosen = new Set(selected.paths);
    const files = new Map<string, KnownFile>();
    for (const file of candidates) {
      const known = facts?.factsOf(file.path);
      if (chosen.has(file.path)) files.set(known?.id ?? file.path, { ...file, facts: known });
    }
    this.#notices = [
      ...noticesOf(tree, { leftOut, missing: selected.missing, ref }),
      ...(facts === undefined ? [NO_HISTORY] : []),
    ];
    this.#skipped = this.#options.include === undefined ? skippedOf(candidates, chosen) : {};
    this.#snapshot = { commit, files, blobs: new BlobReader({ ...context, signal: undefined }) };
    return this.#snapshot;
  }

  /** Undefined where the repository lacks objects that the history needs. */
  async #history(context: GitContext, commit: string, ref: string): Promise<FileHistory | undefined> {
    try {
      return await historyAt(context, commit, this.#cachePath(ref));
    } catch (error) {
      if (lacksObjects(error)) return undefined;
      throw error;
    }
  }

  #isKept(path: string, leftOut: Map<UnwrittenReason, number>): boolean {
    if (this.#options.generated === true || !mayBeUnwritten(fileTypeOf(path))) return true;
    const reason = unwrittenByName(path);
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return reason === undefined;
  }

  #open(signal: AbortSignal | undefined): Promise<OpenRepository> {
    const { name, environment, cacheFolder, auth, confinement } = this.#options;
    return openRepository(this.#address, {
      ...{ source: name, environment, cacheFolder, auth, confinement },
      signal,
    });
  }

  #cachePath(ref: string): string {
    const { name, repository, cacheFolder } = this.#options;
    const key = createHash('sha256')
      .update(JSON.stringify([name, repository, ref]))
      .digest('hex');
    return join(cacheFolder, `${key.slice(0, 24)}.history.json`);
  }
}

const versionOf = ({ path, blob, facts }: Pick<KnownFile, 'path' | 'blob' | 'facts'>): string =>
  // The commits are new in a version of Ragstone: what was read before it is read again.
  `${blob} ${facts?.commit ?? ''} ${facts?.commits.length ?? ''} ${path}`;

/** Files of other kinds, by extension. */
function skippedOf(files: readonly TreeFile[], chosen: ReadonlySet<string>): Record<string, number> {
  const others = new Map<string, number>();
  for (const { path } of files)
    if (!chosen.has(path)) others.set(extensionOf(path), (others.get(extensionOf(path)) ?? 0) + 1);
  return kindsOf(others);
}

const missingError = (path: string): RAGError =>
  new RAGError(
    'DOCUMENT_UNREADABLE',
    `The content of ${JSON.stringify(path)} is not in the repository, as in a clone with \`--filter\`, and is never fetched from here. Make a full clone.`,
  );

const NO_HISTORY =
  'The history was not read, because objects of it are not in the repository (a clone with `--filter`): no authors, no dates, and a renamed file is another document.';

/** Names that a notice spells out. */
const MOST_NAMES = 5;

const BAD_PATHS: Readonly<Record<BadPath, string>> = {
  outside: 'no file below the root can have that path',
  tooLong: 'the path is longer than 4,096 bytes or 256 levels',
  notText: 'the path is not valid UTF-8',
  duplicate: 'another file or folder has that path',
};
/** Characters of a path that a notice spells out. */
const PATH_LENGTH = 80;

const quoted = (path: string): string =>
  JSON.stringify(path.length > PATH_LENGTH ? `${path.slice(0, PATH_LENGTH)}...` : path);

/** The first of many paths, as a notice names them. */
const named = (paths: readonly string[]): string =>
  paths.slice(0, MOST_NAMES).map(quoted).join(', ') + (paths.length > MOST_NAMES ? ', ...' : '');

function noticesOf(
  { submodules, symlinks, bad }: Tree,
  {
    leftOut,
    missing,
    ref,
  }: { leftOut: ReadonlyMap<UnwrittenReason, number>; missing: readonly string[]; ref: string },
): string[] {
  return [
    ...[...bad]
      .sort()
      .map(
        ([reason, paths]) =>
          `${paths.length} ${paths.length === 1 ? 'entry' : 'entries'} left out, because ${BAD_PATHS[reason]}: ${named(paths)}.`,
      ),
    ...describeLeftOut(leftOut),
    ...(submodules.length === 0
      ? []
      : [
          `${submodules.length} submodule${submodules.length === 1 ? '' : 's'} left out (${named(submodules)}): configure a source for each.`,
        ]),
    ...(symlinks === 0 ? [] : [`${symlinks} symbolic link${symlinks === 1 ? '' : 's'} left out.`]),
    ...missing.map((path) => `${JSON.stringify(path)} names nothing at ${ref}.`),
  ];
}
