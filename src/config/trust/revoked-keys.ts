import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile, makePrivateFolder } from '../../platform/security/private-files.js';
import type { Environment } from '../expand-variables.js';
import { stateFolder } from './trust-store.js';

/*
 * A key is a file in a data folder, and an older file of it may come back: from a backup, by `git pull`. That it was revoked is
 * therefore kept where trust in keys is, outside of every data folder: an empty file for each, named by the key's id, which is
 * random and so is the same key in whatever folder it stands.
 */

/** Records that a key is refused from now on. Throws the system's error. */
export function recordRevocation(id: string, environment: Environment): void {
  const folder = revocationsFolder(environment);
  makePrivateFolder(folder);
  makePrivateFile(join(folder, id));
  statSync(join(folder, id));
}

/** When this account recorded that a key is revoked; undefined where it did not. A record that cannot be read counts. */
export function revocationOf(id: string, environment: Environment): Date | undefined {
  try {
    return statSync(join(revocationsFolder(environment), id)).mtime;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? undefined : new Date(0);
  }
}

const revocationsFolder = (environment: Environment): string =>
  join(stateFolder(environment), 'revoked-keys');
