import { execFile } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../core/errors.js';
import { readRegularText } from '../../platform/security/regular-file.js';

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

/**
 * Whether the process that a claim names is a Chroma server on this folder and port. A claim may have come with the folder: what it
 * names is not stopped, and nothing is sent to its port, unless that holds.
 */
export async function isServerOf(folder: string, { server, port }: ServerClaim): Promise<boolean> {
  const command = server === undefined ? '' : await commandOf(server);
  return ` ${command} `.includes(` ${serverArguments(folder, port).join(' ')} `);
}

/** What a Chroma server on a folder is started with. */
export const serverArguments = (folder: string, port: number): string[] => [
  ...['run', '--host', '127.0.0.1'],
  ...['--port', String(port)],
  ...['--path', folder],
];

/** How a process was started; empty where that cannot be told. */
async function commandOf(pid: number): Promise<string> {
  try {
    return (await readRegularText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
  } catch {
    // No Linux: every other Unix has `ps`.
    return promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
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
