import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RawDocument } from '../../core/document.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { fileTypeOf } from '../file-types.js';
import type { ListedItem, ListOptions, ReadResult, Source, SourceItem } from '../source.js';
import {
  describeLeftOut,
  mayBeUnwritten,
  type UnwrittenReason,
  unwrittenByContent,
  unwrittenByName,
} from '../unwritten-files.js';
import { BlobReader } from './blob-reader.js';
import { FileHistory } from './file-history.js';
import { type GitAddress, parseGitAddress } from './git-address.js';
import type { GitContext } from './git-process.js';
import { openRepository, resolveCommit } from './git-repository.js';
import { readTree, type Tree, type TreeFile } from './git-tree.js';
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
  readonly maxFileBytes?: number;
  /** Address of a file for people, with `{commit}` and `{path}`. */
  readonly link?: string;
  /** For https. */
  readonly auth?: { readonly username?: string; readonly token: string };
  readonly metadata?: Metadata;
}

const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024;
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
  #notices: readonly string[] = [];

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

  async *list({ signal }: ListOptions = {}): AsyncGenerator<ListedItem> {
    const { files } = await this.#take(signal);
    const limit = this.#options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES;
    for (const [id, { path, blob, bytes, facts }] of files) {
      if (bytes <= limit) yield { id, version: `${blob} ${facts?.commit ?? ''} ${path}`, bytes };
      else
        yield {
          id,
          error: new RAGError(
            'DOCUMENT_TOO_LARGE',
            `${JSON.stringify(path)} has ${bytes} bytes, more than the limit of ${limit} (maxFileBytes).`,
            { details: { bytes, limit } },
          ),
        };
    }
  }

  async read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult> {
    throwIfAborted(signal);
    const { files, blobs, commit } = this.#snapshot ?? (await this.#take(signal));
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
      ...(type.isUnparsed === true
        ? {
            notices: [
              `A file in ${type.language ?? 'its language'} was cut at blank lines: there is no grammar for it here.`,
            ],
          }
        : {}),
    };
  }

  #reasonToSkip({ path, bytes }: TreeFile, content: Uint8Array): string | undefined {
    if (
      bytes < LFS_POINTER_BYTES &&
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
      ...(facts === undefined ? {} : { createdAt: facts.createdAt, updatedAt: facts.updatedAt }),
      metadata: {
        path,
        ...(type.language === undefined ? {} : { language: type.language }),
        ...(facts === undefined ? {} : { author: facts.author, commit: facts.commit }),
        ...metadata,
      },
      access: OPEN_ACCESS,
    };
  }

  /** Lists the commit that `ref` names now. */
  async #take(signal: AbortSignal | undefined): Promise<Snapshot> {
    throwIfAborted(signal);
    const { ref = 'HEAD', include = ['**'], exclude = [], history = true, name } = this.#options;
    const context = await this.#open(signal);
    const commit = await resolveCommit(context, ref);
    const tree = await readTree(context, commit);
    const leftOut = new Map<UnwrittenReason, number>();
    const candidates = tree.files.filter(({ path }) => this.#isKept(path, leftOut));
    const selected = await selectPaths(
      candidates.map(({ path }) => path),
      { include, exclude, source: name },
    );
    const facts = history ? await historyAt(context, commit, this.#cachePath(ref)) : new FileHistory();
    const chosen = new Set(selected.paths);
    const files = new Map<string, KnownFile>();
    for (const file of candidates) {
      const known = facts.factsOf(file.path);
      if (chosen.has(file.path)) files.set(known?.id ?? file.path, { ...file, facts: known });
    }
    this.#notices = noticesOf(tree, { leftOut, missing: selected.missing, ref });
    this.#snapshot = { commit, files, blobs: new BlobReader({ ...context, signal: undefined }) };
    return this.#snapshot;
  }

  #isKept(path: string, leftOut: Map<UnwrittenReason, number>): boolean {
    if (this.#options.generated === true || !mayBeUnwritten(fileTypeOf(path))) return true;
    const reason = unwrittenByName(path);
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return reason === undefined;
  }

  #open(signal: AbortSignal | undefined): Promise<GitContext> {
    const { name, environment, cacheFolder, auth } = this.#options;
    return openRepository(this.#address, { source: name, environment, cacheFolder, auth, signal });
  }

  #cachePath(ref: string): string {
    const { name, repository, cacheFolder } = this.#options;
    const key = createHash('sha256')
      .update(JSON.stringify([name, repository, ref]))
      .digest('hex');
    return join(cacheFolder, `${key.slice(0, 24)}.history.json`);
  }
}

/** Names that a notice spells out. */
const MOST_NAMES = 5;

function noticesOf(
  { submodules, symlinks }: Tree,
  {
    leftOut,
    missing,
    ref,
  }: { leftOut: ReadonlyMap<UnwrittenReason, number>; missing: readonly string[]; ref: string },
): string[] {
  const named = submodules.slice(0, MOST_NAMES).join(', ') + (submodules.length > MOST_NAMES ? ', ...' : '');
  return [
    ...[...leftOut].sort().map(([reason, count]) => describeLeftOut(reason, count)),
    ...(submodules.length === 0
      ? []
      : [
          `${submodules.length} submodule${submodules.length === 1 ? '' : 's'} left out (${named}): configure a source for each.`,
        ]),
    ...(symlinks === 0 ? [] : [`${symlinks} symbolic link${symlinks === 1 ? '' : 's'} left out.`]),
    ...missing.map((path) => `${JSON.stringify(path)} names nothing at ${ref}.`),
  ];
}
