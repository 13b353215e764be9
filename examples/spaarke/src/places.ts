import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const DATA = process.env.SPAARKE_DATA ?? here('.ragstone');

/** Files of this example. Everything that it writes is in `.ragstone` (or `SPAARKE_DATA`): delete the folder to begin anew. */
export const PLACES = {
  config: here('ragstone.yaml'),
  /** The index of the shared tenants, and those of others beside it. */
  index: join(DATA, 'index'),
  signingKey: join(DATA, 'signing-key.json'),
} as const;

/** A file for the owner of the folder alone. */
export const privateFile = (path: string) => ({
  /** Undefined where there is none. */
  read: async (): Promise<string | undefined> => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  write: async (text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  },
});
