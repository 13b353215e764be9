import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this program: what it keeps beside the backend is below it. */
export const HOME = fileURLToPath(new URL('..', import.meta.url));

/** Settings that service and commit hook share; the environment goes over them. */
const FILE = resolve(HOME, 'asdlc.env');

/** Reads `asdlc.env`, where there is one, into the environment. Call it before anything else. */
export function loadSettings(): void {
  if (existsSync(FILE)) process.loadEnvFile(FILE);
}

/** The Git repository whose documents are indexed. */
export const repositoryOf = (env: NodeJS.ProcessEnv): string =>
  resolve(HOME, env.ASDLC_REPOSITORY || 'repository');
