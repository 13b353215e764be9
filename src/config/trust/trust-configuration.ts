import { resolve } from 'node:path';
import { expandTree } from '../expand-tree.js';
import type { Environment } from '../expand-variables.js';
import { DEFAULT_DATA_DIR } from '../find-project.js';
import { findConfig, loadConfig } from '../load-config.js';
import type { ResolvedConfig } from '../resolved-config.js';
import { type Risk, risksOf } from './risks.js';
import { sourceRisks } from './source-reach.js';
import { trust } from './trust-store.js';

/** Which data folder belongs to the folder, and by which variables both are read. */
export interface TrustOptions {
  /** @default `.ragstone` in the folder */
  readonly dataDir?: string | undefined;
  /** @default process.env */
  readonly env?: Environment | undefined;
}

/** What a configuration was trusted with, and what it says; undefined where it cannot be used as it is. */
export interface TrustedConfiguration {
  readonly risks: readonly Risk[];
  readonly config: ResolvedConfig | undefined;
}

/** Trusts a folder with what the configuration found in it, and the repositories that it names, do now. */
export async function trustConfiguration(
  folder: string,
  { dataDir, env = process.env }: TrustOptions = {},
): Promise<TrustedConfiguration> {
  const projectRoot = resolve(folder);
  const { tree: raw, file } = await findConfig(projectRoot);
  const tree = expandTree(raw, env);
  const from = file === undefined ? { config: {} } : { file };
  const config = await loadConfig({ cwd: projectRoot, dataDir, env, trust: 'unchecked', ...from }).catch(
    () => undefined,
  );
  const own = dataDir === undefined ? resolve(projectRoot, DEFAULT_DATA_DIR) : undefined;
  const risks = [
    ...risksOf({ tree, raw, projectRoot, dataDir: own }),
    ...(config === undefined ? [] : await sourceRisks(config)),
  ];
  if (risks.length > 0) trust(projectRoot, risks, env);
  return { risks, config };
}
