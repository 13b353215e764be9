import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_DATA_DIR } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { isOwn, isTrustedByEnvironment, markOwn } from '../config/trust/trust-store.js';
import { RAGError } from '../core/errors.js';
import { isPathInside } from '../security/path-containment.js';

/** Marks the data folder as this account's own where `work` is what makes its ledger. */
export async function claiming<T>(
  { dataDir, environment }: ResolvedConfig,
  work: () => Promise<T>,
): Promise<T> {
  const isNew = !existsSync(join(dataDir, 'ledger.db'));
  const result = await work();
  if (!isNew || !existsSync(join(dataDir, 'ledger.db'))) return result;
  try {
    markOwn(dataDir, environment);
  } catch {
    // Without a home to keep the key in, nothing is one's own: what would need it asks for trust.
  }
  return result;
}

/**
 * Stops before an index that this account did not make (a data folder that came with a repository) has files read outside of the
 * project.
 *
 * @throws RAGError `INDEX_UNTRUSTED`
 */
export function assertOwnPaths(paths: readonly string[], config: ResolvedConfig): void {
  const outside = paths.filter((path) => !isPathInside(config.projectRoot, path));
  if (outside.length > 0)
    assertOwn(config, `remembers folders outside of the project: ${outside.join(', ')}`);
}

/**
 * Stops before anything is written or read through symbolic links of a data folder that this account did not make: they may lead
 * to any file. A link in the place of the usual data folder must not lead out of the project either.
 *
 * @throws RAGError `INDEX_UNTRUSTED`
 */
export function assertOwnLinks(config: ResolvedConfig): void {
  const { dataDir, projectRoot } = config;
  const links = linksIn(dataDir);
  const isUsual = dataDir === join(projectRoot, DEFAULT_DATA_DIR);
  if (isUsual && existsSync(dataDir) && !isPathInside(realpathSync(projectRoot), realpathSync(dataDir)))
    links.push(dataDir);
  if (links.length > 0) assertOwn(config, `holds symbolic links: ${links.join(', ')}`);
}

function linksIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  } catch {
    // Whoever opens it says what is wrong with it.
    return [];
  }
}

/** The same before it has questions sent to a service of its choice. Throws `INDEX_UNTRUSTED`. */
export function assertOwnModel(model: string, config: ResolvedConfig): void {
  assertOwn(config, `was made with the hosted model ${model}, which the configuration does not name`);
}

function assertOwn({ dataDir, projectRoot, environment, rag, own }: ResolvedConfig, what: string): void {
  // A ledger elsewhere is named by what is trusted already.
  if (rag.ledger.type !== 'sqlite' || own?.ledger !== undefined) return;
  if (isTrustedByEnvironment(projectRoot, environment) || isOwn(dataDir, environment)) return;
  throw new RAGError(
    'INDEX_UNTRUSTED',
    `The index in ${dataDir} was not made by this account, or was moved, and ${what}. If you trust it, run \`ragstone trust\` in ${projectRoot} (or the command with --trust); else delete the folder, or use another with --data.`,
    { details: { folder: projectRoot, dataDir } },
  );
}
