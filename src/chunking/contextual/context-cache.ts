import { createHash } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { readRegularText } from '../../platform/security/regular-file.js';

/** Keeps written contexts between runs, one small file each. Losing one costs money and nothing else, so nothing throws. */
export class ContextCache {
  readonly #folder: string;
  #problem: string | undefined;

  /** @param folder Of the cache's own; made where it is missing. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Why nothing is kept, in words for the user; absent while the cache works. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async get(key: string): Promise<string | undefined> {
    return readRegularText(this.#pathOf(key), { followLink: false }).catch(() => undefined);
  }

  async set(key: string, context: string): Promise<void> {
    const path = this.#pathOf(key);
    const draft = `${path}.${runtime().uniqueName()}.tmp`;
    try {
      makePrivateFolder(dirname(path));
      await writeFile(draft, context, { mode: PRIVATE_FILE });
      // Two processes may write the same context; each leaves a whole file.
      await rename(draft, path);
    } catch (error) {
      this.#problem = `Written contexts cannot be kept in ${this.#folder} (${systemErrorCode(error) ?? 'unknown error'}): the next run pays for them again.`;
    }
  }

  /** Keys of all contexts that are kept. Throws the system's error. */
  async keys(): Promise<string[]> {
    const paths = await readdir(this.#folder, { recursive: true }).catch((error: unknown) => {
      if (systemErrorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return paths.flatMap((path) => KEY_IN_PATH.exec(path)?.[1] ?? []);
  }

  /** Throws the system's error. */
  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  #pathOf(key: string): string {
    return join(this.#folder, key.slice(0, 2), `${key}.txt`);
  }
}

/** Drafts that a death left, too. */
const KEY_IN_PATH = /([0-9a-f]{64})\.txt$/;

/** Key of a context: everything that it depends on. */
export const contextKey = (parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
