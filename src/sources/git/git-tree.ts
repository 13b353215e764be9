import { type GitContext, streamGit } from './git-process.js';

/** A file of a commit. */
export interface TreeFile {
  /** With `/`, relative to the root of the repository. */
  readonly path: string;
  /** Object id of its content. */
  readonly blob: string;
  /** Absent where the content is not in the repository, as in a partial clone. */
  readonly bytes?: number | undefined;
}

/** Why an entry of a commit is no file that can be named; a commit may hold any bytes, whatever Git would let a person commit. */
export type BadPath = 'outside' | 'tooLong' | 'notText' | 'duplicate';

/** What a commit holds. */
export interface Tree {
  readonly files: readonly TreeFile[];
  /** Paths of other repositories, whose files are not in this one. */
  readonly submodules: readonly string[];
  readonly symlinks: number;
  /** Paths that are left out, by reason; bytes that are no text are replaced. */
  readonly bad: ReadonlyMap<BadPath, readonly string[]>;
}

/** `<mode> <type> <object> <size>`, see git-ls-tree(1), which a tab and the path follow. The size of a missing object is `BAD`. */
const FACTS = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-|BAD)$/;
const SYMLINK = '120000';
const TAB = 0x09;

/** Longest path that Linux opens (PATH_MAX). Bytes. */
const MOST_BYTES = 4_096;
/** Folders above a file; git-config(1), `core.maxTreeDepth`, allows 2048, and no person has come near this. */
const MOST_LEVELS = 256;

/** Every file of a commit, by one process. */
export async function readTree(context: GitContext, commit: string): Promise<Tree> {
  const files: TreeFile[] = [];
  const submodules: string[] = [];
  const names = new Names();
  let symlinks = 0;
  const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', commit];
  for await (const entry of streamGit(context, args, `list the files of ${commit}`)) {
    const end = entry.indexOf(TAB);
    const [, mode, type, blob, size] = FACTS.exec(entry.toString('latin1', 0, end)) ?? [];
    if (blob === undefined) continue;
    const path = names.accept(entry.subarray(end + 1));
    if (path === undefined) continue;
    if (type === 'commit') submodules.push(path);
    else if (mode === SYMLINK) symlinks += 1;
    else files.push({ path, blob, bytes: size === 'BAD' ? undefined : Number(size) });
  }
  return { files, submodules, symlinks, bad: names.bad };
}

/** Takes the paths of a listing that can be told apart and can name a file below a root; keeps the others by what is wrong. */
class Names {
  readonly bad = new Map<BadPath, string[]>();
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  accept(bytes: Buffer): string | undefined {
    const path = bytes.toString('utf8');
    const reason = this.#reasonAgainst(path, bytes);
    if (reason === undefined) {
      this.#files.add(path);
      for (const folder of foldersOf(path)) this.#folders.add(folder);
      return path;
    }
    const others = this.bad.get(reason);
    if (others === undefined) this.bad.set(reason, [path]);
    else others.push(path);
    return undefined;
  }

  #reasonAgainst(path: string, bytes: Buffer): BadPath | undefined {
    if (bytes.length > MOST_BYTES) return 'tooLong';
    if (path.includes('\uFFFD') && !Buffer.from(path).equals(bytes)) return 'notText';
    const parts = path.split('/');
    if (parts.length > MOST_LEVELS) return 'tooLong';
    // `.git` as Git itself refuses it (verify_path): a tool that wrote such a file would be taken over.
    if (parts.some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git'))
      return 'outside';
    const isTaken =
      this.#files.has(path) ||
      this.#folders.has(path) ||
      foldersOf(path).some((folder) => this.#files.has(folder));
    return isTaken ? 'duplicate' : undefined;
  }
}

/** The folders that a path lies in, the nearest first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at));
  return folders;
}
