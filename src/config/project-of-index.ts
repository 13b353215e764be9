import { basename, dirname } from 'node:path';
import { DATA_FOLDERS } from '../core/data-folder.js';
import { realPathOf } from '../platform/security/path-containment.js';
import { DEFAULT_DATA_DIR } from './find-project.js';
import type { ResolvedConfig } from './resolved-config.js';

/** Whether the ledger is one that hosts share, each with files of its own. */
export const isLedgerElsewhere = ({ rag, own }: Pick<ResolvedConfig, 'rag' | 'own'>): boolean =>
  rag.ledger.type !== 'sqlite' || own?.ledger !== undefined;

/**
 * The folder of the project that an index belongs to, without links: what holds `.ragstone`, from wherever a command runs. Undefined for
 * a data folder of another name, which belongs to no project. A ledger that hosts share is the configuration's.
 */
export function projectOfIndex(
  config: Pick<ResolvedConfig, 'rag' | 'own' | 'dataDir' | 'projectRoot'>,
): string | undefined {
  if (isLedgerElsewhere(config)) return realPathOf(config.projectRoot);
  const dataDir = outOfTries(config.dataDir);
  const real = realPathOf(dataDir);
  if (basename(real) === DEFAULT_DATA_DIR) return dirname(real);
  return basename(dataDir) === DEFAULT_DATA_DIR ? realPathOf(dirname(dataDir)) : undefined;
}

/** What `ragstone try` keeps belongs to the project that it lies in, so that an index may take it over. */
const outOfTries = (dataDir: string): string =>
  basename(dirname(dataDir)) === DATA_FOLDERS.tries ? dirname(dirname(dataDir)) : dataDir;
