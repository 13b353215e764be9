import { type GitContext, streamGit } from './git-process.js';

/** What the history says of a file that is there now. */
export interface FileFacts {
  /** Stays the same when the file is renamed: the path it was added under, or that and the commit where the path was taken. */
  readonly id: string;
  /** Commit that last changed it. */
  readonly commit: string;
  /** Who wrote that commit. */
  readonly author: string;
  /** ISO-8601 UTC. */
  readonly createdAt: string;
  /** ISO-8601 UTC. */
  readonly updatedAt: string;
  /** The latest commits that changed it with a few other files, the newest first. */
  readonly commits: readonly string[];
}

/** A status letter of git-diff(1), and the path, or for a rename the old one and the new. */
export interface FileChange {
  readonly status: string;
  readonly paths: readonly string[];
}

interface Commit {
  readonly id: string;
  readonly author: string;
  readonly at: string;
}

const HEADER = '\x01';
const FIELD = '\x1f';
const STATUS = /^([A-Z])\d*$/;
const SHORT_COMMIT = 12;
/** Files that one commit changed: of more, that they were changed together says little of two. */
const MOST_TOGETHER = 20;
/** Such commits that are kept of a file: older ones say less, and every passage carries them. */
const MOST_COMMITS = 8;

/** Facts of every file at a commit, followed from commit to commit and through renames. */
export class FileHistory {
  readonly #files: Map<string, FileFacts>;
  readonly #ids: Set<string>;

  constructor(files: Iterable<readonly [path: string, facts: FileFacts]> = []) {
    this.#files = new Map(files);
    this.#ids = new Set([...this.#files.values()].map(({ id }) => id));
  }

  entries(): [string, FileFacts][] {
    return [...this.#files];
  }

  factsOf(path: string): FileFacts | undefined {
    return this.#files.get(path);
  }

  /** Reads the commits of a range (`A..B`, or `B` for all before), oldest first, by one process. Merges change nothing by themselves. */
  async follow(context: GitContext, range: string): Promise<void> {
    const format = `--format=${HEADER}%H${FIELD}%an${FIELD}%aI`;
    // -B: a file that was replaced as a whole may be the new place of another.
    const args = ['log', '--reverse', '--topo-order', '-z', '-B', '-M', '--name-status', format, range, '--'];
    let commit: Commit | undefined;
    let changes: FileChange[] = [];
    let pending: { readonly status: string; readonly paths: string[] } | undefined;
    for await (const bytes of streamGit(context, args, 'read the history')) {
      const token = bytes.toString('utf8');
      if (pending !== undefined) {
        pending.paths.push(token);
        if (pending.status === 'R' && pending.paths.length < 2) continue;
        changes.push(pending);
        pending = undefined;
        continue;
      }
      const text = token.replace(/^\n+/, '');
      const status = STATUS.exec(text)?.[1];
      if (status !== undefined) pending = { status, paths: [] };
      if (!text.startsWith(HEADER)) continue;
      if (commit !== undefined) this.apply(changes, commit);
      changes = [];
      commit = parseCommit(text);
    }
    if (commit !== undefined) this.apply(changes, commit);
  }

  /** Takes the changes of one commit at once: files may have changed names among each other. */
  apply(changes: readonly FileChange[], commit: Commit): void {
    const shared =
      changes.length > 1 && changes.length <= MOST_TOGETHER ? [commit.id.slice(0, SHORT_COMMIT)] : [];
    const taken = changes.map(({ status, paths: [from = '', to = from] }) => {
      const facts = this.#files.get(from);
      if (status === 'R' || status === 'D') this.#remove(from);
      return { status, to, facts };
    });
    for (const { status, facts } of taken) if (status === 'R' && facts !== undefined) this.#ids.add(facts.id);
    for (const { status, to, facts } of taken) {
      if (status === 'D') continue;
      const id = facts?.id ?? this.#newId(to, commit);
      const commits = [...shared, ...(facts?.commits ?? [])].slice(0, MOST_COMMITS);
      this.#set(to, { id, createdAt: facts?.createdAt ?? commit.at, commits }, commit);
    }
  }

  #set(
    path: string,
    kept: Pick<FileFacts, 'id' | 'createdAt' | 'commits'>,
    { id, author, at }: Commit,
  ): void {
    this.#ids.add(kept.id);
    this.#files.set(path, { ...kept, commit: id, author, updatedAt: at });
  }

  #remove(path: string): void {
    const gone = this.#files.get(path);
    if (gone === undefined) return;
    this.#ids.delete(gone.id);
    this.#files.delete(path);
  }

  /** A file added under a path that another file once had, and still goes by. */
  #newId(path: string, commit: Commit): string {
    return this.#ids.has(path) ? `${path}@${commit.id.slice(0, SHORT_COMMIT)}` : path;
  }
}

function parseCommit(text: string): Commit {
  const [id = '', author = '', at = ''] = text.slice(HEADER.length).split(FIELD);
  const date = new Date(at);
  return { id, author, at: Number.isNaN(date.getTime()) ? at : date.toISOString() };
}
