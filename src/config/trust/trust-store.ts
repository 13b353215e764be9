import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../security/private-files.js';
import type { Environment } from '../expand-variables.js';
import type { Risk } from './risks.js';

/** A folder whose configuration the user trusted. */
export interface TrustedFolder {
  readonly folder: string;
  /** ISO-8601 UTC. */
  readonly trustedAt: string;
}

const fileSchema = z.record(z.string(), z.object({ grants: z.array(z.string()), trustedAt: z.string() }));
type TrustFile = z.output<typeof fileSchema>;

const WRITABLE_BY_OTHERS = 0o022;
const KEY_BYTES = 32;
/** In a data folder: proves that this account made it, or trusted it. */
const MARK = 'owner';

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
  return stated.split(separator).some((named) => isAbsolute(named) && realOr(named) === realOr(folder));
}

/** The risks of a folder that were not trusted yet; another value of a setting is another risk. */
export function untrusted(folder: string, risks: readonly Risk[], environment: Environment): Risk[] {
  const grants = new Set(readTrust(environment)[realOr(folder)]?.grants);
  return risks.filter((risk) => !grants.has(grantOf(risk)));
}

/** Records that the user trusts a folder with what its configuration does now. */
export function trust(folder: string, risks: readonly Risk[], environment: Environment): void {
  const others = Object.entries(readTrust(environment)).filter(([name]) => isThere(name));
  writeTrust(environment, {
    ...Object.fromEntries(others),
    [realOr(folder)]: { grants: risks.map(grantOf), trustedAt: new Date(runtime().now()).toISOString() },
  });
}

/** Takes trust back; false where there was none. */
export function revoke(folder: string, environment: Environment): boolean {
  const { [realOr(folder)]: known, ...others } = readTrust(environment);
  if (known !== undefined) writeTrust(environment, others);
  return known !== undefined;
}

export const trustedFolders = (environment: Environment): TrustedFolder[] =>
  Object.entries(readTrust(environment)).map(([folder, { trustedAt }]) => ({ folder, trustedAt }));

/** Marks a data folder as made or trusted by this account. Throws the system's error. */
export function markOwn(dataDir: string, environment: Environment): void {
  writePrivate(join(dataDir, MARK), `${markOf(dataDir, stateKey(environment))}\n`);
}

/** Takes the mark of a data folder away. */
export const unmark = (dataDir: string): void => rmSync(join(dataDir, MARK), { force: true });

/** Whether this account made or trusted a data folder. One that came with a repository, or was moved, has no valid mark. */
export function isOwn(dataDir: string, environment: Environment): boolean {
  const key = readOwn(join(stateFolder(environment), 'key'));
  const mark = readText(join(dataDir, MARK))?.trim();
  if (key === undefined || mark === undefined) return false;
  const expected = Buffer.from(markOf(dataDir, key));
  const found = Buffer.from(mark);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

const markOf = (dataDir: string, key: string): string =>
  createHmac('sha256', key).update(realOr(dataDir)).digest('hex');

function stateKey(environment: Environment): string {
  const path = join(stateFolder(environment), 'key');
  const known = readOwn(path);
  if (known !== undefined) return known;
  const key = randomBytes(KEY_BYTES).toString('hex');
  makePrivateFolder(stateFolder(environment));
  writePrivate(path, key);
  return key;
}

const grantOf = ({ key, what }: Risk): string =>
  createHash('sha256')
    .update(JSON.stringify([key, what]))
    .digest('hex');

const trustPath = (environment: Environment): string => join(stateFolder(environment), 'trust.json');

/** A file that is damaged, or that others may write, trusts nothing. */
function readTrust(environment: Environment): TrustFile {
  try {
    return fileSchema.parse(JSON.parse(readOwn(trustPath(environment)) ?? '{}'));
  } catch {
    return {};
  }
}

function writeTrust(environment: Environment, content: TrustFile): void {
  makePrivateFolder(stateFolder(environment));
  writePrivate(trustPath(environment), `${JSON.stringify(content, null, 2)}\n`);
}

function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: PRIVATE_FILE });
  renameSync(draft, path);
}

function readOwn(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const isSafe = process.platform === 'win32' || (stats.mode & WRITABLE_BY_OTHERS) === 0;
  return isSafe && isMine(stats.uid) ? readText(path) : undefined;
}

const isMine = (uid: number): boolean => process.getuid === undefined || uid === process.getuid();

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
