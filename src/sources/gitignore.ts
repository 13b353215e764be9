import { dirname, join, relative, sep } from 'node:path';
import { systemErrorCode } from '../core/errors.js';
import { sourceFiles } from '../core/runtime.js';
import { NOT_REGULAR, readRegularText } from '../platform/security/regular-file.js';
import { unreadableRulesError } from './file-errors.js';
import { type IgnorePattern, ignorePatterns } from './ignore-pattern.js';

interface RuleFile {
  /** Absolute folder the rules are relative to. */
  readonly folder: string;
  readonly patterns: readonly IgnorePattern[];
}

/**
 * What Git would leave out below a folder: every `.gitignore` from the top of its work tree down, the deepest file
 * deciding first, as gitignore(5) has it. `.git/info/exclude` and the user's global ignore file are not read, so that
 * every machine indexes the same documents. A root that the rules above it ignore was named on purpose: then only the
 * rules inside the root count.
 */
export class GitignoreRules {
  readonly #top: string;
  readonly #chains = new Map<string, Promise<readonly RuleFile[]>>();

  private constructor(top: string) {
    this.#top = top;
  }

  static async forRoot(root: string): Promise<GitignoreRules> {
    const fromWorkTree = new GitignoreRules(await topOfWorkTree(root));
    return (await fromWorkTree.#isInsideIgnored(root)) ? new GitignoreRules(root) : fromWorkTree;
  }

  /** Whether a folder or one above it is left out. */
  async #isInsideIgnored(folder: string): Promise<boolean> {
    if (folder === this.#top) return false;
    return (await this.#isInsideIgnored(dirname(folder))) || this.isIgnored(folder, true);
  }

  /** Of an entry of a folder that is not left out itself. Rejects with `DOCUMENT_UNREADABLE` where a `.gitignore` exists and cannot be read: what to leave out is then unknown. */
  async isIgnored(path: string, isFolder: boolean): Promise<boolean> {
    if (path === this.#top) return false;
    for (const { folder, patterns } of await this.#chainFor(dirname(path))) {
      const local = relative(folder, path).replaceAll(sep, '/');
      const deciding = patterns.findLast((pattern) => pattern.matches(local, isFolder));
      if (deciding !== undefined) return !deciding.isNegated;
    }
    return false;
  }

  /** Rule files that hold for a folder's entries, deepest first. */
  #chainFor(folder: string): Promise<readonly RuleFile[]> {
    const known = this.#chains.get(folder);
    if (known !== undefined) return known;
    const chain = this.#readChain(folder);
    this.#chains.set(folder, chain);
    return chain;
  }

  async #readChain(folder: string): Promise<readonly RuleFile[]> {
    const parent = dirname(folder);
    const above = folder === this.#top || parent === folder ? [] : await this.#chainFor(parent);
    const own = await readRules(folder);
    return own === undefined ? above : [own, ...above];
  }
}

async function readRules(folder: string): Promise<RuleFile | undefined> {
  const path = join(folder, '.gitignore');
  try {
    const text = await readRegularText(path, { open: sourceFiles().open });
    return { folder, patterns: ignorePatterns(text) };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === NOT_REGULAR)
      return undefined;
    // In a folder that is closed nothing is known of it.
    await sourceFiles().lstat(path);
    throw unreadableRulesError(path, error);
  }
}

async function topOfWorkTree(root: string): Promise<string> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (await exists(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return root;
  }
}

const exists = (path: string): Promise<boolean> =>
  sourceFiles()
    .stat(path)
    .then(
      () => true,
      () => false,
    );
