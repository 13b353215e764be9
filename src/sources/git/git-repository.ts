import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { rootError } from '../file-patterns.js';
import type { Confinement } from '../source-definition.js';
import {
  type ForeignRepository,
  findRepository,
  readingVariables,
  repositoryAt,
  withNames,
  withTags,
} from './foreign-repository.js';
import { ALLOWED_PROTOCOLS, type GitAddress } from './git-address.js';
import { type GitContext, runGit } from './git-process.js';
import { emptyRepository, replaceSettings } from './own-repository.js';
import { reachOf } from './repository-reach.js';

/** What opening a repository needs to know beside its address. */
export interface OpenRepositoryOptions extends Pick<GitContext, 'source' | 'environment' | 'signal'> {
  /** Folder for clones. */
  readonly cacheFolder: string;
  readonly confinement?: Confinement | undefined;
  readonly auth?: { readonly username?: string | undefined; readonly token: string } | undefined;
}

/** What hosts take as user name beside a token, where none is stated. */
const TOKEN_USER = 'x-access-token';

/** A repository whose objects Git may be asked for. */
export interface OpenRepository {
  /** For calls that read objects. */
  readonly context: GitContext;
  readonly repository: ForeignRepository;
}

/** The folder of the user, or a bare clone of the address that was brought up to date; both are read as anybody's. */
export async function openRepository(
  address: GitAddress,
  options: OpenRepositoryOptions,
): Promise<OpenRepository> {
  const { source, environment, signal } = options;
  const folder = address.kind === 'folder' ? address.path : await fetchRepository(address.url, options);
  const repository = await namingFolder(source, folder, async () => {
    const isFolder = (await stat(folder)).isDirectory();
    const found = isFolder ? await findRepository(folder) : undefined;
    if (found !== undefined)
      await access(join(found.commonFolder, 'objects'), constants.R_OK | constants.X_OK);
    return found;
  });
  if (repository === undefined)
    throw new RAGError(
      'SOURCE_NOT_FOUND',
      `Source "${source}": there is no Git repository in ${JSON.stringify(folder)}. Check \`repository\`. What was indexed of it is kept.`,
      { details: { source, path: folder } },
    );
  if (address.kind === 'folder') await assertReach(repository, address.path, options);
  const variables = await readingVariables(repository);
  return {
    context: { source, environment, signal, variables, folder: await emptyRepository() },
    repository,
  };
}

/** What the system says of a folder, as an error that names the source and the place that cannot be read. */
async function namingFolder<Result>(
  source: string,
  folder: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (RAGError.isInstance(error) || systemErrorCode(error) === undefined) throw error;
    const { path = folder } = error as NodeJS.ErrnoException;
    throw rootError(path, source, error);
  }
}

/** Before anything of it is read: a repository may say that its objects are those of another one. */
async function assertReach(
  repository: ForeignRepository,
  path: string,
  { source, confinement }: OpenRepositoryOptions,
): Promise<void> {
  const { outside, notFiles } = await reachOf(repository, confinement?.folder ?? path);
  if (notFiles.length > 0)
    throw new RAGError(
      'SOURCE_UNREADABLE',
      `Source "${source}": the repository holds what is no file (a pipe, a device or a socket): ${notFiles.join(', ')}. Remove it. What was indexed of it is kept.`,
      { details: { source, paths: notFiles } },
    );
  confinement?.assertTrusted(outside);
}

/** Folder of a bare clone that holds what the server has now. */
async function fetchRepository(
  url: string,
  { source, environment, signal, cacheFolder, auth }: OpenRepositoryOptions,
): Promise<string> {
  makePrivateFolder(cacheFolder);
  const key = createHash('sha256').update(url).digest('hex').slice(0, 24);
  const folder = join(cacheFolder, `${key}.git`);
  const context: GitContext = {
    ...{ source, environment, signal, auth: authFor(url, auth, source) },
    folder: await emptyRepository(),
    variables: { GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOLS.join(':'), GIT_NO_LAZY_FETCH: '1' },
  };
  const clone = existsSync(folder) ? await repositoryAt(folder) : undefined;
  if (clone === undefined || !(await isPlain(clone, folder))) await cloneInto(folder, context, url);
  else await update(clone, context, url);
  return folder;
}

/** A clone of ours leads nowhere; another one lies in its place, with which the data folder came. */
async function isPlain(clone: ForeignRepository, folder: string): Promise<boolean> {
  const { outside, notFiles } = await reachOf(clone, folder);
  return outside.length === 0 && notFiles.length === 0;
}

/** A clone that was stopped leaves no folder that looks like one. */
async function cloneInto(folder: string, context: GitContext, url: string): Promise<void> {
  const draft = `${folder}.${process.pid}.tmp`;
  for (const path of [draft, folder]) await rm(path, { recursive: true, force: true });
  try {
    await runGit(context, ['clone', '--bare', '--quiet', '--', url, draft], 'clone the repository');
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function update(
  { gitFolder, format }: ForeignRepository,
  context: GitContext,
  url: string,
): Promise<void> {
  await replaceSettings(gitFolder, format);
  await runGit(
    { ...context, variables: { ...context.variables, GIT_DIR: gitFolder } },
    [
      ...['fetch', '--quiet', '--prune', '--force', '--no-auto-gc', '--no-recurse-submodules', '--', url],
      ...['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
    ],
    'fetch the repository',
  );
}

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
export async function resolveCommit({ context, repository }: OpenRepository, ref: string): Promise<string> {
  if (ref === '' || ref.startsWith('-') || /[\0\s:^~?*[\\]|\.\.|@\{/.test(ref))
    throw new RAGError(
      'CONFIG_INVALID',
      `Source "${context.source}": \`ref\` ${JSON.stringify(ref)} is no name of a branch, tag or commit.`,
      { details: { source: context.source, key: 'ref' } },
    );
  const commit = await namingFolder(context.source, repository.gitFolder, () =>
    withNames(repository, ref, (variables) =>
      runGit(
        { ...context, variables },
        ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`],
        `find ${ref}`,
      ),
    ),
  );
  return commit.trim();
}

/** Commits by the tags that name them. */
export async function tagsOf({ context, repository }: OpenRepository): Promise<Map<string, string>> {
  const listed = await namingFolder(context.source, repository.gitFolder, () =>
    withTags(repository, (variables) =>
      runGit(
        { ...context, variables: { ...context.variables, ...variables } },
        [
          'for-each-ref',
          '--format=%(refname:strip=2)%00%(objecttype)%00%(objectname)%00%(*objectname)',
          'refs/tags',
        ],
        'list its tags',
      ),
    ),
  );
  const tags = new Map<string, string>();
  for (const line of listed.split('\n')) {
    const [name = '', type, object = '', tagged = ''] = line.split('\0');
    const commit = type === 'tag' ? tagged : object;
    if (name !== '' && commit !== '') tags.set(name, commit);
  }
  return tags;
}
