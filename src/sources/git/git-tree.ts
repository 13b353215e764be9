import { type GitContext, streamGit } from './git-process.js';

/** A file of a commit. */
export interface TreeFile {
  /** With `/`, relative to the root of the repository. */
  readonly path: string;
  /** Object id of its content. */
  readonly blob: string;
  readonly bytes: number;
}

/** What a commit holds. */
export interface Tree {
  readonly files: readonly TreeFile[];
  /** Paths of other repositories, whose files are not in this one. */
  readonly submodules: readonly string[];
  readonly symlinks: number;
}

/** `<mode> <type> <object> <size>\t<path>`, see git-ls-tree(1). */
const ENTRY = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/;
const SYMLINK = '120000';

/** Every file of a commit, by one process. */
export async function readTree(context: GitContext, commit: string): Promise<Tree> {
  const files: TreeFile[] = [];
  const submodules: string[] = [];
  let symlinks = 0;
  const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', commit];
  for await (const entry of streamGit(context, args, `list the files of ${commit}`)) {
    const [, mode, type, blob, size, path] = ENTRY.exec(entry) ?? [];
    if (path === undefined || blob === undefined) continue;
    if (type === 'commit') submodules.push(path);
    else if (mode === SYMLINK) symlinks += 1;
    else files.push({ path, blob, bytes: Number(size) });
  }
  return { files, submodules, symlinks };
}
