import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../core/errors.js';
import { readRegularText } from '../../security/regular-file.js';

/** Says which server runs on a folder: two servers on one folder would damage it. */
export interface ServerClaim {
  /** Process that stops the server. */
  readonly owner: number;
  /** Process of the server; absent while it is being started. */
  readonly server?: number;
  readonly port: number;
}

const claimFile = (folder: string): string => join(folder, 'ragstone-server.json');

/** Claims the folder; false where somebody else has. */
export async function claimFolder(folder: string, claim: ServerClaim): Promise<boolean> {
  try {
    await writeFile(claimFile(folder), JSON.stringify(claim), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces one's own claim. */
export async function renewClaim(folder: string, claim: ServerClaim): Promise<void> {
  const next = `${claimFile(folder)}.${process.pid}`;
  await writeFile(next, JSON.stringify(claim));
  await rename(next, claimFile(folder));
}

export async function releaseClaim(folder: string): Promise<void> {
  await rm(claimFile(folder), { force: true });
}

/** The claim on the folder, or undefined where there is none that can be read. */
export async function readClaim(folder: string): Promise<ServerClaim | undefined> {
  try {
    const value: unknown = JSON.parse(await readRegularText(claimFile(folder)));
    return isClaim(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process with this id runs. */
export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

const isClaim = (value: unknown): value is ServerClaim =>
  typeof value === 'object' &&
  value !== null &&
  'owner' in value &&
  typeof value.owner === 'number' &&
  'port' in value &&
  typeof value.port === 'number' &&
  (!('server' in value) || typeof value.server === 'number');
