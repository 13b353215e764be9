import { createHash } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { isoNow } from '../../core/runtime.js';
import { realPathOf } from '../../platform/security/path-containment.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
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
/** Of a hash, in names of files. */
const NAME_LENGTH = 32;

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
  const isTrusted = (grant: string): boolean =>
    grants.has(grant) || recordOf(folder, environment, grant)?.grants.includes(grant) === true;
  return risks.filter((risk) => !isTrusted(grantOf(risk)));
}

/** Records that the user trusts a folder with what it does now, and with nothing else. Throws the system's error. */
export function trust(folder: string, risks: readonly Risk[], environment: Environment): void {
  const added = recordsOf(folder, environment).filter((path) => path !== pathOf(folder, environment));
  write(folder, { grants: risks.map(grantOf) }, environment);
  for (const path of added) rmSync(path, { force: true });
}

/** The same beside what the folder was trusted with before. */
export function trustAlso(folder: string, risks: readonly Risk[], environment: Environment): void {
  for (const grant of untrusted(folder, risks, environment).map(grantOf))
    write(folder, { grants: [grant], added: grant }, environment);
}

/** Takes trust back; false where there was none. */
export function revoke(folder: string, environment: Environment): boolean {
  const paths = recordsOf(folder, environment);
  const known = paths.some((path) => readRecord(path)?.folder === realPathOf(folder));
  for (const path of paths) rmSync(path, { force: true });
  return known;
}

/** Each folder once, as of the last time that it was trusted with something. */
export function trustedFolders(environment: Environment): TrustedFolder[] {
  const records = namesIn(recordsFolder(environment))
    .map((name) => readRecord(join(recordsFolder(environment), name)))
    .filter((record) => record !== undefined)
    .sort((left, right) => (left.trustedAt < right.trustedAt ? -1 : 1));
  return [...new Map(records.map(({ folder, trustedAt }) => [folder, trustedAt]))]
    .map(([folder, trustedAt]) => ({ folder, trustedAt }))
    .sort((left, right) => (left.folder < right.folder ? -1 : 1));
}

const grantOf = ({ key, what }: Risk): string =>
  createHash('sha256')
    .update(JSON.stringify([key, what]))
    .digest('hex');

const recordsFolder = (environment: Environment): string => join(stateFolder(environment), 'trusted');

const nameOf = (folder: string): string =>
  createHash('sha256').update(realPathOf(folder)).digest('hex').slice(0, NAME_LENGTH);

// A file a folder, and one for each thing that was added later: processes that add at the same time write different files.
const pathOf = (folder: string, environment: Environment, added?: string): string =>
  join(
    recordsFolder(environment),
    `${nameOf(folder)}${added === undefined ? '' : `.${added.slice(0, NAME_LENGTH)}`}.json`,
  );

/** All files of a folder. */
const recordsOf = (folder: string, environment: Environment): string[] =>
  namesIn(recordsFolder(environment))
    .filter((name) => name.startsWith(`${nameOf(folder)}.`))
    .map((name) => join(recordsFolder(environment), name));

function recordOf(folder: string, environment: Environment, added?: string): TrustRecord | undefined {
  const record = readRecord(pathOf(folder, environment, added));
  return record?.folder === realPathOf(folder) ? record : undefined;
}

function write(
  folder: string,
  { grants, added }: { readonly grants: readonly string[]; readonly added?: string },
  environment: Environment,
): void {
  const record = { folder: realPathOf(folder), grants, trustedAt: isoNow() };
  makePrivateFolder(recordsFolder(environment));
  const path = pathOf(folder, environment, added);
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
