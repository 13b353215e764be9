import { createHash } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../security/private-files.js';
import { realPathOf } from '../../security/real-path.js';
import { readRegularFileSync } from '../../security/regular-file.js';
import type { Environment } from '../expand-variables.js';
import type { Risk } from './risks.js';

/** A folder that the user trusts with something beyond it: that of a configuration, or a data folder. */
export interface TrustedFolder {
  readonly folder: string;
  /** ISO-8601 UTC. */
  readonly trustedAt: string;
}

const recordSchema = z.object({ folder: z.string(), grants: z.array(z.string()), trustedAt: z.string() });
type TrustRecord = z.output<typeof recordSchema>;

const WRITABLE_BY_OTHERS = 0o022;

/** Folder outside of every project in which this account keeps what it trusts (XDG Base Directory Specification). */
export function stateFolder(environment: Environment): string {
  const stated = environment.XDG_STATE_HOME ?? '';
  // The specification has relative paths ignored.
  if (isAbsolute(stated)) return join(stated, 'ragstone');
  const local = process.platform === 'win32' ? environment.LOCALAPPDATA : undefined;
  return local === undefined ? join(homedir(), '.local', 'state', 'ragstone') : join(local, 'ragstone');
}

/**
 * Whether the environment trusts a folder: `RAGSTONE_TRUST=1` any, a list of folders (with `:` between, `;` on Windows) those.
 * For jobs, where nobody can be asked.
 */
export function isTrustedByEnvironment(
  folder: string,
  { RAGSTONE_TRUST: stated = '' }: Environment,
): boolean {
  if (stated === '1') return true;
  const separator = process.platform === 'win32' ? ';' : ':';
  return stated
    .split(separator)
    .some((named) => isAbsolute(named) && realPathOf(named) === realPathOf(folder));
}

/** The risks of a folder that were not trusted yet; another value of a setting is another risk. */
export function untrusted(folder: string, risks: readonly Risk[], environment: Environment): Risk[] {
  const grants = new Set(recordOf(folder, environment)?.grants);
  return risks.filter((risk) => !grants.has(grantOf(risk)));
}

/** Records that the user trusts a folder with what it does now, and with nothing else. Throws the system's error. */
export function trust(folder: string, risks: readonly Risk[], environment: Environment): void {
  write(folder, risks.map(grantOf), environment);
}

/** The same beside what the folder was trusted with before. */
export function trustAlso(folder: string, risks: readonly Risk[], environment: Environment): void {
  const missing = untrusted(folder, risks, environment).map(grantOf);
  if (missing.length === 0) return;
  write(folder, [...(recordOf(folder, environment)?.grants ?? []), ...missing], environment);
}

/** Takes trust back; false where there was none. */
export function revoke(folder: string, environment: Environment): boolean {
  const known = recordOf(folder, environment) !== undefined;
  rmSync(pathOf(folder, environment), { force: true });
  return known;
}

export function trustedFolders(environment: Environment): TrustedFolder[] {
  return namesIn(recordsFolder(environment))
    .map((name) => readRecord(join(recordsFolder(environment), name)))
    .filter((record) => record !== undefined)
    .map(({ folder, trustedAt }) => ({ folder, trustedAt }))
    .sort((left, right) => (left.folder < right.folder ? -1 : 1));
}

const grantOf = ({ key, what }: Risk): string =>
  createHash('sha256')
    .update(JSON.stringify([key, what]))
    .digest('hex');

// A file a folder: two processes that trust different folders write different files.
const recordsFolder = (environment: Environment): string => join(stateFolder(environment), 'trusted');

const pathOf = (folder: string, environment: Environment): string =>
  join(
    recordsFolder(environment),
    `${createHash('sha256').update(realPathOf(folder)).digest('hex').slice(0, 32)}.json`,
  );

function recordOf(folder: string, environment: Environment): TrustRecord | undefined {
  const record = readRecord(pathOf(folder, environment));
  return record?.folder === realPathOf(folder) ? record : undefined;
}

function write(folder: string, grants: readonly string[], environment: Environment): void {
  const record = { folder: realPathOf(folder), grants, trustedAt: new Date(runtime().now()).toISOString() };
  makePrivateFolder(recordsFolder(environment));
  const path = pathOf(folder, environment);
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, path);
}

/** A file that is damaged, or that others may write, trusts nothing. */
function readRecord(path: string): TrustRecord | undefined {
  try {
    const stats = statSync(path);
    const isSafe = process.platform === 'win32' || (stats.mode & WRITABLE_BY_OTHERS) === 0;
    if (!isSafe || !isMine(stats.uid)) return undefined;
    return recordSchema.parse(JSON.parse(readRegularFileSync(path).toString('utf8')));
  } catch {
    return undefined;
  }
}

const isMine = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
