import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import { type FileFacts, FileHistory } from './file-history.js';
import { type GitContext, runGit } from './git-process.js';

const FORMAT = 2;

interface CacheFile {
  readonly format: number;
  readonly commit: string;
  readonly files: readonly (readonly [string, FileFacts])[];
}

/**
 * The history up to a commit. What an earlier run followed is kept in a file, so that only new commits are read; where it is
 * missing, or the branch was rewritten, all of them are.
 */
export async function historyAt(
  context: GitContext,
  commit: string,
  cachePath: string,
): Promise<FileHistory> {
  const cache = await readCache(cachePath);
  const isUsable = cache !== undefined && (await isAncestor(context, cache.commit, commit));
  const history = new FileHistory(isUsable ? cache.files : []);
  if (isUsable && cache.commit === commit) return history;
  await history.follow(context, isUsable ? `${cache.commit}..${commit}` : commit);
  await writeCache(cachePath, { format: FORMAT, commit, files: history.entries() });
  return history;
}

async function isAncestor(context: GitContext, older: string, newer: string): Promise<boolean> {
  if (older === newer) return true;
  try {
    return (await runGit(context, ['merge-base', older, newer], 'compare commits')).trim() === older;
  } catch {
    // The commit is not there any more, or the two have nothing in common.
    context.signal?.throwIfAborted();
    return false;
  }
}

async function readCache(path: string): Promise<CacheFile | undefined> {
  try {
    const cache: unknown = JSON.parse(await readRegularText(path));
    return isCacheFile(cache) ? cache : undefined;
  } catch {
    return undefined;
  }
}

const isCacheFile = (value: unknown): value is CacheFile =>
  typeof value === 'object' &&
  value !== null &&
  'format' in value &&
  value.format === FORMAT &&
  'commit' in value &&
  typeof value.commit === 'string' &&
  /^[0-9a-f]{40,64}$/.test(value.commit) &&
  'files' in value &&
  Array.isArray(value.files);

async function writeCache(path: string, cache: CacheFile): Promise<void> {
  makePrivateFolder(dirname(path));
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, JSON.stringify(cache), { mode: PRIVATE_FILE });
  await rename(draft, path);
}
