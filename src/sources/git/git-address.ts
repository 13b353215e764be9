import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RAGError } from '../../core/errors.js';

/** Where a repository is: a folder of this machine (also by `file://`), or an address that is cloned. */
export type GitAddress =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'remote'; readonly url: string };

/**
 * Protocols that Git may use for a source. `ext::` runs any command; `git:` and `http:` show the content to everybody on the way;
 * for `file:` Git would start a server in a repository that may be anybody's, so such an address is read as a folder.
 */
export const ALLOWED_PROTOCOLS: readonly string[] = ['https', 'ssh'];

const SCP_FORM = /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)(?!:)[^\\].*$/;
const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\//i;

/**
 * Reads `repository`: a folder, `https://`, `ssh://`, `file://`, or `user@host:path`.
 *
 * @throws RAGError `CONFIG_INVALID` for another protocol, for what Git would take for an option, and for user names with
 *   passwords in the address, which Git would keep in a file.
 */
export function parseGitAddress(
  repository: string,
  { source, baseFolder }: { readonly source: string; readonly baseFolder: string },
): GitAddress {
  const refuse = (why: string): never => {
    throw new RAGError('CONFIG_INVALID', `Source "${source}": \`repository\` ${why}`, {
      details: { source, key: 'repository' },
    });
  };
  if (repository.startsWith('-')) refuse('starts with "-", which Git takes for an option.');
  if (/[\0\r\n]/.test(repository)) refuse('holds a line break or a zero character.');
  if (/^[\w-]+::/.test(repository))
    refuse('names a remote helper (`::`), which may run any program; use https or ssh.');
  const protocol = URL_FORM.exec(repository)?.[1]?.toLowerCase();
  if (protocol !== undefined) {
    if (protocol !== 'file' && !ALLOWED_PROTOCOLS.includes(protocol))
      refuse(`uses the protocol "${protocol}"; allowed are ${ALLOWED_PROTOCOLS.join(', ')} and file.`);
    if (!URL.canParse(repository)) refuse('is no valid address.');
    if (protocol === 'file')
      return { kind: 'folder', path: pathOf(repository) ?? refuse('names no folder.') };
    const { username, password } = new URL(repository);
    if (password !== '' || (username !== '' && protocol === 'https'))
      refuse('holds a user name or password; put them into `auth`.');
    return { kind: 'remote', url: repository };
  }
  const isWindowsPath = /^[a-z]:[\\/]/i.test(repository);
  if (!isAbsolute(repository) && !isWindowsPath && SCP_FORM.test(repository))
    return { kind: 'remote', url: repository };
  return { kind: 'folder', path: resolve(baseFolder, repository) };
}

/** Folder of a `file://` address; undefined for one of another machine. */
function pathOf(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}
