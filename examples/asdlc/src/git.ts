import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_BYTES = 256 * 1024 * 1024;

/** A file of a commit. */
export interface CommittedFile {
  readonly path: string;
  /** Hash of its content. */
  readonly blob: string;
}

/** Runs Git in a repository. Variables that Git sets for its hooks would name another one. */
export async function git(repository: string, ...args: readonly string[]): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const { stdout } = await run('git', ['-C', repository, ...args], { env, maxBuffer: MOST_BYTES });
  return stdout;
}

/** The files of the last commit; none where there is no commit. */
export async function committedFiles(repository: string): Promise<CommittedFile[]> {
  const isBegun = await git(repository, 'rev-parse', '--verify', '--quiet', 'HEAD').then(
    () => true,
    () => false,
  );
  if (!isBegun) {
    // Throws where it is no repository at all.
    await git(repository, 'rev-parse', '--git-dir');
    return [];
  }
  const listing = await git(repository, 'ls-tree', '-r', '-z', 'HEAD');
  return listing.split('\0').flatMap((line) => {
    const [, blob, path] = /^100\d{3} blob (\S+)\t(.*)$/s.exec(line) ?? [];
    return blob === undefined || path === undefined ? [] : [{ path, blob }];
  });
}

/** The content of a file as it was committed. */
export const contentOf = (repository: string, { blob }: CommittedFile): Promise<string> =>
  git(repository, 'cat-file', 'blob', blob);

/** A folder of Git's own, in which nothing is ever committed. */
export const privateFolder = async (repository: string): Promise<string> =>
  (await git(repository, 'rev-parse', '--absolute-git-dir')).trim();
