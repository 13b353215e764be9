import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expandTree } from '../expand-tree.js';
import { DEFAULT_DATA_DIR } from '../find-project.js';
import { findConfig } from '../load-config.js';
import { type Risk, risksOf } from './risks.js';
import { isOwn, markOwn, revoke, type TrustedFolder, trust, trustedFolders, unmark } from './trust-store.js';

/** Which data folder belongs to the folder. */
export interface TrustOptions {
  /** @default `.ragstone` in the folder */
  readonly dataDir?: string | undefined;
}

/**
 * Trusts a folder with what the configuration found in it does now, and with its data folder. It is recorded for this account,
 * outside of the folder.
 *
 * @returns what it is trusted with
 * @throws RAGError `CONFIG_INVALID` where the file cannot be read.
 */
export async function trustFolder(
  folder: string,
  { dataDir }: TrustOptions = {},
): Promise<{ readonly risks: readonly Risk[] }> {
  const projectRoot = resolve(folder);
  const { tree: raw } = await findConfig(projectRoot);
  const tree = expandTree(raw, process.env);
  const own = dataDir ?? resolve(projectRoot, DEFAULT_DATA_DIR);
  const risks = risksOf({ tree, raw, projectRoot, dataDir: dataDir === undefined ? own : undefined });
  if (risks.length > 0) trust(projectRoot, risks, process.env);
  if (existsSync(own)) markOwn(own, process.env);
  return { risks };
}

/** Takes trust in a folder and its data folder back; false where there was none. */
export async function revokeTrust(folder: string, { dataDir }: TrustOptions = {}): Promise<boolean> {
  const own = dataDir ?? resolve(folder, DEFAULT_DATA_DIR);
  const wasOwn = isOwn(own, process.env);
  if (wasOwn) unmark(own);
  return revoke(resolve(folder), process.env) || wasOwn;
}

/** The folders whose configuration this account trusts. */
export const listTrust = (): TrustedFolder[] => trustedFolders(process.env);
