import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError } from '../../core/errors.js';
import type { GitAddress } from './git-address.js';
import { type GitContext, runGit } from './git-process.js';

/** What opening a repository needs to know beside its address. */
export interface OpenRepositoryOptions extends Pick<GitContext, 'source' | 'environment' | 'signal'> {
  /** Folder for clones. */
  readonly cacheFolder: string;
  readonly auth?: { readonly username?: string; readonly token: string } | undefined;
}

/** What hosts take as user name beside a token, where none is stated. */
const TOKEN_USER = 'x-access-token';

/** The folder of the user, or a bare clone of the address that was brought up to date. */
export async function openRepository(
  address: GitAddress,
  options: OpenRepositoryOptions,
): Promise<GitContext> {
  const { source, environment, signal, cacheFolder, auth } = options;
  const base = { source, environment, ...(signal === undefined ? {} : { signal }) };
  if (address.kind === 'folder') {
    if (statSync(address.path, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new RAGError(
        'SOURCE_NOT_FOUND',
        `Source "${source}": there is no folder ${JSON.stringify(address.path)}. Check \`repository\`. What was indexed of it is kept.`,
        { details: { source, path: address.path } },
      );
    return { ...base, folder: address.path };
  }
  await mkdir(cacheFolder, { recursive: true });
  const key = createHash('sha256').update(address.url).digest('hex').slice(0, 24);
  const folder = join(cacheFolder, `${key}.git`);
  const signIn = authFor(address.url, auth, source);
  const context: GitContext = { ...base, folder, ...(signIn === undefined ? {} : { auth: signIn }) };
  if (existsSync(folder)) await update(context, address.url);
  else await clone({ ...context, folder: cacheFolder }, address.url, folder);
  return context;
}

/** A clone that was stopped leaves no folder that looks like one. */
async function clone(context: GitContext, url: string, folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}.tmp`;
  await rm(draft, { recursive: true, force: true });
  try {
    await runGit(context, ['clone', '--bare', '--quiet', '--', url, draft], 'clone the repository');
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const update = (context: GitContext, url: string): Promise<string> =>
  runGit(
    context,
    [
      'fetch',
      '--quiet',
      '--prune',
      '--force',
      '--no-auto-gc',
      '--',
      url,
      '+refs/heads/*:refs/heads/*',
      '+refs/tags/*:refs/tags/*',
    ],
    'fetch the repository',
  );

function authFor(url: string, auth: OpenRepositoryOptions['auth'], source: string): GitContext['auth'] {
  if (auth === undefined) return undefined;
  if (!url.startsWith('https://'))
    throw new RAGError(
      'CONFIG_INVALID',
      `Source "${source}": \`auth\` is for https addresses; ssh uses the keys of this user.`,
      { details: { source, key: 'auth' } },
    );
  return { origin: new URL(url).origin, username: auth.username ?? TOKEN_USER, token: auth.token };
}

/**
 * The commit that a name stands for now.
 *
 * @throws RAGError `CONFIG_INVALID` for what Git would take for an option, `SOURCE_NOT_FOUND` for an unknown name.
 */
export async function resolveCommit(context: GitContext, ref: string): Promise<string> {
  if (ref === '' || ref.startsWith('-') || /[\0\s:^~?*[\\]|\.\.|@\{/.test(ref))
    throw new RAGError(
      'CONFIG_INVALID',
      `Source "${context.source}": \`ref\` ${JSON.stringify(ref)} is no name of a branch, tag or commit.`,
      { details: { source: context.source, key: 'ref' } },
    );
  const commit = await runGit(
    context,
    ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`],
    `find ${ref}`,
  );
  return commit.trim();
}
