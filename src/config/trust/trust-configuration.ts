import { resolve } from 'node:path';
import { expandTree } from '../expand-tree.js';
import { DEFAULT_DATA_DIR } from '../find-project.js';
import { findConfig } from '../load-config.js';
import { type Risk, risksOf } from './risks.js';
import { trust } from './trust-store.js';

/**
 * Trusts a folder with what the configuration found in it does now.
 *
 * @returns what it is trusted with
 */
export async function trustConfiguration(
  folder: string,
  { dataDir }: { readonly dataDir?: string | undefined } = {},
): Promise<readonly Risk[]> {
  const projectRoot = resolve(folder);
  const { tree: raw } = await findConfig(projectRoot);
  const tree = expandTree(raw, process.env);
  const own = dataDir === undefined ? resolve(projectRoot, DEFAULT_DATA_DIR) : undefined;
  const risks = risksOf({ tree, raw, projectRoot, dataDir: own });
  if (risks.length > 0) trust(projectRoot, risks, process.env);
  return risks;
}
