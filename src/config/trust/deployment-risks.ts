import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import { isRecord } from '../config-path.js';
import { indexRisk } from './index-reach.js';
import type { Risk } from './risks.js';

/** Folder of a data folder that holds the deployments of tenants, a folder each, and their indexes. */
export const deploymentsFolderOf = (dataDir: string): string => join(dataDir, DATA_FOLDERS.deployments);

/** In the folder of a deployment. */
export const RECORD_FILE = 'deployment.json';

/** What a deployment makes the service do beyond its own folder. */
interface ReachingDeployment {
  readonly tenantId?: unknown;
  readonly provider?: unknown;
  readonly searchEndpoint?: unknown;
  readonly indexName?: unknown;
  readonly username?: unknown;
  readonly apiKeySecretName?: unknown;
}

/** A server that gets the documents of a tenant, and a secret to sign in with. */
export const deploymentRisk = ({
  tenantId,
  provider,
  searchEndpoint,
  indexName,
  username,
  apiKeySecretName,
}: ReachingDeployment): Risk =>
  indexRisk(
    `keeps documents of tenant ${String(tenantId)} at ${String(searchEndpoint)} (${String(provider)}, index ${String(indexName)}), signed in to as ${String(username ?? 'nobody')} with the secret ${String(apiKeySecretName ?? '(none)')}`,
  );

/** Those of a data folder. What cannot be read serves nobody. */
export function deploymentRisksOf(dataDir: string): Risk[] {
  const folder = deploymentsFolderOf(dataDir);
  return foldersIn(folder).flatMap((name) => {
    try {
      const record: unknown = JSON.parse(
        readRegularFileSync(join(folder, name, RECORD_FILE)).toString('utf8'),
      );
      if (!isRecord(record)) return [];
      const move = isRecord(record.move) ? record.move.other : undefined;
      return [record.deployment, move].filter(isRecord).filter(isReaching).map(deploymentRisk);
    } catch {
      return [];
    }
  });
}

const isReaching = (deployment: ReachingDeployment): boolean => deployment.searchEndpoint !== undefined;

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
